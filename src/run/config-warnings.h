/* Warnings before a run, in parts: what config-warnings.c says of a scenario,
 * config-warnings-stacks.c of engines that stand together, and config-warnings-workloads.c of flows
 * that are drawn. */

#ifndef RUN_CONFIG_WARNINGS_H
#define RUN_CONFIG_WARNINGS_H

#include "run/warnings.h"

/* Whether a parameter of a section was left at its default, for all nodes. */
bool warnings_is_left_out(const struct scenario *, const struct weir_field *);

/* A parameter of some engine of a stack at a port; 0 if none has it, or it is left open. */
uint64_t warnings_param(const struct weir_stack *, const struct weir_shape *, uint16_t port,
                        const char *name);

/* Adds a sentence, if there is something to warn of. */
typedef void config_warning(const struct scenario *, const struct model *, struct weir_text *);

/* Warns if an engine may lose packets, and the engine that prevents it is missing or acts first. */
config_warning warnings_of_last_resort;

/* Warn of workloads that draw no flows, or offer more than the links of hosts can carry. */
config_warning warnings_of_idle_workloads, warnings_of_load;

config_warning warnings_of_marks_twice, warnings_of_slowing;

#endif
