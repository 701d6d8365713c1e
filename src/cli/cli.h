/* `weir`: one command (verb) per file, and a table of them in main.c. Only src/cli prints. */

#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "cli/options.h"
#include "output/text-table.h"
#include "output/value.h"
#include "run/exit.h"
#include "scenario/scenario.h"

extern const struct verb cli_check, cli_compare, cli_completion, cli_docs, cli_explain, cli_export,
    cli_facts, cli_help, cli_keys, cli_lab, cli_merge, cli_plan, cli_report, cli_reproduce, cli_run,
    cli_serve, cli_sweep, cli_switch, cli_transcript, cli_version, cli_why;

/* The meanings of exit codes, as help and manual pages list them. */
enum { CLI_N_EXIT_CODES = 6 };

extern const struct cli_exit_code {
    int code;
    const char *meaning;
} cli_exit_codes[CLI_N_EXIT_CODES];

/* Returns the verb that lists the plug-ins of a registry, and shows one. */
struct verb cli_plugins(const struct weir_registry *);

#define CLI_SET_HELP                                                                               \
    "Sets a value of the scenario, in place of the value in its file: --set engine=pfc, --set "    \
    "switch.buffer=300KB. May be given several times."

#define CLI_CONFINED_HELP                                                                          \
    "Opens files below the current folder only, follows no links, and opens nothing hidden: for "  \
    "scenarios of people whom you do not trust. Files that a scenario names must end in .yaml, "   \
    ".yml, .json, .txt, .topo or .cm."

#define CLI_JSON_HELP "Writes the result as JSON, for programs."

#define CLI_FLOWS_HELP                                                                             \
    "Lists all flows. Without --flows, a run of more than 20 flows shows sums by workload and "    \
    "size."

#define CLI_WHY_HELP                                                                               \
    "With --record: also records how long each flow waited at each port, and why, as "             \
    "`record: {why: yes}` does. `weir why RESULTS` reports the result."

/* Sets the value of the scenario that the option --why stands for, so that results files have it
 * among the settings. Returns an exit code and prints any error. */
int cli_set_why(const char *verb, const char *results, struct verb_words *sets);

/* Output formats of verbs that have several, as values of a VERB_ONE_OF. */
enum cli_form { CLI_TEXT, CLI_JSON, CLI_CSV };

/* Discards standard output from now on. */
void cli_make_output_silent(void);

/* Makes Ctrl-C and SIGTERM end the program with EXIT_STOPPED and a message: at once, or, while a
 * run is being recorded, when the recording is complete (run/stopping.h). Before ranks run, their
 * launcher ends them. */
void cli_hear_interrupts(void);

/* Opens a file to write; an existing file is replaced only with 'force'.  Returns an exit code and
 * prints any error. */
int cli_create(FILE **, const char *path, bool force);

/* Closes a file of cli_create(); 'code' shows whether everything was written. An incomplete file
 * would look complete, so it is removed, except with 'force', because it may then be a device.
 * Returns an exit code and prints any error. */
int cli_close(FILE *, const char *path, bool force, int code);

/* Opens a results file.  Returns an exit code and prints any error. */
struct rec_file;
int cli_open_results(struct rec_file **, const char *path);
void cli_close_results(struct rec_file *);

/* Finds the run with this number, or for 0 the newest; null: there is no such run. */
struct rep_runs;
const struct rep_listed *cli_choose_run(const struct rep_runs *, uint64_t number);

/* Reads a scenario.  Returns an exit code and prints any error. */
int cli_read_scenario(struct scenario *, const char *file, const char *const *sets, size_t n_sets);

/* Prints an error to stderr, and returns 'code'. An error in a file begins with its name, line and
 * column, in the form that editors read. */
int cli_print_error(int code, const struct err *);

/* Returns EXIT_GOOD if 'good'; else prints the error and returns EXIT_WORLD. */
int cli_print_error_unless(bool good, const struct err *);

/* Formats an error, prints it to stderr, and returns 'code'. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
