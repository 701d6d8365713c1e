/* Rates the pool of headroom that all lossless classes of a SONiC switch share. */

#include "plan/verdict.h"

struct plan_need_of_class
plan_largest_need(const struct plan *p, const struct plan_scheme *s)
{
    struct plan_need_of_class most = { .by = s };

    for (size_t i = 0; i < p->n_kinds; i++) {
        uint64_t bytes = plan_slot_need(p, s, &p->kinds[i]).headroom_bytes;
        most.bytes = bytes > most.bytes ? bytes : most.bytes;
        most.sum_bytes += bytes * p->kinds[i].n_ports * p->kinds[i].n_classes;
    }
    return most;
}

/* Rates a size of the pool by the formulas that have the smallest and the largest need. */
static enum plan_word
rate(const struct plan_pool *pool, const struct plan_need_of_class *least)
{
    return pool->bytes < least->bytes               ? PLAN_BROKEN
           : pool->all_bytes < pool->need.sum_bytes ? PLAN_RISKY
                                                    : PLAN_ENOUGH;
}

bool
plan_find_pool(const struct plan *p, struct plan_pool *pool)
{
    uint64_t xoff = plan_need(p, plan_scheme_find("pfc-configured")).headroom_bytes;
    uint64_t n_ports = plan_n_ports(p), private_bytes = p->headroom_pool.private_port_bytes;
    struct plan_need_of_class least = { .bytes = UINT64_MAX };

    *pool = (struct plan_pool){ .all_bytes = plan_headroom_pool_bytes(p, xoff, n_ports) };
    if (!plan_shares_headroom(p) || !xoff) {
        return false;
    }
    pool->bytes = pool->all_bytes - (n_ports - 1) * private_bytes;
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        struct plan_need_of_class need = plan_largest_need(p, s);
        if (plan_is_relevant(p, s)) {
            least = need.bytes < least.bytes ? need : least;
            pool->need = need.bytes > pool->need.bytes ? need : pool->need;
        }
    }
    for (size_t i = 0; i < p->n_kinds; i++) {
        pool->n_classes += (uint64_t)p->kinds[i].n_ports * p->kinds[i].n_classes;
    }
    pool->n_at_once = pool->bytes / pool->need.bytes;
    pool->word = rate(pool, &least);
    return true;
}

enum plan_word
plan_pool_word(const struct plan *p)
{
    struct plan_pool pool;
    return plan_find_pool(p, &pool) ? pool.word : PLAN_ENOUGH;
}
