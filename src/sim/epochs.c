/* Epochs: an epoch is a number of windows that a rank runs before it synchronises with the others.
 *
 * A packet to a node of another rank needs at least the delay of the fastest link between ranks.
 * So from an agreed time on, each rank can run for that long without the others, window after
 * window, whenever its own nodes have work.  Then all ranks meet.  They exchange mail and learn the
 * earliest next window of any rank, which begins the next epoch.  So idle times cost nothing with
 * several ranks either.
 *
 * No epoch goes past a time at which all ranks must act: deadlock detection, a sample, or new
 * routes.  So these actions see the same network, between the same two windows, as in a single
 * process.
 *
 * With telemetry, the sender of a flow is notified of the arrival of a probe one window after it.
 * If any flow uses telemetry, ranks meet after every window. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/exchange.h"
#include "sim/flow-ends.h"
#include "sim/scheduler.h"
#include "sim/setup.h"
#include "sim/watch.h"

struct header {
    weir_ps next_ps;      /* The earliest window that this rank knows of, on any rank. */
    weir_ps ran_until_ps; /* The end of the last window that this rank has run. */
    uint64_t windows;     /* The windows that this rank has run, one bit for each. */
    uint64_t n_items;     /* The number of mail items that follow; the telemetry records follow
                           * them. */
    uint64_t stops;       /* This rank was asked to stop. */
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

/* Collects the mail and telemetry records that the threads have for another rank. */
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

/* Delivers mail; each item marks its window as work for the thread that receives it. */
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

/* Merges the state of one rank into the state of the others. */
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

/* Ends an epoch. The next window of all ranks is the window of the earliest mail of any rank. */
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
