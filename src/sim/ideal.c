/* The minimum time that a flow takes alone, store and forward, if only links and pipelines delay
 * it.
 *
 * On one path, the last packet starts onto a link when it has arrived there, or when the full
 * packets before it have passed.  The slowest link so far decides when these packets have passed.
 * A pipeline accepts packets one by one, as a link does, but several packets can be inside it at
 * once.
 *
 * Over several paths, packets need to wait for each other only where all paths meet.  The result is
 * the maximum of these lower bounds (doc/decisions/0031-ideal-times-over-paths.md):
 *
 *   - as far as all packets take the same path, they stay in order: the time on one path, and from
 *     there on the time of the fastest path;
 *   - the links of one level together carry each full packet once.  The first packet arrives there
 *     on the fastest path, and the last one continues on the fastest path.  The same holds for the
 *     pipelines of one level. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/flow-ends.h"
#include "sim/path-dag.h"

struct path_times {           /* The times of packets at a stop. */
    weir_ps there_ps;         /* The minimum time of a full packet from the sender to here. */
    weir_ps full_ps, last_ps; /* The minimum times of a full and of the last packet from here to the
                               * receiver. */
};

struct alone {
    const struct sim_path_dag *dag;
    struct path_times *times;                /* [stop]. */
    weir_ps *each_ps;                        /* Working memory for the times of all hops or
                                              * stops. */
    uint64_t n_full, full_bytes, last_bytes; /* The number of packets before the last one; sizes
                                              * with gaps. */
    uint64_t n_whole;                        /* The number of full packets, with the last one if it
                                              * is full. */
};

/* The time of n packets; WEIR_NEVER if it does not fit, because a terabyte on a slow link takes
 * years. */
static weir_ps
of_many(uint64_t n, weir_ps packet_ps)
{
    weir_ps all_ps;

    return __builtin_mul_overflow(n, packet_ps, &all_ps) ? WEIR_NEVER : all_ps;
}

static weir_ps
full_on(const struct alone *a, const struct sim_hop *hop)
{
    return weir_wire_ps(a->full_bytes, hop->link->rate_bps);
}

static weir_ps
last_on(const struct alone *a, const struct sim_hop *hop)
{
    return weir_wire_ps(a->last_bytes, hop->link->rate_bps);
}

/* The delay of a hop: through the node that it leaves, and along its link. */
static weir_ps
delay_on(const struct alone *a, const struct sim_hop *hop)
{
    return a->dag->stops[hop->from].inside_ps + hop->link->delay_ps;
}

static bool
lower(weir_ps *ps, weir_ps from_ps, weir_ps wire_ps, weir_ps delay_ps)
{
    weir_ps sum = weir_after(weir_after(from_ps, wire_ps), delay_ps);
    bool is_less = sum < *ps;

    *ps = is_less ? sum : *ps;
    return is_less;
}

/* Lowers the times of the two stops of a hop by each other.  Returns true if a time became
 * shorter. */
static bool
lower_both(struct alone *a, const struct sim_hop *hop)
{
    struct path_times *from = &a->times[hop->from], *to = &a->times[hop->to];
    weir_ps full = full_on(a, hop), last = last_on(a, hop), delay = delay_on(a, hop);
    bool is_nearer = lower(&to->there_ps, from->there_ps, full, delay);

    is_nearer |= lower(&from->full_ps, to->full_ps, full, delay);
    return lower(&from->last_ps, to->last_ps, last, delay) || is_nearer;
}

/* Repeats passes over all hops until nothing changes.  One pass forward and one back are enough,
 * unless paths to a switch have different numbers of links. */
