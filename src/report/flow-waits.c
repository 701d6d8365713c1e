/* Reads the waits of flows, and finds their root causes. */

#include "report/flow-waits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "weir/buffer.h"

const struct rep_wait_about rep_waits[REP_N_WAITS] = {
    [REP_WAIT_PAUSE] = { "pause", "pauses", offsetof(struct rec_wait, pause_ps) },
    [REP_WAIT_CREDIT] = { "credit", "missing credit", offsetof(struct rec_wait, credit_ps) },
    [REP_WAIT_RATE] = { "rate", "a rate that the next node asked for",
                        offsetof(struct rec_wait, rate_ps) },
    [REP_WAIT_CONTROL] = { "control", "its own sender's rate or window",
                           offsetof(struct rec_wait, control_ps) },
    [REP_WAIT_QUEUE] = { "queue", "packets before its own", offsetof(struct rec_wait, queue_ps) },
};

/* A flow is a victim if such pauses blocked it for at least this share of its time. */
#define LEAST_VICTIM 0.01

/* State while the tables are read. */
struct reading {
    struct rep_flow_waits *s;
    struct rec_rows ports;
    struct why_event *events;
    size_t n_events, max_events;
    uint32_t n_classes;
    weir_ps last_ps;
    size_t next_flow;  /* The next waiting flow to judge. */
    uint32_t *counted; /* [root]: 1 + the last flow that was counted as blocked by it. */
    struct rep_root_effect *faults; /* [root]. */
    uint32_t *path;
    size_t n_path, max_path;
    uint64_t n_nodes;
    struct place *places; /* [node]. */
    struct distance *at;  /* [number of links from the sender of a flow]. */
};

/* The distance of a node from the sender of the flow whose hops reached the node last. */
struct place {
    uint32_t flow, distance; /* 'flow' is 1 + its id. */
};

/* All hops of a flow at one distance from its sender: the number of packets, and their mean
 * waits. */
struct distance {
    uint64_t n_packets;
    double held_ps[REP_N_WAITS];
};

/* Reading pauses. */

static const struct {
    const char *name;
    enum why_kind kind;
} kinds[] = { { "pause", WHY_PAUSE },    { "resume", WHY_RESUME }, { "link-wait", WHY_PAUSE },
              { "link-go", WHY_RESUME }, { "blame", WHY_BLAME },   { "link-down", WHY_LINK_DOWN },
              { "link-up", WHY_LINK_UP } };

static void
see_class(struct reading *r, uint32_t cls)
{
    if (cls >= r->n_classes && cls < WEIR_MAX_CLASSES) {
        r->n_classes = cls + 1;
    }
}

/* The class in which blamed packets wait. */
static uint32_t
output_class(const struct rec_event *e)
{
    return e->text[0] ? (uint32_t)strtoul(e->text, NULL, 10) : e->cls;
}

static void
take_event(void *arg, const void *row)
{
    struct reading *r = arg;
    const struct rec_event *e = row;

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!strcmp(e->kind, kinds[i].name)) {
            bool is_link = kinds[i].kind == WHY_LINK_DOWN || kinds[i].kind == WHY_LINK_UP;
            uint32_t output_cls = output_class(e);
            see_class(r, e->cls);
            see_class(r, output_cls);
            r->last_ps = e->at_ps > r->last_ps ? e->at_ps : r->last_ps;
            ARRAY_PUSH(r->events, r->n_events, r->max_events) =
                (struct why_event){ .at_ps = e->at_ps,
                                    .port = e->port,
                                    .cls = is_link ? 0 : e->cls,
                                    .output = e->value < WHY_NONE ? (uint32_t)e->value : WHY_NONE,
                                    .output_cls = output_cls,
                                    .kind = kinds[i].kind };
        }
    }
}

/* Compares events by time. An expired pause is recorded when the next message arrives, so its end
 * may be recorded after later events. */
static int
by_time(const void *a, const void *b)
{
    const struct why_event *x = a, *y = b;
    return (x->at_ps > y->at_ps) - (x->at_ps < y->at_ps);
}

/* Merges a pause with an overlapping wait at the start of a link, because the port is shut until
 * both end. Keeps the first beginning and the last end. */
