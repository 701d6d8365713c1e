/* The exit codes of the program: how a command ended, and what caused it.
 *
 * The functions of src/run return an exit code and take a struct err last. After any code but
 * EXIT_GOOD and EXIT_PROMISE the error has a text, which the caller prints. */

#ifndef RUN_EXIT_H
#define RUN_EXIT_H

#include <stdio.h>

#include "base/err.h"

enum {
    EXIT_GOOD = 0,    /* The command did what the user requested. */
    EXIT_DIFFERS = 1, /* A difference was found. */
    EXIT_USER = 2,    /* A user error: in a file or on the command line. */
    EXIT_WORLD = 3,   /* A system error: a file, a disk, a process. */
    EXIT_PROMISE =
        4, /* The network did something that the scenario does not expect: deadlock, drops. */
    EXIT_STOPPED = 130 /* Ctrl-C or SIGTERM ended the run early; shells use this code for Ctrl-C. */
};

/* Sets the text and returns 'code'. */
int run_fail(struct err *, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The exit code of an error about a file: EXIT_USER if its content is wrong, such as a results file
 * of another version; else EXIT_WORLD. */
int run_code_of_file(const struct err *);

/* Like run_fail(), for errors of options: texts of EXIT_USER begin with "weir: ".  Errors in a file
 * begin with its name, line and column instead. */
int run_fail_command(struct err *, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Opens a file to write; an existing file is replaced only with 'force'. */
int run_create(FILE **, const char *path, bool force, struct err *);

/* Closes a file that was written; 'verb' and 'path' are for the error. */
int run_close(FILE *, const char *verb, const char *path, struct err *);

#endif