static void
set_times(struct alone *a)
{
    const struct sim_path_dag *dag = a->dag;
    const struct topo_node *nodes = dag->sim->model.topo->nodes;
    bool is_nearer = true;

    for (size_t i = 0; i < dag->n_stops; i++) {
        bool is_end = i && nodes[dag->stops[i].node].kind == TOPO_NIC;
        weir_ps left_ps = is_end ? 0 : WEIR_NEVER;
        a->times[i] = (struct path_times){ i ? WEIR_NEVER : 0, left_ps, left_ps };
    }
    while (is_nearer) {
        is_nearer = false;
        for (size_t i = 0; i < dag->n_hops; i++) {
            is_nearer |= lower_both(a, &dag->hops[i]);
        }
        for (size_t i = dag->n_hops; i-- > 0;) {
            is_nearer |= lower_both(a, &dag->hops[i]);
        }
    }
}

/* The number of packets that links with these times per packet carry in a given time. */
static uint64_t
carried_in(const weir_ps *each_ps, size_t n, weir_ps ps)
{
    uint64_t n_carried = 0;

    for (size_t i = 0; i < n; i++) {
        n_carried += (uint64_t)(ps / each_ps[i]);
    }
    return n_carried;
}

/* The minimum time in which these links together carry 'n_packets' packets. */
static weir_ps
carry_all_ps(uint64_t n_packets, const weir_ps *each_ps, size_t n)
{
    weir_ps least = WEIR_NEVER, most = 0;

    for (size_t i = 0; i < n; i++) {
        least = each_ps[i] < least ? each_ps[i] : least;
        most = each_ps[i] > most ? each_ps[i] : most;
    }
    if (least == most) {
        return of_many((n_packets + n - 1) / n, least);
    }
    weir_ps low = 0, high = of_many(n_packets, least); /* 'low' is too short, 'high' is long
                                                        * enough. */
    while (high - low > 1) {
        weir_ps middle = low + (high - low) / 2;
        bool is_enough = carried_in(each_ps, n, middle) >= n_packets;
        low = is_enough ? low : middle;
        high = is_enough ? middle : high;
    }
    return high;
}

/* The time that the links of a level together need for the full packets. */
static weir_ps
level_ps(struct alone *a, const struct sim_hop *hops, size_t n)
{
    weir_ps before = WEIR_NEVER, after = WEIR_NEVER;

    for (size_t i = 0; i < n; i++) {
        a->each_ps[i] = full_on(a, &hops[i]);
        lower(&before, a->times[hops[i].from].there_ps, a->dag->stops[hops[i].from].inside_ps, 0);
        lower(&after, a->times[hops[i].to].full_ps, 0, hops[i].link->delay_ps);
    }
    return weir_after(weir_after(before, carry_all_ps(a->n_whole, a->each_ps, n)), after);
}

/* The time of the pipelines before the links of a level; each pipeline accepts its first packet at
 * once. */
static weir_ps
pipelines_ps(struct alone *a, const struct sim_hop *hops, size_t n_hops)
{
    weir_ps before = WEIR_NEVER, after = WEIR_NEVER;
    size_t n = 0;

    for (uint32_t at = hops[0].from; at <= hops[n_hops - 1].from; at++, n++) {
        a->each_ps[n] = a->dag->stops[at].period_ps;
        lower(&before, a->times[at].there_ps, 0, 0);
        lower(&after, a->times[at].full_ps, 0, 0);
        if (!a->each_ps[n]) {
            return 0; /* This stop has no pipeline, and all packets may pass it. */
        }
    }
    uint64_t n_later = a->n_whole > n ? a->n_whole - n : 0;
    return weir_after(weir_after(before, carry_all_ps(n_later, a->each_ps, n)), after);
}

/* The time at which the last packet has passed a link that all packets pass in order.  It follows
 * the last full packet; full packets arrive at the pace of the slowest link so far. */
static weir_ps
in_order_ps(const struct alone *a, const struct sim_hop *hop, weir_ps slowest_ps)
{
    weir_ps there = weir_after(a->times[hop->from].there_ps, a->dag->stops[hop->from].inside_ps);
    weir_ps first = weir_after(there, full_on(a, hop));
    weir_ps passed = weir_after(first, of_many(a->n_full - 1, slowest_ps));

    return weir_after(weir_after(passed, last_on(a, hop)),
                      weir_after(hop->link->delay_ps, a->times[hop->to].last_ps));
}

