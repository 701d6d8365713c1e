/* Formats errors and returns the exit codes that they lead to. */

#include "run/exit.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

int
run_fail(struct err *err, int code, const char *format, ...)
{
    va_list args;
    char text[sizeof err->text];

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(err, "%s", text);
    return code;
}

int
run_fail_command(struct err *err, int code, const char *format, ...)
{
    char text[sizeof err->text];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return run_fail(err, code, code == EXIT_USER ? "weir: %.*s" : "%.*s", (int)sizeof text, text);
}

int
run_code_of_file(const struct err *err)
{
    return err->is_of_content ? EXIT_USER : EXIT_WORLD;
}

int
run_create(FILE **out, const char *path, bool force, struct err *err)
{
    *out = fopen(path, force ? "wb" : "wbx");
    if (*out) {
        return EXIT_GOOD;
    }
    int why = errno;
    struct stat file;
    bool is_there = why == EEXIST && !stat(path, &file),
         is_file = is_there && S_ISREG(file.st_mode);
    if (is_there && S_ISDIR(file.st_mode)) {
        return run_fail(err, EXIT_USER, "cannot write %s: it is a folder; name a file", path);
    }
    return run_fail(err, is_there ? EXIT_USER : EXIT_WORLD, "cannot write %s: %s%s", path,
                    strerror(why),
                    is_file    ? "; --force replaces it"
                    : is_there ? "; --force writes to it"
                               : "");
}

int
run_close(FILE *out, const char *verb, const char *path, struct err *err)
{
    bool good = !ferror(out);

    good = !fclose(out) && good;
    return good ? EXIT_GOOD
                : run_fail(err, EXIT_WORLD, "%s: cannot write %s: %s", verb, path, strerror(errno));
}
