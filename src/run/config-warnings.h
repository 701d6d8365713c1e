/* Warnings before a run, in three files: config-warnings.c checks the scenario,
 * config-warnings-stacks.c engines that share a node, and config-warnings-workloads.c the flows
 * that workloads generate. */

#ifndef RUN_CONFIG_WARNINGS_H
#define RUN_CONFIG_WARNINGS_H

#include "run/warnings.h"

/* Whether a parameter of a section was left at its default, for all nodes. */
bool warnings_is_left_out(const struct scenario *, const struct weir_field *);

/* The value of a parameter of any engine of a stack at a port; 0 if no engine has it or it is not
 * set. */
uint64_t warnings_param(const struct weir_stack *, const struct weir_shape *, uint16_t port,
                        const char *name);

/* Adds a sentence if there is a reason to warn. */
typedef void config_warning(const struct scenario *, const struct model *, struct weir_text *);

/* Warns if an engine may lose packets, and the engine that prevents it is missing or acts first. */
config_warning warnings_of_last_resort;

/* Warn of workloads that generate no flows, or that offer more load than the links of hosts can
 * carry. */
config_warning warnings_of_idle_workloads, warnings_of_load;

config_warning warnings_of_marks_twice, warnings_of_slowing;

#endif
