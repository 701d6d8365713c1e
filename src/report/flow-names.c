/* Distinguishes flows of the same name by their numbers. */

#include "report/flow-names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static const struct rec_flow *
flow_row(const struct rec_rows *flows, size_t i)
{
    return rec_row(flows, REC_FLOW, i);
}

static int
by_name(const void *a, const void *b)
{
    const struct rec_flow *x = *(const struct rec_flow *const *)a,
                          *y = *(const struct rec_flow *const *)b;
    return strcmp(x->name, y->name);
}

struct rep_flow_names
rep_flow_names_of(const struct rec_rows *flows)
{
    struct rep_flow_names names = { .flows = flows,
                                    .is_shared = array_new(flows->n, sizeof *names.is_shared) };
    const struct rec_flow **sorted = array_new(flows->n, sizeof *sorted);

    for (size_t i = 0; i < flows->n; i++) {
        sorted[i] = flow_row(flows, i);
    }
    array_sort(sorted, flows->n, sizeof *sorted, by_name);
    for (size_t i = 1; i < flows->n; i++) {
        if (!by_name(&sorted[i - 1], &sorted[i])) {
            names.is_shared[sorted[i - 1] - flow_row(flows, 0)] = true;
            names.is_shared[sorted[i] - flow_row(flows, 0)] = true;
        }
    }
    free(sorted);
    return names;
}

void
rep_flow_names_free(struct rep_flow_names *names)
{
    free(names->is_shared);
    *names = (struct rep_flow_names){ 0 };
}

const char *
rep_flow_name(const struct rep_flow_names *names, uint32_t flow, char room[REP_FLOW_BYTES])
{
    if (flow >= names->flows->n) {
        snprintf(room, REP_FLOW_BYTES, "#%u", flow);
        return room;
    }
    const char *name = flow_row(names->flows, flow)->name;
    if (names->is_shared[flow]) {
        snprintf(room, REP_FLOW_BYTES, "%.140s #%u", name, flow);
    } else {
        snprintf(room, REP_FLOW_BYTES, "%s", name);
    }
    return room;
}
