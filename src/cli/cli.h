/* `weir`: one verb a file, and a table of them in main.c.
 *
 * Exit codes, by whose fault it is:
 *     0  as asked    1  a difference was found    2  the user's    3  the world's
 *     4  the network has broken a promise */

#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

enum { EXIT_GOOD = 0, EXIT_DIFFERS = 1, EXIT_USER = 2, EXIT_WORLD = 3, EXIT_PROMISE = 4 };

enum { CLI_MAX_SETS = 64 }; /* `--set` of one command. */

/* Each gets its own arguments, the verb being argv[0]. */
int cli_check(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_export(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_plugins(int argc, char **argv); /* The verb is the name of a registry: engines, ... */
int cli_report(int argc, char **argv);
int cli_reproduce(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_serve(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_transcript(int argc, char **argv);

/* Whether help is asked for, among the arguments; then it has been printed. */
bool cli_helped(int argc, char **argv, const char *help);

/* Prints a string with its quotes, escaped. */
void cli_json_string(const char *);

/* FNV-1a: of what decides a run or a sweep. */
uint64_t cli_hash(const char *text);

/* To three digits, for people. */
uint64_t cli_rounded(uint64_t);

/* Opens a file to write; an old one is replaced by force only.  Returns an exit code; what is wrong
 * has been told to the user. */
int cli_create(FILE **, const char *path, bool force);

/* Prints to stderr and returns 'code'. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
