/* A host of executors: see host.h. */

#include "host.h"

#include <stdlib.h>

#include "../chance.h"
#include "base/array.h"

void
host_init(struct host *h, struct graph *g, host_network *network, void *context)
{
    *h = (struct host){ .graph = g,
                        .ranks = array_new(g->n_ranks, sizeof *h->ranks),
                        .network = network,
                        .context = context,
                        .shuffle = 1 };
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        executor_init(&h->ranks[rank], g, rank, EXECUTOR_RECORDS);
    }
}

void
host_free(struct host *h)
{
    for (uint32_t rank = 0; rank < h->graph->n_ranks; rank++) {
        executor_free(&h->ranks[rank]);
    }
    executor_out_free(&h->out);
    free(h->ranks);
    free(h->events);
}

static void
add_event(struct host *h, struct host_event event)
{
    ARRAY_PUSH(h->events, h->n_events, h->max_events) = event;
}

static void
transmit(struct host *h, uint32_t rank, const struct executor_send *s)
{
    struct host_times t = h->network(h->context, rank, s, h->now);
    struct executor_message m = { s->bytes, s->tag, h->now, rank, s->order, s->task };

    add_event(h, (struct host_event){ .at = t.sent_ps, .rank = rank, .token = s->token });
    add_event(h, (struct host_event){
                     .at = t.arrived_ps, .rank = s->to, .is_arrival = true, .message = m });
}

static void
run_rank(struct host *h, uint32_t rank)
{
    executor_run(&h->ranks[rank], h->now, &h->out);
    for (size_t i = 0; i < h->out.n_sends; i++) {
        transmit(h, rank, &h->out.sends[i]);
    }
    executor_out_clear(&h->out);
}

static void
report_event(struct host *h, struct host_event *e)
{
    if (!e->is_arrival) {
        executor_sent(&h->ranks[e->rank], e->token, h->now);
        return;
    }
    if (h->receive && !e->has_reached) {
        e->at = h->receive(h->context, e->rank, &e->message, h->now);
        e->has_reached = true;
        add_event(h, *e);
        return;
    }
    executor_arrived(&h->ranks[e->rank], &e->message, h->now);
}

/* Takes one of the events of this instant; returns false if there is none. */
static bool
take_event(struct host *h, struct host_event *e)
{
    size_t n = 0, taken = 0;

    for (size_t i = 0; i < h->n_events; i++) {
        if (h->events[i].at == h->now && one_in(&h->shuffle, ++n)) {
            taken = i;
        }
    }
    if (n) {
        *e = h->events[taken];
        h->events[taken] = h->events[--h->n_events];
    }
    return n;
}

static weir_ps
next_time(const struct host *h)
{
    weir_ps next = WEIR_NEVER;

    for (size_t i = 0; i < h->n_events; i++) {
        next = h->events[i].at < next ? h->events[i].at : next;
    }
    for (uint32_t rank = 0; rank < h->graph->n_ranks; rank++) {
        weir_ps wake = h->ranks[rank].wake_ps;
        next = wake < next ? wake : next;
    }
    return next;
}

void
host_run(struct host *h, weir_ps begin)
{
    h->now = begin;
    for (uint32_t rank = 0; rank < h->graph->n_ranks; rank++) {
        executor_begin(&h->ranks[rank], begin);
    }
    for (; h->now != WEIR_NEVER; h->now = next_time(h)) {
        struct host_event e;
        while (take_event(h, &e)) {
            report_event(h, &e);
        }
        for (uint32_t rank = 0; rank < h->graph->n_ranks; rank++) {
            run_rank(h, rank);
        }
    }
}
