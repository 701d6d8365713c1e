/* Hierarchical: one algorithm inside the servers, and one on the rails, which connect the members
 * with the same index in their servers.
 *
 *     server 0    0 1 2 3      all-reduce: reduce-scatter inside, all-reduce on the rails,
 *                 | | | |                  all-gather inside
 *     server 1    4 5 6 7      reduce-scatter, all-to-all, barrier: inside, then on the rails
 *                 | | | |      all-gather: on the rails, then inside
 *     server 2    8 9 ...      broadcast: on the rail of the root, then inside
 *
 * A server has g members, and there are n / g servers.  A channel enters a phase when its messages
 * of the phase before have ended.  The member with index l in server s has share l n / g + s, so
 * that the shares of a rail are in a row.  In an all-to-all, each member first gets all that its
 * server sends to its rail.  The messages on the rails then carry the shares of all g members of a
 * server for one member.
 *
 * Time on an empty network: the sum of the times of the phases, each on its own group.  All-reduce
 * with rings takes 2 (g - 1) D(S / g) + 2 (n / g - 1) D(S / n).
 *
 * Bytes: all members together send as many as in a ring, but (2 n - n / g - g) S in an
 * all-to-all. */

#include <inttypes.h>

#include "graph/collective.h"

/* The phases of each operation. */
struct phase {
    bool is_inside;
    enum coll_op op;
};

#define INSIDE(OP)                                                                                 \
    {                                                                                              \
        true, OP                                                                                   \
    }
#define RAILS(OP)                                                                                  \
    {                                                                                              \
        false, OP                                                                                  \
    }

static const struct {
    uint32_t n;
    struct phase at[3];
} phases[COLL_N_OPS] = {
    [COLL_ALL_REDUCE] = { 3,
                          { INSIDE(COLL_REDUCE_SCATTER), RAILS(COLL_ALL_REDUCE),
                            INSIDE(COLL_ALL_GATHER) } },
    [COLL_ALL_GATHER] = { 2, { RAILS(COLL_ALL_GATHER), INSIDE(COLL_ALL_GATHER) } },
    [COLL_REDUCE_SCATTER] = { 2, { INSIDE(COLL_REDUCE_SCATTER), RAILS(COLL_REDUCE_SCATTER) } },
    [COLL_ALL_TO_ALL] = { 2, { INSIDE(COLL_ALL_TO_ALL), RAILS(COLL_ALL_TO_ALL) } },
    [COLL_BROADCAST] = { 2, { RAILS(COLL_BROADCAST), INSIDE(COLL_BROADCAST) } },
    [COLL_BARRIER] = { 2, { INSIDE(COLL_BARRIER), RAILS(COLL_BARRIER) } },
};

static uint32_t
n_phases(enum coll_op op)
{
    return phases[op].n;
}

static const struct coll_algorithm *
algorithm_of(const struct coll_params *p, struct phase phase)
{
    uint64_t number = phase.is_inside ? p->levels.inside : p->levels.rails;
    const struct coll_algorithm *ring = coll_algorithm_find("ring");

    if (number == WEIR_AUTO) {
        return ring->ops >> phase.op & 1 ? ring : coll_algorithm_find("direct");
    }
    return coll_algorithm_at(number);
}

static bool
check_phase(const struct coll_params *p, struct phase phase, struct err *err)
{
    const struct coll_algorithm *algorithm = algorithm_of(p, phase);
    const char *where = phase.is_inside ? "inside" : "rails";

    if (algorithm->enter) {
        return err_set(err, "%s: %s is itself hierarchical; give another algorithm", where,
                       algorithm->about.name);
    }
    if (!(algorithm->ops >> phase.op & 1)) {
        return err_set(err, "%s: algorithm %s has no %s, which hierarchical %s needs", where,
                       algorithm->about.name, coll_op_names[phase.op], coll_op_names[p->op]);
    }
    return true;
}

