/* Finds thresholds among the parameters of engines. */

#include "report/thresholds.h"

#include <string.h>

static const struct {
    const char *key;
    enum rep_queues at; /* Which queues it is compared with. */
} levels[] = {
    { "xoff", REP_AT_INPUTS },        { "xon", REP_AT_INPUTS },   { "bm", REP_AT_INPUTS },
    { "b1", REP_AT_INPUTS },          { "b0", REP_AT_INPUTS },    { "window", REP_AT_INPUTS },
    { "kmin", REP_AT_OUTPUTS },       { "kmax", REP_AT_OUTPUTS }, { "egress_xoff", REP_AT_OUTPUTS },
    { "egress_xon", REP_AT_OUTPUTS }, { "th_p", REP_AT_OUTPUTS }, { "th_e", REP_AT_OUTPUTS },
};

static enum rep_queues
queues_of(const struct rep_run *r, const struct rec_engine_parameter *p)
{
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (!strcmp(levels[i].key, p->key)) {
            return levels[i].at;
        }
    }
    if (strcmp(p->key, "qeq")) {
        return REP_NO_QUEUES;
    }
    for (size_t i = 0; i < r->tables[REC_ENGINE_PARAMETER].n;
         i++) { /* QCN's is where `place` says. */
        const struct rec_engine_parameter *place = rep_run_at(r, REC_ENGINE_PARAMETER, i);
        if (!strcmp(place->role, p->role) && !strcmp(place->key, "place")) {
            return strcmp(place->text, "input") ? REP_AT_OUTPUTS : REP_AT_INPUTS;
        }
    }
    return REP_NO_QUEUES;
}

void
rep_add_thresholds(struct plot *plot, const struct rep_run *r, uint32_t node, enum rep_queues at)
{
    const struct rec_node *n = rep_run_at(r, REC_NODE, node);

    for (size_t i = 0; n && i < r->tables[REC_ENGINE_PARAMETER].n; i++) {
        const struct rec_engine_parameter *p = rep_run_at(r, REC_ENGINE_PARAMETER, i);
        if (p->value && p->value < INT64_MAX && !strcmp(p->role, n->role) &&
            queues_of(r, p) == at) {
            plot_add_threshold(plot, (double)p->value / 1000, "%s %s %s", p->engine, p->key,
                               p->text);
        }
    }
}
