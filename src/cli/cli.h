/* `weir`: one verb a file, and a table of them in main.c.  Here alone something is printed. */

#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "run/exit.h"
#include "scenario/scenario.h"

enum { CLI_MAX_SETS = 64 }; /* `--set` of one command. */

/* Each gets its own arguments, the verb being argv[0]. */
int cli_check(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_engines(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_reproduce(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_serve(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_transcript(int argc, char **argv);

/* Whether help is asked for, among the arguments; then it has been printed. */
bool cli_helped(int argc, char **argv, const char *help);

/* To three digits, for people. */
uint64_t cli_rounded(uint64_t);

/* Opens a file to write; an old one is replaced by force only.  Returns an exit code; what is wrong
 * has been told to the user. */
int cli_create(FILE **, const char *path, bool force);

/* Reads a scenario.  Returns an exit code; what is wrong has been told to the user. */
int cli_read_scenario(struct scenario *, const char *file, const char *const *sets, size_t n_sets);

/* Tells the user what has gone wrong in another room, and returns 'code'.  What is wrong in a file
 * begins with its name, line and column, as editors know it. */
int cli_tell(int code, const struct err *);

/* Prints to stderr and returns 'code'. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
