/* Records a deadlock as events: when it closed, the queues of its cycle, and its flows. */

#include <stdio.h>
#include <stdlib.h>

#include "run/recorder.h"
#include "topo/port-names.h"

enum { DEADLOCK, STUCK, HELD, N_KINDS };

static const struct sim_note_about kinds[N_KINDS] = {
    [DEADLOCK] = { "deadlock",
                   "A cycle of queues that wait for each other closed; `text` names it.",
                   "queues that stand still" },
    [STUCK] = { "stuck", "One queue of that cycle, at the time when the last packet left it.",
                "its place, from 0" },
    [HELD] = { "held", "A flow that has packets in that cycle.", NULL },
};

const struct sim_note_about *
recorder_event_kind(size_t i)
{
    return i < SIM_N_NOTES             ? &sim_note_kinds[i]
           : i < SIM_N_NOTES + N_KINDS ? &kinds[i - SIM_N_NOTES]
                                       : NULL;
}

/* Explains why the preceding queue of the cycle waits, as text that the caller frees. Returns null
 * if its packets wait in this queue. */
static char *
why_before_waits(const struct topo *t, const struct sim_stuck *q)
{
    struct topo_ends ends = topo_name_ends(t, q->port);
    char *text = NULL;
    size_t len;

    if (q->wait == SIM_WAITS_FOR_PACKETS) {
        return NULL;
    }
    FILE *out = open_memstream(&text, &len);
    fprintf(out,
            q->wait == SIM_WAITS_FOR_PIPELINE ? "the pipeline of %s is stopped for %s to %s"
                                              : "%s blocks inputs for %s to %s",
            t->nodes[t->ports[q->port].node].name, ends.here, ends.there);
    fclose(out);
    return text;
}

static void
write_ring(struct recorder *k, const struct sim_deadlock *d, const char *text)
{
    const struct topo *t = &k->o->s.topo;
    struct rec_event e = { .at_ps = d->formed_ps,
                           .kind = kinds[DEADLOCK].name,
                           .node = t->ports[d->cycle[0].port].node,
                           .port = d->cycle[0].port,
                           .cls = d->cycle[0].cls,
                           .flow = REC_NO_ID,
                           .value = d->n_stuck,
                           .text = text };

    rec_add_event(k->rec, &e, &k->err);
    e.kind = kinds[STUCK].name;
    for (uint32_t i = 0; i < d->n_cycle; i++) {
        char *why = why_before_waits(t, &d->cycle[i]);
        e.port = d->cycle[i].port;
        e.node = t->ports[e.port].node;
        e.cls = d->cycle[i].cls;
        e.value = i;
        e.at_ps = sim_gate_state(k->o->sim, e.port, d->cycle[i].cls, sim_now(k->o->sim)).last_ps;
        e.text = why;
        rec_add_event(k->rec, &e, &k->err);
        free(why);
    }
    for (uint32_t i = 0; i < d->n_flows; i++) {
        rec_add_event(k->rec,
                      &(struct rec_event){ .at_ps = d->formed_ps,
                                           .kind = kinds[HELD].name,
                                           .node = REC_NO_ID,
                                           .port = REC_NO_ID,
                                           .cls = d->cycle[0].cls,
                                           .flow = d->flows[i],
                                           .value = REC_NONE },
                      &k->err);
    }
}

void
recorder_deadlock(struct recorder *k)
{
    const struct sim_deadlock d = sim_deadlock(k->o->sim);
    const struct topo *t = &k->o->s.topo;
    char *text = NULL, port[TOPO_PORT_BYTES];
    size_t len;

    if (!d.found || k->has_reported_deadlock) {
        return;
    }
    FILE *out = open_memstream(&text, &len);
    for (uint32_t i = 0; i < d.n_cycle; i++) {
        fprintf(out, "%s%s", i ? " " : "", topo_port_text(t, d.cycle[i].port, port));
    }
    fclose(out);
    write_ring(k, &d, text);
    free(text);
    k->has_reported_deadlock = true;
}
