/* Reads plans from files and writes them to files: scenarios, and the tables of SONiC.
 *
 *     scenario-read.c        a switch of a scenario -> a plan
 *     scenario-write.c       a scenario with the plan's links, buffer and thresholds
 *     scenario-configured.c  a scenario with the current configuration of the switch
 *     sonic-read.c           config_db.json -> ports and buffer
 *     sonic-watchdog.c       PFC_WD of config_db.json -> switch.watchdog
 *     sonic-profiles.c       names and sizes of the profiles that are written
 *     sonic-write.c          tables for config_db.json, rows for pg_profile_lookup.ini
 *
 * plan_override() completes a plan that was read.  The caller checks first that a plan can be
 * written; then only the stream can fail. */

#ifndef PLAN_FILES_H
#define PLAN_FILES_H

#include <stdio.h>

#include "plan/request.h"
#include "scenario/scenario.h"
#include "scenario/tree.h"

bool plan_read_scenario(struct plan *, const struct plan_request *, const struct scenario *,
                        struct err *);

/* Reads the plans of all switches of a scenario.  The caller frees each plan and the array, even on
 * failure. */
bool plan_read_switches(struct plan **, size_t *n, const struct plan_request *,
                        const struct scenario *, struct err *);

bool plan_can_write_scenario(const struct plan *, const struct plan_request *, struct err *);
void plan_write_scenario(FILE *, const struct plan *, const struct plan_request *);

/* Write the configuration into a scenario: the beginning of `switch`, the engine, and comments. */
void plan_add_configured_switch(struct weir_text *, const struct plan *, weir_ps response);
void plan_write_configured_engine(FILE *, const struct plan *);
void plan_explain_configured(FILE *, const struct plan *);

/* Whether a file is one of SONiC's: its tables have names in capitals, unlike the keys of
 * scenarios. */
bool plan_is_sonic(const struct scn_node *root);

/* Reads a plan from SONiC's tables.  Values of options take precedence over the file. */
bool plan_read_sonic(struct plan *, const struct plan_request *, const struct scn_node *root,
                     struct err *);

/* Reads PFC_WD, after the ports; the other functions write it as keys of `switch` in a scenario,
 * with explanations. */
bool plan_read_watchdog(struct plan *, const struct scn_node *root, struct err *);
void plan_add_watchdog(struct weir_text *keys, const struct plan *);
void plan_explain_watchdog(FILE *, const struct plan *);

/* A profile that is written for a switch with SONiC. */
struct plan_written {
    char name[PLAN_WORD_BYTES];
    const struct plan_named *was; /* The profile with this name in the file; null: there is none. */
    uint64_t asked_bytes;         /* Headroom by the formula, in whole KiB and cells. */
    uint64_t xoff_bytes, size_bytes, xon_bytes;
    uint64_t xon_offset_bytes; /* WEIR_AUTO: it has none. */
    struct plan_profile own;
    uint32_t n_groups; /* The number of groups of all ports that use it, planned or not. */
};

/* All written profiles, under the names in the file. plan_patch_free() frees them. */
struct plan_patch {
    struct plan_written *items;
    size_t n, max;
    const struct plan_scheme *by; /* The formula for headroom. */
    /* [port][class]: 1 + the index of its profile; 0: it has no group. */
    uint32_t (*of)[WEIR_MAX_CLASSES];
    uint64_t bytes; /* The buffer that the profiles reserve. */
};

struct plan_patch plan_patch_of(const struct plan *, const struct plan_request *);
void plan_patch_free(struct plan_patch *);

/* The effect of a patch on a profile's current headroom. */
enum plan_change { PLAN_NEW, PLAN_SAME, PLAN_RAISED, PLAN_KEPT, PLAN_LOWERED };
enum plan_change plan_change_of(const struct plan_written *);

/* The length of a cable in whole metres, as in SONiC, but at least 1: "0m" means that there is no
 * cable. */
uint64_t plan_sonic_metres(const struct plan_port *);

bool plan_can_write_lookup(const struct plan *, struct err *);
bool plan_can_write_sonic(const struct plan *, const struct plan_request *, struct err *);
void plan_write_sonic(FILE *, const struct plan *, const struct plan_request *);
void plan_write_lookup(FILE *, const struct plan *, const struct plan_request *);

#endif
