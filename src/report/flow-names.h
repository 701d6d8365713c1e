/* Unique names of flows, wherever rows, columns or words are about a flow.
 *
 *     struct rep_flow_names names = rep_flow_names_of(&flows);
 *     rep_flow_name(&names, 3, room);         "H1-H4", or "H1-H4 #3" if another has this name
 *     rep_flow_names_free(&names);
 *
 * Nobody keeps a scenario from giving two flows the same name, and two flows of the same pair have
 * it by default.  Behind such a name stands the flow's number, its `id` in the file. */

#ifndef REPORT_FLOW_NAMES_H
#define REPORT_FLOW_NAMES_H

#include <stdbool.h>

#include "record/reader.h"

enum { REP_FLOW_BYTES = 160 };

struct rep_flow_names {
    const struct rec_rows *flows; /* The caller's. */
    bool *is_shared;              /* [flow]: another has its name. */
};

struct rep_flow_names rep_flow_names_of(const struct rec_rows *flows);
void rep_flow_names_free(struct rep_flow_names *);

/* Returns 'room'.  A flow that the file does not have is its number alone. */
const char *rep_flow_name(const struct rep_flow_names *, uint32_t flow, char room[REP_FLOW_BYTES]);

#endif
