/* Writes the reason of a failure into the memory of the caller. */

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
    return false;
}
