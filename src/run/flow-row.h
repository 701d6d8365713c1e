/* The row of a flow in results files and JSON, at the beginning and at the end of a run. */

#ifndef RUN_FLOW_ROW_H
#define RUN_FLOW_ROW_H

#include "record/rows.h"
#include "run/outcome.h"

enum { FLOW_PATH_BYTES = SIM_MAX_PATH * 11 };

/* The texts that a row points to. */
struct flow_texts {
    char name[SCN_NAME_BYTES], path[FLOW_PATH_BYTES];
};

struct rec_flow flow_row(const struct outcome *, size_t flow, struct flow_texts *);
struct rec_flow flow_row_at_end(const struct outcome *, uint32_t flow, struct flow_texts *);

#endif
