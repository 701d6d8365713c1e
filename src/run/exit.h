/* The exit codes of the program: how a command ended, and what caused it.
 *
 * Functions of this room return one and take a struct err last.  The text means something after all
 * but EXIT_GOOD and EXIT_PROMISE, and the caller shows it: nothing here prints. */

#ifndef RUN_EXIT_H
#define RUN_EXIT_H

#include <stdio.h>

#include "base/err.h"

enum {
    EXIT_GOOD = 0,     /* Everything went as asked. */
    EXIT_DIFFERS = 1,  /* A difference was found. */
    EXIT_USER = 2,     /* A user error: in a file or on the command line. */
    EXIT_WORLD = 3,    /* The world's: a file, a disk, a process. */
    EXIT_PROMISE = 4,  /* The network did what the scenario does not expect: deadlock, drops. */
    EXIT_STOPPED = 130 /* Ctrl-C, or SIGTERM, ended it early: what shells say of Ctrl-C. */
};

/* Sets the text and returns 'code'. */
int run_fail(struct err *, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same for errors of options: those of EXIT_USER begin with "weir: ".  Errors of a file begin
 * with its name, line and column instead. */
int run_fail_command(struct err *, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Opens a file to write; an old one is replaced by force only. */
int run_create(FILE **, const char *path, bool force, struct err *);

/* Closes a file that was written; 'verb' and 'path' are for the error. */
int run_close(FILE *, const char *verb, const char *path, struct err *);

#endif