/* The time at which the last packet has passed a pipeline that all packets pass in order: it enters
 * after the last full packet. */
static weir_ps
let_in_order_ps(const struct alone *a, uint32_t at, weir_ps slowest_ps)
{
    weir_ps full = weir_after(a->times[at].there_ps, of_many(a->n_full - 1, slowest_ps));

    return weir_after(weir_after(full, a->dag->stops[at].period_ps), a->times[at].last_ps);
}

static size_t
count_level(const struct sim_path_dag *dag, size_t first)
{
    uint32_t level = dag->stops[dag->hops[first].from].level;
    size_t n = 0;

    while (first + n < dag->n_hops && dag->stops[dag->hops[first + n].from].level == level) {
        n++;
    }
    return n;
}

static weir_ps
most_of(weir_ps a, weir_ps b)
{
    return a > b ? a : b;
}

static weir_ps
least_ps(struct alone *a)
{
    const struct sim_path_dag *dag = a->dag;
    weir_ps most = a->times[0].last_ps, slowest = 0;
    bool is_in_order = true;

    for (size_t i = 0, n; i < dag->n_hops && a->n_full; i += n) {
        const struct sim_hop *hops = &dag->hops[i];
        n = count_level(dag, i);
        slowest = most_of(slowest, dag->stops[hops->from].period_ps);
        if (is_in_order && dag->stops[hops->from].period_ps) {
            most = most_of(most, let_in_order_ps(a, hops->from, slowest));
        }
        is_in_order &= n == 1;
        slowest = most_of(slowest, full_on(a, hops));
        if (is_in_order) {
            most = most_of(most, in_order_ps(a, hops, slowest));
        }
        if (is_in_order || dag->is_even) {
            most = most_of(most, most_of(level_ps(a, hops, n), pipelines_ps(a, hops, n)));
        }
    }
    return most;
}

weir_ps
sim_flow_ideal_ps(const struct sim *sim, uint32_t flow)
{
    return sim->flows.ideal_ps ? sim->flows.ideal_ps[flow] : sim_flow_ideal_now_ps(sim, flow);
}

/* The time of some packets, the last of which has another size; sizes are without gaps. */
static weir_ps
packets_ps(const struct sim *sim, uint32_t flow, uint64_t n_packets, uint32_t last_bytes)
{
    struct sim_path_dag dag;

    sim_path_dag_open(&dag, sim, flow);
    struct alone a = { .dag = &dag,
                       .times = array_new(dag.n_stops, sizeof *a.times),
                       .each_ps = array_new(dag.n_hops, sizeof *a.each_ps),
                       .n_full = n_packets - 1,
                       .full_bytes = sim->model.mtu_bytes + sim->model.gap_bytes,
                       .last_bytes = last_bytes + sim->model.gap_bytes };
    a.n_whole = a.n_full + (a.last_bytes == a.full_bytes);
    set_times(&a);
    weir_ps ps = dag.arrives ? least_ps(&a) : -1;
    free(a.times);
    free(a.each_ps);
    sim_path_dag_close(&dag);
    return ps;
}

weir_ps
sim_flow_ideal_now_ps(const struct sim *sim, uint32_t flow)
{
    return packets_ps(sim, flow, sim_flow_n_planned(sim, flow), sim_flow_last_bytes(sim, flow));
}

weir_ps
sim_flow_message_ps(const struct sim *sim, uint32_t flow, uint64_t bytes)
{
    uint64_t mtu = sim->model.mtu_bytes, n = bytes ? (bytes + mtu - 1) / mtu : 1;
    uint64_t last = bytes - (n - 1) * mtu;

    return packets_ps(sim, flow, n, (uint32_t)(last ? last : 1));
}