static bool
check(const struct coll_params *p, struct err *err)
{
    uint64_t server = p->levels.server;

    if (!server || p->n % server) {
        return err_set(err,
                       "servers of %" PRIu64 " members: a group of %" PRIu32
                       " members consists of whole servers; give a divisor of %" PRIu32,
                       server, p->n, p->n);
    }
    for (uint32_t i = 0; i < n_phases(p->op); i++) {
        if (!check_phase(p, phases[p->op].at[i], err)) {
            return false;
        }
    }
    return true;
}

/* On the rails, a member works on the shares of its rail; all-reduce may cut them anew. */
static void
take_shares_of_rail(struct coll_view *v, uint32_t local, uint32_t n_servers)
{
    v->cell = local * n_servers;
    v->shares = n_servers;
    if (v->op == COLL_ALL_REDUCE) {
        uint64_t first = coll_share_at(v, 0);
        v->bytes = coll_share_at(v, n_servers) - first;
        v->first += first;
        coll_recut(v);
    }
}

/* Inside a server, a share consists of the shares of a rail. */
static void
take_shares(const struct coll_params *p, bool is_inside, uint32_t local, struct coll_view *v)
{
    uint32_t server = (uint32_t)p->levels.server, n_servers = p->n / server;

    if (p->op == COLL_BROADCAST || p->op == COLL_BARRIER) {
        coll_recut(v);
    } else if (is_inside) {
        v->width = n_servers;
        v->shares = server;
    } else {
        take_shares_of_rail(v, local, n_servers);
        v->copies = p->op == COLL_ALL_TO_ALL ? server : 1;
    }
}

static void
enter(const struct coll_params *p, uint32_t i, struct coll_view *v)
{
    const struct phase phase = phases[p->op].at[i];
    uint32_t server = (uint32_t)p->levels.server, local = v->me % server, number = v->me / server;

    v->algorithm = algorithm_of(p, phase);
    v->op = phase.op;
    v->n = phase.is_inside ? server : p->n / server;
    v->peer = phase.is_inside ? number * server : local;
    v->stride = phase.is_inside ? 1 : server;
    v->me = phase.is_inside ? local : number;
    v->root = phase.is_inside ? p->root % server : p->root / server;
    take_shares(p, phase.is_inside, local, v);
    if (p->op == COLL_BROADCAST && !phase.is_inside && local != p->root % server) {
        v->n = 1; /* This member waits for its server. */
        v->me = v->root = 0;
    }
}

static uint32_t
shares(enum coll_op op, uint32_t n)
{
    return op == COLL_BROADCAST ? 1 : n;
}

#define FIELD(MEMBER, NAME, KIND, ...)                                                             \
    WEIR_FIELD(struct coll_levels, MEMBER, NAME, KIND, __VA_ARGS__, .source = "-")

static const struct weir_field fields[] = {
    FIELD(server, "server", WEIR_COUNT, .fallback = 8, .min = 1, .max = COLL_MAX_MEMBERS,
          .help = "Members of a server, which follow each other in the group."),
    FIELD(inside, "inside", WEIR_CHOICE, .registry = &coll_algorithms, .fallback = WEIR_AUTO,
          .derived = "ring, or direct if ring lacks the operation",
          .help = "Algorithm inside the servers."),
    FIELD(rails, "rails", WEIR_CHOICE, .registry = &coll_algorithms, .fallback = WEIR_AUTO,
          .derived = "ring, or direct if ring lacks the operation",
          .help = "Algorithm on the rails, which connect members of different servers."),
    { 0 },
};

const struct coll_algorithm coll_hierarchical = {
    .about = { .name = "hierarchical",
               .title = "One algorithm inside the servers, and one on the rails between them",
               .source = "Cho et al. 2019, BlueConnect",
               .params = fields,
               .params_bytes = sizeof(struct coll_levels) },
    .ops = 1 << COLL_ALL_REDUCE | 1 << COLL_ALL_GATHER | 1 << COLL_REDUCE_SCATTER |
           1 << COLL_ALL_TO_ALL | 1 << COLL_BROADCAST | 1 << COLL_BARRIER,
    .shares = shares,
    .check = check,
    .n_phases = n_phases,
    .enter = enter,
};
