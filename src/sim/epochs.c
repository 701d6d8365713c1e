/* Epochs: as many windows as a rank runs before it meets the others.
 *
 * A packet to a node of another rank arrives no sooner than the quickest link across the cut takes.
 * So from a time that all have agreed on, each rank can run that long by itself, window after
 * window, as its own nodes have something to do.  Then all meet: mail is handed over, and all ranks
 * learn the next window of any rank, which begins the next epoch.  So quiet times cost nothing here
 * either.
 *
 * No epoch goes past a time that is due for all ranks: a watch, a sample, new routes.  These see
 * the network as one process would, and between the same two windows.
 *
 * Flows with telemetry let their sender know a window after a probe has arrived that it did.  Where
 * there are any, ranks meet after every window. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/exchange.h"
#include "sim/flow-ends.h"
#include "sim/scheduler.h"
#include "sim/setup.h"
#include "sim/watch.h"

struct header {
    weir_ps next_ps;      /* The earliest that this rank knows of, for others too. */
    weir_ps ran_until_ps; /* The end of its last window. */
    uint64_t windows;     /* The windows that it has run, one bit each. */
    uint64_t n_items;     /* Number of mails that follow; their contents come behind them. */
    uint64_t stops;       /* It is asked to stop. */
};

void
sim_set_exchange(struct sim *sim)
{
    if (sim_n_ranks(sim) == 1) {
        return;
    }
    uint32_t *ranks = array_new(sim->n_nodes, sizeof *ranks);
    for (uint32_t node = 0; node < sim->n_nodes; node++) {
        ranks[node] = sim_rank_of(sim, node);
    }
    uint64_t n_windows = sim_epoch_windows(&sim->model, sim->window_bits, ranks);

    sim->ranks.exchange = array_new(1, sizeof *sim->ranks.exchange);
    sim->ranks.exchange->epoch_ps = (weir_ps)n_windows * sim_window_ps(sim);
    sim->ranks.exchange->out = sim_parcels_new(sim);
    sim->ranks.exchange->in = sim_parcels_new(sim);
    free(ranks);
}

void
sim_free_exchange(struct sim *sim)
{
    if (sim->ranks.exchange) {
        sim_parcels_free(sim, sim->ranks.exchange->out);
        sim_parcels_free(sim, sim->ranks.exchange->in);
        free(sim->ranks.exchange);
    }
}

weir_ps
sim_epoch_end(const struct sim *sim, weir_ps next)
{
    weir_ps due = sim_next_due(sim), last = sim->config.until_ps + 1;
    weir_ps end =
        next + (sim->ranks.exchange->is_last ? sim_window_ps(sim) : sim->ranks.exchange->epoch_ps);

    end = due < end ? due : end;
    end = last < end ? last : end;
    return end > next ? end : next + 1;
}

/* Everything that the threads have for a rank. */
static void
pack_for(struct sim *sim, uint32_t rank, struct header header)
{
    struct sim_parcel *p = &sim->ranks.exchange->out[rank];

    for (uint32_t i = 0; i < sim->n_threads; i++) {
        header.n_items += sim->threads[i].abroad[rank].mail.n;
    }
    p->n = 0;
    sim_parcel_add(p, &header, sizeof header);
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        struct sim_log *mail = &sim->threads[i].abroad[rank].mail;
        sim_parcel_add(p, mail->items, mail->n * sizeof *mail->items);
        mail->n = 0;
    }
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        struct sim_parcel *words = &sim->threads[i].abroad[rank].words;
        sim_parcel_add(p, words->bytes, words->n);
        words->n = 0;
    }
}

static void
pack_for_all(struct sim *sim, struct header header)
{
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        struct sim_thread *t = &sim->threads[i];
        weir_ps start = sim_window_start(sim, t->abroad_ps);
        header.next_ps = start < header.next_ps ? start : header.next_ps;
        t->abroad_ps = WEIR_NEVER;
    }
    for (uint32_t rank = 0; rank < sim_n_ranks(sim); rank++) {
        if (rank != sim_rank(sim)) {
            pack_for(sim, rank, header);
        }
    }
    sim->ranks.exchange->next_ps = header.next_ps;
}

/* Where each mail falls, its thread has something to do. */
static void
take_mail(struct sim *sim, const struct sim_mail *items, size_t n)
{
    for (size_t i = 0; i < n;) {
        struct sim_thread *t = &sim->threads[sim->places[items[i].node].thread];
        weir_ps window = sim_window_start(sim, items[i].at), *next = &t->next_ps[sim_parity(t)];
        *next = window < *next ? window : *next;
        i += sim_take_mail(t, &items[i]);
    }
}

/* The state of one rank, merged into that of the others. */
static void
hear_from(struct sim *sim, const struct sim_parcel *p)
{
    const struct header *h = p->bytes;
    const struct sim_mail *items = (const struct sim_mail *)(h + 1);
    struct sim_exchange *x = sim->ranks.exchange;

    x->next_ps = h->next_ps < x->next_ps ? h->next_ps : x->next_ps;
    x->windows |= h->windows;
    x->stops |= h->stops;
    if (h->ran_until_ps > sim->ran_until_ps) {
        sim->ran_until_ps = h->ran_until_ps;
    }
    take_mail(sim, items, h->n_items);
    const char *words = (const char *)(items + h->n_items);
    sim_take_words(sim, words, (size_t)((const char *)p->bytes + p->n - words));
}

/* The first window of any rank is the one in which the earliest mail of all falls. */
void
sim_meet(struct sim *sim, weir_ps own_next)
{
    struct sim_exchange *x = sim->ranks.exchange;

    x->stops = sim_was_asked_to_stop(sim);
    pack_for_all(sim, (struct header){ .next_ps = own_next,
                                       .ran_until_ps = sim->ran_until_ps,
                                       .windows = x->windows,
                                       .stops = x->stops });
    if (!sim_swap(sim, x->out, x->in)) {
        return;
    }
    for (uint32_t rank = 0; rank < sim_n_ranks(sim); rank++) {
        if (rank != sim_rank(sim)) {
            hear_from(sim, &x->in[rank]);
        }
    }
    x->n_windows += (uint64_t)__builtin_popcountll(x->windows);
    x->windows = 0;
}