static void
merge_overlaps(struct reading *r)
{
    size_t n_slots = r->ports.n * r->n_classes, n = 0;
    uint32_t *depth = array_new(n_slots, sizeof *depth);

    for (size_t i = 0; i < r->n_events; i++) {
        const struct why_event e = r->events[i];
        size_t slot = (size_t)e.port * r->n_classes + e.cls;
        bool is_inner = false;
        bool is_of_gate = e.kind == WHY_PAUSE || e.kind == WHY_RESUME;
        if (is_of_gate && e.port < r->ports.n && e.cls < r->n_classes) {
            bool begins = e.kind == WHY_PAUSE;
            is_inner = depth[slot] > (begins ? 0 : 1);
            depth[slot] += begins ? 1 : depth[slot] ? -1u : 0;
        }
        if (!is_inner) {
            r->events[n++] = e;
        }
    }
    r->n_events = n;
    free(depth);
}

static void
follow_pauses(struct reading *r)
{
    uint32_t n_ports = (uint32_t)r->ports.n;
    uint32_t *peers = array_new(n_ports, sizeof *peers);

    for (uint32_t i = 0; i < n_ports; i++) {
        peers[i] = ((const struct rec_port *)rec_row(&r->ports, REC_PORT, i))->peer;
    }
    array_sort(r->events, r->n_events, sizeof *r->events, by_time);
    merge_overlaps(r);
    r->s->why = why_new(
        &(struct why_network){ .peers = peers, .n_ports = n_ports, .n_classes = r->n_classes },
        r->events, r->n_events, r->last_ps);
    free(peers);
}

/* Reading hops. */

static void
take_wait(void *arg, const void *row)
{
    struct reading *r = arg;
    const struct rec_wait *w = row;
    struct rep_hop hop = { .flow = w->flow,
                           .port = w->port,
                           .cls = w->cls,
                           .n_packets = w->n_packets,
                           .first_ps = w->first_ps,
                           .last_ps = w->last_ps };

    for (enum rep_wait what = 0; what < REP_N_WAITS; what++) {
        hop.held_ps[what] = (double)*(const weir_ps *)((const char *)row + rep_waits[what].offset);
    }
    see_class(r, w->cls);
    ARRAY_PUSH(r->s->hops, r->s->n_hops, r->s->max_hops) = hop;
}

static int
by_flow(const void *a, const void *b)
{
    const struct rep_hop *x = a, *y = b;
    return (x->flow > y->flow) - (x->flow < y->flow);
}

static int
by_arrival(const void *a, const void *b)
{
    const struct rep_hop *x = a, *y = b;
    return x->is_sender != y->is_sender ? y->is_sender - x->is_sender
                                        : (x->first_ps > y->first_ps) - (x->first_ps < y->first_ps);
}

static void
group_hops(struct rep_flow_waits *s)
{
    array_sort(s->hops, s->n_hops, sizeof *s->hops, by_flow);
    for (size_t i = 0; i < s->n_hops; i++) {
        if (!i || s->hops[i].flow != s->hops[i - 1].flow) {
            ARRAY_PUSH(s->flows, s->n_flows, s->max_flows) =
                (struct rep_blocked_flow){ .flow = s->hops[i].flow,
                                           .first_hop = i,
                                           .victim_of = WHY_NONE,
                                           .reason = { .port = REC_NO_ID, .root = WHY_NONE } };
        }
        s->flows[s->n_flows - 1].n_hops++;
    }
}

/* Judging a flow. */

/* Reads the path of a flow: the hops that its packets have reached, then the rest of its route. */
static void
read_path(struct reading *r, const struct rep_blocked_flow *f, const char *path)
{
    r->n_path = 0;
    for (size_t i = 0; i < f->n_hops; i++) {
        ARRAY_PUSH(r->path, r->n_path, r->max_path) = r->s->hops[f->first_hop + i].port;
    }
    while (*path) {
        char *end;
        unsigned long port = strtoul(path, &end, 10);
        if (end == path) {
            return;
        }
        ARRAY_PUSH(r->path, r->n_path, r->max_path) = port < REC_NO_ID ? (uint32_t)port : REC_NO_ID;
        path = end;
    }
}

static void
add_share(struct reading *r, struct rep_hop *hop, uint32_t root, double held_ps)
{
    struct rep_flow_waits *s = r->s;
    bool is_crossed = root == WHY_NONE || why_root_is_on(&s->why->roots[root], r->path, r->n_path);

    ARRAY_PUSH(s->shares, s->n_shares, s->max_shares) =
        (struct rep_share){ .root = root, .is_crossed = is_crossed, .held_ps = held_ps };
    hop->n_shares++;
}

