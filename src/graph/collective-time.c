/* Closed forms of collectives (collective-time.h). */

#include "graph/collective-time.h"

#include <string.h>

struct form {
    const struct coll_params *p;
    collective_time_alone *alone;
    void *arg;
};

static uint64_t
part_of(uint64_t bytes, uint64_t n)
{
    return (bytes + n - 1) / n;
}

static weir_ps
times(weir_ps n, weir_ps ps)
{
    return ps < 0 || ps > WEIR_LATE / n ? -1 : n * ps;
}

static weir_ps
ring_ps(const struct form *f)
{
    weir_ps n_steps = (weir_ps)f->p->n - 1,
            step_ps = f->alone(f->arg, part_of(f->p->bytes, f->p->n), 0);

    switch (f->p->op) {
    case COLL_ALL_REDUCE:
        return times(2 * n_steps, step_ps);
    case COLL_ALL_GATHER:
    case COLL_REDUCE_SCATTER:
        return times(n_steps, step_ps);
    default:
        return -1;
    }
}

static weir_ps
halving_doubling_ps(const struct form *f)
{
    weir_ps sum = 0;

    if (f->p->op != COLL_ALL_REDUCE || f->p->n & (f->p->n - 1)) {
        return -1;
    }
    for (uint64_t part = 2; part <= f->p->n && sum >= 0; part *= 2) {
        weir_ps both = times(2, f->alone(f->arg, part_of(f->p->bytes, part), 0));
        sum = both < 0 || sum > WEIR_LATE ? -1 : sum + both;
    }
    return sum;
}

static weir_ps
direct_ps(const struct form *f)
{
    return f->p->op == COLL_ALL_TO_ALL
               ? f->alone(f->arg, part_of(f->p->bytes, f->p->n), f->p->n - 2)
               : -1;
}

weir_ps
collective_time_ps(const struct coll_params *p, collective_time_alone *alone, void *arg)
{
    static const struct {
        const char *algorithm;
        weir_ps (*form)(const struct form *);
    } forms[] = { { "ring", ring_ps },
                  { "halving-doubling", halving_doubling_ps },
                  { "direct", direct_ps } };
    const struct form f = { p, alone, arg };

    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!strcmp(forms[i].algorithm, p->algorithm->about.name) && p->channels == 1 &&
            !p->chunk_bytes && p->n > 1) {
            return forms[i].form(&f);
        }
    }
    return -1;
}
