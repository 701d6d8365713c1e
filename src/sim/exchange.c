/* The exchange between ranks: gather, broadcast, agree and minimum, all by one function,
 * sim_swap(). */

#include "sim/exchange.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void
sim_parcel_room(struct sim_parcel *p, size_t n)
{
    if (p->max < n) {
        free(p->bytes);
        p->bytes = array_new(n, 1);
        p->max = n;
    }
    p->n = 0;
}

void *
sim_parcel_more(struct sim_parcel *p, size_t n)
{
    if (p->max - p->n < n) {
        size_t max = p->n + n > 2 * p->max ? p->n + n : 2 * p->max;
        p->bytes = array_larger(p->bytes, p->n, max, 1);
        p->max = max;
    }
    p->n += n;
    return (char *)p->bytes + p->n - n;
}

void
sim_parcel_add(struct sim_parcel *p, const void *bytes, size_t n)
{
    if (n) {
        memcpy(sim_parcel_more(p, n), bytes, n);
    }
}

void
sim_parcel_free(struct sim_parcel *p)
{
    free(p->bytes);
    *p = (struct sim_parcel){ 0 };
}

uint32_t
sim_rank(const struct sim *sim)
{
    return sim->config.ranks ? sim->config.ranks->rank : 0;
}

uint32_t
sim_n_ranks(const struct sim *sim)
{
    return sim->config.ranks ? sim->config.ranks->n : 1;
}

struct sim_parcel *
sim_parcels_new(const struct sim *sim)
{
    return array_new(sim_n_ranks(sim), sizeof(struct sim_parcel));
}

void
sim_parcels_free(const struct sim *sim, struct sim_parcel *parcels)
{
    for (uint32_t i = 0; parcels && i < sim_n_ranks(sim); i++) {
        sim_parcel_free(&parcels[i]);
    }
    free(parcels);
}

const char *
sim_broken(const struct sim *sim)
{
    return sim->ranks.is_broken ? sim->ranks.why_broken.text : NULL;
}

/* After a rank has failed, ranks can no longer communicate. */
bool
sim_swap(struct sim *sim, const struct sim_parcel *out, struct sim_parcel *in)
{
    const struct sim_ranks *ranks = sim->config.ranks;

    if (!sim->ranks.is_broken && sim_n_ranks(sim) > 1) {
        sim->ranks.is_broken = !ranks->swap(ranks->arg, out, in, &sim->ranks.why_broken);
    }
    return !sim->ranks.is_broken;
}

/* Sends a parcel to the first rank or to all ranks. Parcels are not copied: several ranks may get
 * the same memory. */
static bool
hand_out(struct sim *sim, const struct sim_parcel *own, bool to_all, struct sim_parcel *in)
{
    uint32_t n = sim_n_ranks(sim);
    struct sim_parcel *out = array_new(n, sizeof *out);

    for (uint32_t i = 0; i < n; i++) {
        out[i] = to_all || i == 0 ? *own : out[i];
    }
    bool is_done = sim_swap(sim, out, in);
    free(out);
    return is_done;
}

bool
sim_gather(struct sim *sim, const struct sim_parcel *own, struct sim_parcel *in)
{
    struct sim_parcel nothing = { 0 };

    return hand_out(sim, sim_rank(sim) ? own : &nothing, false, in);
}

bool
sim_broadcast(struct sim *sim, struct sim_parcel *parcel)
{
    struct sim_parcel nothing = { 0 }, *in = sim_parcels_new(sim);
    bool is_done = hand_out(sim, sim_rank(sim) ? &nothing : parcel, true, in);

    if (is_done && sim_rank(sim)) {
        sim_parcel_free(parcel);
        *parcel = in[0];
        in[0] = nothing;
    }
    sim_parcels_free(sim, in);
    return is_done;
}

bool
sim_agree(struct sim *sim, const struct sim_parcel *own, struct sim_parcel *in)
{
    return hand_out(sim, own, true, in);
}

int64_t
sim_least_of_ranks(struct sim *sim, int64_t own)
{
    struct sim_parcel word = { .bytes = &own, .n = sizeof own }, *in = sim_parcels_new(sim);
    int64_t least = own;

    bool is_done = sim_agree(sim, &word, in);
    for (uint32_t i = 0; is_done && i < sim_n_ranks(sim); i++) {
        int64_t there = i == sim_rank(sim) ? own : *(const int64_t *)in[i].bytes;
        least = there < least ? there : least;
    }
    sim_parcels_free(sim, in);
    return least;
}