static void
divide_pause(struct reading *r, struct rep_hop *hop)
{
    const struct why *w = r->s->why;
    struct why_shares roots = { 0 };
    double all_ps = 0, held_ps = hop->held_ps[REP_WAIT_PAUSE];

    hop->first_share = r->s->n_shares;
    if (held_ps > 0 && hop->port < r->ports.n && hop->cls < w->n_classes) {
        why_shares(w, why_slot(w, hop->port, hop->cls), hop->first_ps, hop->last_ps, &roots);
    }
    for (size_t i = 0; i < roots.n; i++) {
        all_ps += (double)roots.items[i].paused_ps;
    }
    for (size_t i = 0; i < roots.n; i++) {
        add_share(r, hop, roots.items[i].root,
                  held_ps * ((double)roots.items[i].paused_ps / all_ps));
    }
    if (held_ps > 0 && !roots.n) {
        add_share(r, hop, WHY_NONE, held_ps);
    }
    free(roots.items);
}

const struct rep_share *
rep_worst_share(const struct rep_flow_waits *s, const struct rep_hop *hop)
{
    const struct rep_share *worst = NULL;

    for (size_t i = 0; i < hop->n_shares; i++) {
        const struct rep_share *share = &s->shares[hop->first_share + i];
        worst = !worst || share->held_ps > worst->held_ps ? share : worst;
    }
    return worst;
}

/* The entry of a port's node; null: the file has no such port or node. */
static struct place *
place_of(const struct reading *r, uint32_t port)
{
    const struct rec_port *p = rec_row_at(&r->ports, REC_PORT, port);

    return p && p->node < r->n_nodes ? &r->places[p->node] : NULL;
}

static struct place *
place_after(const struct reading *r, uint32_t port)
{
    const struct rec_port *p = rec_row_at(&r->ports, REC_PORT, port);

    return p ? place_of(r, p->peer) : NULL;
}

/* Measures the distance of a hop from the sender. Hops are taken in the order of their first
 * packets, because a packet reaches a node only after it has left the previous one. */
static void
measure_distance(struct reading *r, struct rep_hop *hop)
{
    const struct place *here = place_of(r, hop->port);
    struct place *next = place_after(r, hop->port);
    bool is_reached = here && here->flow == hop->flow + 1;

    hop->distance = hop->is_sender ? 0 : is_reached ? here->distance : 1;
    r->at[hop->distance].n_packets += hop->n_packets;
    if (next && next->flow != hop->flow + 1) {
        *next = (struct place){ .flow = hop->flow + 1, .distance = hop->distance + 1 };
    }
}

static void
measure_distances(struct reading *r, struct rep_hop *hops, size_t n)
{
    memset(r->at, 0, (n + 2) * sizeof *r->at);
    for (size_t i = 0; i < n; i++) {
        measure_distance(r, &hops[i]);
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t all = r->at[hops[i].distance].n_packets;
        hops[i].part = hops[i].is_sender || !all ? 1 : (double)hops[i].n_packets / (double)all;
    }
}

/* Judges the waits at a hop. They are sums over packets, so they are divided by the number of
 * packets. Those at the sender are elapsed times, and stay as they are. */
static void
judge_hop(struct reading *r, struct rep_blocked_flow *f, struct rep_hop *hop)
{
    double per = hop->is_sender || !hop->n_packets ? 1 : (double)hop->n_packets;

    for (enum rep_wait what = 0; what < REP_N_WAITS; what++) {
        hop->held_ps[what] /= per;
        double held_ps = hop->held_ps[what] * hop->part;
        f->held_ps[what] += held_ps;
        f->total_ps += held_ps;
        f->sender_ps += hop->is_sender ? held_ps : 0;
        r->at[hop->distance].held_ps[what] += held_ps;
    }
    divide_pause(r, hop);
}

static struct rep_reason
reason_at(const struct reading *r, const struct rep_hop *hop, enum rep_wait what)
{
    return (struct rep_reason){ .what = what,
                                .port = hop->port,
                                .cls = hop->cls,
                                .held_ps = r->at[hop->distance].held_ps[what],
                                .root = what == REP_WAIT_PAUSE ? rep_worst_share(r->s, hop)->root
                                                               : WHY_NONE };
}

/* Finds the longest wait at one distance from the sender. Among the ports at this distance, it
 * chooses the one with the largest part of that wait. */
