/* Writes the reason for a failure into the caller's memory. */

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

bool
err_set(struct err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->is_of_content = false;
    return false;
}

bool
err_set_of_content(struct err *err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    err->is_of_content = true;
    return false;
}