static void
find_reason(const struct reading *r, struct rep_blocked_flow *f, const struct rep_hop *hops)
{
    double worst_ps = 0, worst_part_ps = 0;

    for (size_t i = 0; i < f->n_hops; i++) {
        for (enum rep_wait what = 0; what < REP_N_WAITS; what++) {
            double all_ps = r->at[hops[i].distance].held_ps[what];
            double part_ps = hops[i].held_ps[what] * hops[i].part;
            if (part_ps > 0 &&
                (all_ps > worst_ps || (all_ps >= worst_ps && part_ps > worst_part_ps))) {
                worst_ps = all_ps;
                worst_part_ps = part_ps;
                f->reason = reason_at(r, &hops[i], what);
            }
        }
    }
}

static void
count_as_victim(struct rep_blocked_flow *f, const struct rep_share *share, double part,
                double *worst_ps)
{
    f->victim_ps += share->held_ps * part;
    if (share->held_ps * part > *worst_ps) {
        *worst_ps = share->held_ps * part;
        f->victim_of = share->root;
    }
}

/* Adds a share of a wait to its root. A flow counts once for each root, even if the root blocked it
 * at several hops. */
static void
count_share(struct reading *r, const struct rep_blocked_flow *f, const struct rep_share *share,
            double part)
{
    if (share->root == WHY_NONE) {
        return;
    }
    struct rep_root_effect *fault = &r->faults[share->root];
    fault->held_ps += share->held_ps * part;
    if (r->counted[share->root] != f->flow + 1) {
        r->counted[share->root] = f->flow + 1;
        fault->n_flows++;
        fault->n_victims += !share->is_crossed && f->victim_of != WHY_NONE;
    }
}

/* The time from a flow's first arrival at a hop to its last departure. */
static double
time_of(const struct rep_hop *hops, size_t n)
{
    weir_ps first_ps = WEIR_LATE, last_ps = 0;

    for (size_t i = 0; i < n; i++) {
        first_ps = hops[i].first_ps < first_ps ? hops[i].first_ps : first_ps;
        last_ps = hops[i].last_ps > last_ps ? hops[i].last_ps : last_ps;
    }
    return last_ps > first_ps ? (double)(last_ps - first_ps) : 0;
}

static void
judge_shares(struct reading *r, struct rep_blocked_flow *f)
{
    const struct rep_flow_waits *s = r->s;
    const struct rep_hop *hops = &s->hops[f->first_hop], *end = hops + f->n_hops;
    double worst_ps = 0;

    for (const struct rep_hop *hop = hops; hop < end; hop++) {
        for (size_t i = hop->first_share; i < hop->first_share + hop->n_shares; i++) {
            if (!s->shares[i].is_crossed) {
                count_as_victim(f, &s->shares[i], hop->part, &worst_ps);
            }
        }
    }
    if (f->victim_ps < LEAST_VICTIM * time_of(hops, f->n_hops)) {
        f->victim_of = WHY_NONE;
    }
    for (const struct rep_hop *hop = hops; hop < end; hop++) {
        for (size_t i = hop->first_share; i < hop->first_share + hop->n_shares; i++) {
            count_share(r, f, &s->shares[i], hop->part);
        }
    }
}

static void
judge(struct reading *r, struct rep_blocked_flow *f, const struct rec_flow *row)
{
    struct rep_flow_waits *s = r->s;
    struct rep_hop *hops = &s->hops[f->first_hop];

    read_path(r, f, row->path);
    for (size_t i = 0; i < f->n_hops; i++) {
        const struct rec_port *port = rec_row_at(&r->ports, REC_PORT, hops[i].port);
        hops[i].is_sender = port && port->node == row->from;
    }
    array_sort(hops, f->n_hops, sizeof *hops, by_arrival);
    measure_distances(r, hops, f->n_hops);
    for (size_t i = 0; i < f->n_hops; i++) {
        judge_hop(r, f, &hops[i]);
    }
    find_reason(r, f, hops);
    judge_shares(r, f);
    s->n_waited += f->total_ps > 0;
    s->n_victims += f->victim_of != WHY_NONE;
}

/* Judges the next flow. Both flows and flows that waited are in the order of their ids. */
static void
take_flow(void *arg, const void *row)
{
    struct reading *r = arg;
    const struct rec_flow *flow = row;
    struct rep_flow_waits *s = r->s;

    while (r->next_flow < s->n_flows && s->flows[r->next_flow].flow < flow->id) {
        r->next_flow++;
    }
    if (r->next_flow < s->n_flows && s->flows[r->next_flow].flow == flow->id) {
        judge(r, &s->flows[r->next_flow++], flow);
    }
}

/* Sorting, the worst first. */

static int
by_wait(const void *a, const void *b)
{
    const struct rep_blocked_flow *x = *(const struct rep_blocked_flow *const *)a,
                                  *y = *(const struct rep_blocked_flow *const *)b;
    return (x->total_ps < y->total_ps) - (x->total_ps > y->total_ps);
}

static int
by_fault(const void *a, const void *b)
{
    const struct rep_root_effect *x = a, *y = b;
    return (x->held_ps < y->held_ps) - (x->held_ps > y->held_ps);
}

static bool
are_chains_followed(const struct rep_flow_waits *s)
{
    bool are_followed = !s->why->is_cut;

    for (size_t i = 0; i < s->n_hops; i++) {
        const double *held_ps = s->hops[i].held_ps;
        are_followed &= held_ps[REP_WAIT_CREDIT] <= 0 && held_ps[REP_WAIT_RATE] <= 0;
    }
    return are_followed;
}

static void
put_in_order(struct reading *r)
{
    struct rep_flow_waits *s = r->s;

    s->worst = array_new(s->n_flows, sizeof *s->worst);
    for (size_t i = 0; i < s->n_flows; i++) {
        s->worst[i] = &s->flows[i];
    }
    array_sort(s->worst, s->n_flows, sizeof *s->worst, by_wait);
    s->faults = array_new(s->why->n_roots, sizeof *s->faults);
    for (size_t i = 0; i < s->why->n_roots; i++) {
        if (r->faults[i].n_flows) {
            s->faults[s->n_faults] = r->faults[i];
            s->faults[s->n_faults++].root = (uint32_t)i;
        }
    }
    array_sort(s->faults, s->n_faults, sizeof *s->faults, by_fault);
}

static bool
judge_all(struct reading *r, struct rec_file *file, uint64_t run, struct err *err)
{
    follow_pauses(r);
    group_hops(r->s);
    r->counted = array_new(r->s->why->n_roots, sizeof *r->counted);
    r->faults = array_new(r->s->why->n_roots, sizeof *r->faults);
    r->places = array_new(r->n_nodes, sizeof *r->places);
    r->at = array_new(r->s->n_hops + 2, sizeof *r->at);
    bool good = rec_read_each(file, REC_FLOW, run, NULL, take_flow, r, err);
    r->s->knows_victims = are_chains_followed(r->s);
    put_in_order(r);
    return good;
}

static bool
read_all(struct reading *r, struct rec_file *file, uint64_t run, struct err *err)
{
    return rec_read_all(file, REC_PORT, run, &r->ports, err) &&
           rec_read_each(file, REC_EVENT, run, NULL, take_event, r, err) &&
           rec_read_each(file, REC_WAIT, run, NULL, take_wait, r, err) &&
           rec_read_count(file, REC_NODE, run, &r->n_nodes, err) && judge_all(r, file, run, err);
}

bool
rep_flow_waits_read(struct rep_flow_waits *s, struct rec_file *file, const struct rec_run *run,
                    struct err *err)
{
    struct reading r = { .s = s, .n_classes = 1, .last_ps = run->facts.until_ps };
    uint64_t n_waits = 0;

    *s = (struct rep_flow_waits){ 0 };
    bool good = rec_read_count(file, REC_WAIT, run->id, &n_waits, err) &&
                (!n_waits || read_all(&r, file, run->id, err));
    s->is_recorded = good && n_waits;
    rec_rows_free(&r.ports, REC_PORT);
    free(r.events);
    free(r.counted);
    free(r.faults);
    free(r.path);
    free(r.places);
    free(r.at);
    if (!good) {
        rep_flow_waits_free(s);
    }
    return good;
}

void
rep_flow_waits_free(struct rep_flow_waits *s)
{
    if (s->why) {
        why_free(s->why);
    }
    free(s->hops);
    free(s->shares);
    free(s->flows);
    free(s->worst);
    free(s->faults);
    *s = (struct rep_flow_waits){ 0 };
}

const struct rep_blocked_flow *
rep_blocked_flow_of(const struct rep_flow_waits *s, uint64_t flow)
{
    size_t low = 0;

    ARRAY_SEARCH(low, s->n_flows, s->flows[middle].flow < flow);
    return low < s->n_flows && s->flows[low].flow == flow ? &s->flows[low] : NULL;
}
