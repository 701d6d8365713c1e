/* Searches for the worst case of a plan by simulation.
 *
 *        H1 ===== line rate =====>  S1  ------ blocked ------>  H3
 *           <-- feedback, behind
 *               packets of H2 ----
 *
 * H1 sends as much as it may to an output that sends nothing, so all of it stays in the queue of
 * S1.  Feedback to H1 waits behind packets of H2, whose class has no flow control and causes no
 * feedback.  With TTL classes, packets of H1 are in the next class at S1.  If ports of the switch
 * differ, S1 also has a port of every other kind, with a silent host.  Parameters that engines
 * derive for a node with several speeds must suit each of them.
 *
 * An adversary chooses when H2 starts, so that feedback must wait for a packet that has just
 * started.  It chooses the size of the packet after the one that crosses the threshold, so that
 * another packet has just started when a pause takes effect.  Where messages are periodic, it also
 * chooses when H1 starts between two of them.  It looks for the peak queue in a buffer that never
 * overflows: on a grid first, then by hill climbing with ever smaller steps.
 *
 * For a switch's configuration, the threshold is the one that applies when all queues are long,
 * since it is lowest then; headroom begins there.
 *
 * The scheme needs the smallest space in which this queue fits.  Then two runs check the limit:
 * with the buffer of the plan, nothing may be lost; with one byte less than needed, something must
 * be. */

#include "run/verify.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "simple-net/simple-net.h"

enum { THRESHOLD_PACKETS = 4, MIN_PACKET_BYTES = 64, BLOCK_BYTES = 64, VAST_BYTES = 1000000000 };
enum {
    /* The maximum number of packets up to the threshold: the start of the pause does not change the
     * packets after it. */
    MOST_PACKETS = 64
};
enum {
    MAX_IN_FLIGHT = 10000
}; /* The maximum number of packets in a tau: more take minutes to simulate. */

/* The adversary's choices. */
enum choice {
    ODD_BYTES, /* The size of the packet after the one that crosses the threshold. */
    EARLY_PS,  /* How long before the crossing a packet of H2 starts. */
    PHASE_PS,  /* How long after a message H1 starts. */
    N_CHOICES
};

/* The network for one kind of link, built once. */
struct bench {
    struct topo topo;
    struct weir_link link;
    weir_ps period_ps;
    bool sets_period;       /* Engines get 'period_ps' as a parameter, and need not derive it. */
    uint64_t trigger_bytes; /* The threshold of the switch, if it is configured; else 0. */
    struct plan_profile profile;
    uint32_t port; /* The port of S1 towards H1. */
    uint64_t n_runs;
    bool has_failed; /* The simulator refused, for the reason in 'err'. */
    struct err *err;
};

struct trial;

struct proof_scheme {
    const char *key, *of, *engine;
    void (*set)(struct weir_stack *, const struct trial *, uint64_t top_bytes);
    const char *threshold;
    uint64_t past_bytes; /* How far the threshold is past the end of a packet. */
    bool is_bound;       /* The bound is tried as it is, without additional whole packets. */
    bool has_period, is_credit;
    enum responses {
        AS_PLANNED, /* Peers respond as the plan assumes. */
        /* Peers respond as the plan says; not tried unless the plan gives their response. */
        IF_KNOWN,
        /* Peers respond as slowly as 802.3 allows; not tried if the plan gives their response. */
        SLOWEST,
        AT_SLOWEST /* Peers respond as slowly as 802.3 allows, whatever the plan gives. */
    } responses;
    bool moves;      /* Packets arrive in the class after the one in which they were sent. */
    uint64_t n_taus; /* The time for which the queue may still grow, in taus. */
};

struct adversary {
    uint64_t of[N_CHOICES];
};

struct search {
    struct adversary best;
    uint64_t give;
    int64_t excess; /* The number of bytes by which the peak queue exceeded 'give'. */
    bool is_over;   /* The search stops at the first queue that exceeds 'give'. */
};

struct trial {
    struct bench *bench;
    const struct proof_scheme *scheme;
    uint64_t plan_bytes; /* Bytes that the plan gives. */
    /* 'worst' is known. With a pause, the peak queue does not depend on the space, so one search is
     * enough. */
    bool is_searched;
    struct search worst; /* The worst case that this search found. */
};

static uint64_t threshold_of(const struct trial *);

/* Parameters of engines. */

static void
set_pause(struct weir_stack *stack, const struct trial *t, uint64_t top_bytes)
{
    uint64_t threshold = threshold_of(t);

    (void)top_bytes;
    plan_set_bytes(stack, t->scheme->threshold, threshold);
    plan_set_bytes(stack, "xon", threshold - 2 * (uint64_t)t->bench->link.mtu_bytes);
}

/* SONiC resumes at the larger of xon and the threshold less xon_offset. */
static void
set_configured(struct weir_stack *stack, const struct trial *t, uint64_t top_bytes)
{
    const struct plan_profile *f = &t->bench->profile;
    uint64_t threshold = threshold_of(t), highest = threshold - t->bench->link.mtu_bytes;
    uint64_t offset = f->xon_offset_bytes < threshold ? f->xon_offset_bytes : threshold;
    uint64_t xon = f->xon_bytes > threshold - offset ? f->xon_bytes : threshold - offset;

    (void)top_bytes;
    plan_set_bytes(stack, "xoff", threshold);
    plan_set_bytes(stack, "xon", xon < highest ? xon : highest);
}

/* GFC's parameter Bm is two packets below the top, as engines set it by default. */
static void
set_rate(struct weir_stack *stack, const struct trial *t, uint64_t top_bytes)
{
    plan_set_bytes(stack, t->scheme->threshold, threshold_of(t));
    plan_set_bytes(stack, "bm", top_bytes - 2 * (uint64_t)t->bench->link.mtu_bytes);
}

static void
set_credit(struct weir_stack *stack, const struct trial *t, uint64_t top_bytes)
{
    (void)top_bytes;
    plan_set_bytes(stack, t->scheme->threshold, threshold_of(t));
}

#define CONFIGURED(OF, RESPONSES)                                                                  \
    {                                                                                              \
        "pfc-configured", OF, "pfc", set_configured, "xoff", .past_bytes = 1,                      \
                                                             .responses = RESPONSES, .n_taus = 4   \
    }

/* The schemes that can be verified. A new engine is one more line, if it has only a threshold and a
 * top. */
static const struct proof_scheme proof_schemes[] = {
    { "pfc", "above the queue at XOFF", "pfc", set_pause, "xoff", .is_bound = true, .n_taus = 4 },
    { "pfc", "above XOFF", "pfc", set_pause, "xoff", .past_bytes = 1, .n_taus = 4 },
    { "pfc-802.1q", "above XOFF, slow peers", "pfc", set_pause, "xoff", .past_bytes = 1,
      .responses = AT_SLOWEST, .n_taus = 4 },
    CONFIGURED("above XOFF", IF_KNOWN),
    CONFIGURED("above XOFF, slow peers", SLOWEST),
    { "cbfc", "behind the window", "cbfc", set_credit, "window", .has_period = true,
      .is_credit = true, .n_taus = 4 },
    { "ttl", "above XOFF", "ttl", set_pause, "xoff", .past_bytes = 1, .moves = true, .n_taus = 4 },
    { "gfc-buffer", "above B1", "gfc-buffer", set_rate, "b1", .past_bytes = 1, .n_taus = 20 },
    { "gfc-time", "above B0", "gfc-time", set_rate, "b0", .past_bytes = 1, .has_period = true,
      .n_taus = 20 },
    { "gfc-conceptual", "above B0", "gfc-conceptual", set_rate, "b0", .past_bytes = 1,
      .n_taus = 20 },
    { 0 },
};

/* A single run. */

/* The threshold of the scheme. It lies just past a number of whole packets, so that one more packet
 * crosses it. */
static uint64_t
threshold_of(const struct trial *t)
{
    uint64_t mtu = t->bench->link.mtu_bytes, n_packets = t->bench->trigger_bytes / mtu;
    n_packets = t->scheme->set != set_configured || n_packets < THRESHOLD_PACKETS
                    ? THRESHOLD_PACKETS
                    : n_packets;
    uint64_t packets = mtu * (n_packets < MOST_PACKETS ? n_packets : MOST_PACKETS);
    return t->scheme->is_credit ? t->plan_bytes : packets + t->scheme->past_bytes;
}

/* The number of bytes that H1 sends up to the packet that crosses the threshold. The packet of
 * special size follows. */
static uint64_t
lead_of(const struct trial *t)
{
    uint64_t mtu = t->bench->link.mtu_bytes;
    return t->scheme->is_credit ? t->plan_bytes : (threshold_of(t) + mtu - 1) / mtu * mtu;
}

/* The size of the buffer that gives the scheme this much space. */
static uint64_t
room_of(const struct trial *t, uint64_t give)
{
    return t->scheme->is_credit ? give : threshold_of(t) + give;
}

/* The size of packets. They consist of whole blocks, so that they waste no credit. */
static uint32_t
packet_bytes(const struct trial *t)
{
    uint32_t mtu = t->bench->link.mtu_bytes;
    return t->scheme->is_credit ? mtu / BLOCK_BYTES * BLOCK_BYTES : mtu;
}

static struct weir_stack
stack_of(const struct trial *t, uint64_t give)
{
    struct weir_stack stack = { 0 };

    weir_stack_add(&stack, weir_engine_find(t->scheme->engine));
    t->scheme->set(&stack, t, room_of(t, give));
    if (t->scheme->has_period && t->bench->sets_period) {
        struct weir_text period = { 0 }, why = { 0 };
        weir_text_add(&period, "%T", t->bench->period_ps);
        weir_stack_set(&stack, 0, "period", period.s, &why);
    }
    return stack;
}

enum { S1, H1, H2, H3, N_FLOWS = 3, LINK_OF_H3 = 2 };
enum { LOSSLESS, NEXT_LOSSLESS, LOSSY, NEXT_LOSSY, N_CLASSES };

static void
set_flows(const struct trial *t, const struct adversary *a, weir_ps start,
          struct simple_net_flow *flows)
{
    uint64_t odd = t->scheme->is_credit ? 0 : a->of[ODD_BYTES];

    flows[0] = (struct simple_net_flow){ .from = H1, .to = H3, .bytes = lead_of(t) + odd };
    flows[1] = (struct simple_net_flow){ .from = H1, .to = H3, .bytes = MODEL_ENDLESS, .after = 1 };
    flows[2] =
        (struct simple_net_flow){ .from = H2, .to = H1, .bytes = MODEL_ENDLESS, .cls = LOSSY };
    flows[0].start_ps = start;
    flows[2].start_ps = start - 1 - (weir_ps)a->of[EARLY_PS];
    for (int i = 0; i < N_FLOWS; i++) {
        flows[i].rate_bps = WEIR_UNLIMITED;
    }
}

struct seen {
    uint64_t peak_bytes, dropped_bytes, n_dropped;
};

static struct seen
seen_by(const struct sim *sim, const struct trial *t)
{
    uint8_t cls = t->scheme->moves ? NEXT_LOSSLESS : LOSSLESS;
    struct sim_port_result result = sim_port_result(sim, t->bench->port);
    struct seen seen = { .peak_bytes = sim_queue_peak_bytes(sim, t->bench->port, cls),
                         .dropped_bytes = result.dropped_bytes };

    for (int i = 0; i < WEIR_N_ADMISSIONS; i++) {
        seen.n_dropped += result.n_dropped[i];
    }
    return seen;
}

static struct seen
run_trial(const struct trial *t, uint64_t give, const struct adversary *a, uint64_t room)
{
    struct bench *b = t->bench;
    const struct weir_link *l = &b->link;
    weir_ps tau = weir_tau_ps(l), fill = weir_wire_ps(room_of(t, t->plan_bytes), l->rate_bps);
    weir_ps start = 3 * tau + weir_wire_ps(l->mtu_bytes, l->rate_bps) + (weir_ps)a->of[PHASE_PS];
    struct simple_net_flow flows[N_FLOWS];
    const struct topo_link_event stands_still = { .link = LINK_OF_H3 };
    struct simple_net config = {
        .topo = &b->topo,
        .stack = stack_of(t, give),
        .n_classes = N_CLASSES,
        .lossless = (uint8_t)(1 << LOSSLESS | t->scheme->moves << NEXT_LOSSLESS),
        .mtu_bytes = packet_bytes(t),
        .gap_bytes = l->gap_bytes,
        .response_ps = l->response_ps,
        .buffer = { .reserve_bytes = room },
        .arbitration = "fifo",
        .flows = flows,
        .n_flows = N_FLOWS,
        .link_events = &stands_still,
        .n_link_events = 1,
        .run.until_ps = start + 2 * fill + (weir_ps)t->scheme->n_taus * tau + 6 * b->period_ps
    };

    set_flows(t, a, start, flows);
    struct sim *sim = b->has_failed ? NULL : simple_net_sim_new(&config, b->err);
    if (!sim) {
        b->has_failed = true;
        return (struct seen){ 0 };
    }
    sim_run(sim);
    struct seen seen = seen_by(sim, t);
    sim_free(sim);
    b->n_runs++;
    return seen;
}

/* The adversary's search. */

static bool
try_one(struct search *s, const struct trial *t, const struct adversary *a)
{
    if (s->is_over && s->excess > 0) {
        return false;
    }
    struct seen seen = run_trial(t, s->give, a, VAST_BYTES);
    int64_t excess = (int64_t)seen.peak_bytes - (int64_t)room_of(t, s->give);
    if (excess <= s->excess) {
        return false;
    }
    s->excess = excess;
    s->best = *a;
    return true;
}

struct range {
    uint64_t low, high, n_grid;
};

static void
find_ranges(const struct trial *t, struct range *ranges)
{
    const struct weir_link *l = &t->bench->link;
    uint64_t packet_ps = (uint64_t)weir_wire_ps(l->mtu_bytes, l->rate_bps);
    uint64_t period = t->scheme->has_period ? (uint64_t)t->bench->period_ps : 0;

    ranges[ODD_BYTES] =
        (struct range){ MIN_PACKET_BYTES, l->mtu_bytes, t->scheme->is_credit ? 1 : 8 };
    ranges[EARLY_PS] = (struct range){ 0, packet_ps - 1, 2 };
    ranges[PHASE_PS] = (struct range){ 0, period, period ? 16 : 1 };
}

static void
try_grid(struct search *s, const struct trial *t, const struct range *ranges)
{
    uint64_t n = 1;

    for (int c = 0; c < N_CHOICES; c++) {
        n *= ranges[c].n_grid;
    }
    for (uint64_t i = 0; i < n; i++) {
        struct adversary a;
        uint64_t rest = i;
        for (int c = 0; c < N_CHOICES; c++) {
            const struct range *r = &ranges[c];
            a.of[c] = r->low + (r->high - r->low) * (rest % r->n_grid) / r->n_grid;
            rest /= r->n_grid;
        }
        try_one(s, t, &a);
    }
}

/* Moves every choice up and down by a fraction of its range.  Returns whether a step increased the
 * queue. */
static bool
try_steps(struct search *s, const struct trial *t, const struct range *ranges, uint64_t part)
{
    bool is_higher = false;

    for (int i = 0; i < 2 * N_CHOICES; i++) {
        const struct range *r = &ranges[i / 2];
        uint64_t by = (r->high - r->low) / (r->n_grid * part), old = s->best.of[i / 2];
        bool is_down = i % 2, fits = is_down ? old >= r->low + by : old + by <= r->high;
        struct adversary a = s->best;
        a.of[i / 2] = is_down ? old - by : old + by;
        if (by && fits) {
            is_higher |= try_one(s, t, &a);
        }
    }
    return is_higher;
}

static struct search
search(const struct trial *t, uint64_t give, bool is_over)
{
    enum { SMALLEST_PART = 4096 };
    struct search s = { .give = give, .excess = INT64_MIN, .is_over = is_over };
    struct range ranges[N_CHOICES];

    find_ranges(t, ranges);
    try_grid(&s, t, ranges);
    for (uint64_t part = 2; part < SMALLEST_PART; part *= 2) {
        while (try_steps(&s, t, ranges, part)) {
        }
    }
    return s;
}

/* The worst case with this much space; if 'is_over', the first case found that exceeds it. */
static struct search
find_worst(struct trial *t, uint64_t give, bool is_over)
{
    if (t->scheme->set != set_pause && t->scheme->set != set_configured) {
        return search(t, give, is_over);
    }
    if (!t->is_searched) {
        t->worst = search(t, give, false);
        t->is_searched = true;
    }
    struct search s = t->worst;
    s.excess += (int64_t)s.give - (int64_t)give;
    s.give = give;
    return s;
}

static bool
loses(struct trial *t, uint64_t give)
{
    return find_worst(t, give, true).excess > 0;
}

/* The limit between loss and no loss. */

/* The smallest sufficient space. For schemes that pause, the queue does not depend on the buffer,
 * so one search finds it. For other schemes bisection finds it. Bisection assumes that more space
 * is never worse; later runs check this. */
static uint64_t
find_needed(struct trial *t, int64_t excess)
{
    bool has_top = t->scheme->set == set_rate;
    uint64_t low = has_top ? 2 * (uint64_t)t->bench->link.mtu_bytes + MIN_PACKET_BYTES : 0;
    uint64_t high = t->plan_bytes, guess = high - (uint64_t)-excess;

    if (guess > low + 1 && guess < high && loses(t, guess - 1) && !loses(t, guess)) {
        return guess;
    }
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        *(loses(t, middle) ? &low : &high) = middle;
    }
    return high;
}

static struct seen
run_worst(const struct trial *t, const struct search *s)
{
    return run_trial(t, s->give, &s->best, room_of(t, s->give));
}

static void
prove(struct trial *t, struct plan_proof *proof)
{
    struct search inside = find_worst(t, t->plan_bytes, false), outside;
    struct seen seen = run_worst(t, &inside);

    proof->inside_dropped = seen.dropped_bytes;
    proof->n_inside_lost = seen.n_dropped;
    proof->needed_bytes =
        inside.excess > 0 ? t->plan_bytes + (uint64_t)inside.excess : find_needed(t, inside.excess);
    proof->outside_bytes = proof->needed_bytes - 1;
    outside = find_worst(t, proof->outside_bytes, true);
    proof->outside_dropped = run_worst(t, &outside).dropped_bytes;
    proof->n_runs = t->bench->n_runs;
}

/* Verifies all schemes at one kind of link. */

static void
add_other_kinds(struct topo *topo, const struct plan *p, const struct plan_kind *k)
{
    for (size_t i = 0; i < p->n_kinds; i++) {
        struct topo_link link = { .rate_bps = p->kinds[i].link.rate_bps,
                                  .delay_ps = p->kinds[i].link.cable_ps };
        char name[TOPO_NAME_BYTES];
        if (&p->kinds[i] != k) {
            snprintf(name, sizeof name, "K%zu", i);
            topo_add_link(topo, topo_add_node(topo, TOPO_NIC, name), S1, &link);
        }
    }
}

/* The threshold at which the switch pauses when all queues are long. */
static uint64_t
lowest_trigger(const struct plan *p)
{
    const struct plan_scheme *s = plan_scheme_find("pfc-configured");
    uint64_t headroom = plan_need(p, s).headroom_bytes, buffer = p->in.buffer_bytes, n_slots = 0;

    for (size_t i = 0; i < p->n_kinds; i++) {
        n_slots += (uint64_t)p->kinds[i].n_ports * p->kinds[i].n_classes;
    }
    bool is_known = buffer != WEIR_AUTO && buffer > headroom;
    return is_known ? plan_trigger_bytes(p, buffer - headroom, n_slots) : 0;
}

static bool
build(struct bench *b, const struct plan *p, const struct plan_kind *k)
{
    const struct topo_build incast = {
        .hosts = 2, .link = { .rate_bps = k->link.rate_bps, .delay_ps = k->link.cable_ps }
    };
    uint64_t in_flight =
        weir_wire_bytes(weir_tau_ps(&k->link), k->link.rate_bps) / k->link.mtu_bytes;

    b->link = k->link;
    b->profile = k->profile;
    b->trigger_bytes = lowest_trigger(p);
    b->period_ps = plan_period_ps(p, k);
    b->sets_period = p->in.period_ps != WEIR_AUTO;
    topo_build_incast(&b->topo, &incast);
    add_other_kinds(&b->topo, p, k);
    if (!topo_finish(&b->topo, b->err)) {
        return false;
    }
    topo_route(&b->topo);
    b->port = topo_port_to(&b->topo, S1, H1);
    return in_flight < MAX_IN_FLIGHT ||
           err_set(b->err,
                   "%llu packets are on the longest cable at the same time: too many to simulate",
                   (unsigned long long)in_flight);
}

/* Whether a proof of this scheme is meaningful, which also depends on whether the plan gives the
 * response of peers. */
static bool
is_tried(const struct plan *p, const struct plan_request *r, const struct proof_scheme *s)
{
    bool is_known = p->knows_response;

    return plan_is_wanted(r, p, plan_scheme_find(s->key)) &&
           (s->responses == AS_PLANNED || s->responses == AT_SLOWEST ||
            is_known == (s->responses == IF_KNOWN));
}

/* Classes of a port that get the same space: that of the scheme, or none at all. */
struct given {
    uint8_t classes;
    bool is_nothing;
};

static bool
prove_one(const struct plan *p, const struct bench *of, size_t kind, const struct proof_scheme *s,
          const struct given *given, struct plan_proof *proof)
{
    struct plan_need need = plan_slot_need(p, plan_scheme_find(s->key), &p->kinds[kind]);
    struct bench b = *of;

    *proof =
        (struct plan_proof){ .what = s->key, .of = s->of, .kind = kind, .classes = given->classes };
    proof->bound_bytes = given->is_nothing ? 0
                         : s->is_bound     ? need.bound_bytes
                                           : need.headroom_bytes;
    if (s->responses == SLOWEST || s->responses == AT_SLOWEST) {
        b.link.response_ps = plan_slowest_response_ps(p, b.link.rate_bps);
    }
    prove(&(struct trial){ .bench = &b, .scheme = s, .plan_bytes = proof->bound_bytes }, proof);
    return !b.has_failed;
}

/* Tries one scheme at a kind of port.  A configuration is tried for classes with headroom, and for
 * classes that are known to have none. */
static bool
prove_scheme(const struct plan *p, const struct bench *b, size_t kind, const struct proof_scheme *s,
             struct plan_proof *proofs, size_t *n)
{
    const struct plan_kind *k = &p->kinds[kind];
    bool is_configured = s->set == set_configured;
    const struct given given[] = {
        { is_configured ? k->bare : 0, true },
        { is_configured ? k->configured_bytes ? (uint8_t)(k->lossless & ~k->bare) : 0 : k->lossless,
          false },
    };
    bool good = true;

    for (size_t i = 0; i < sizeof given / sizeof *given && good; i++) {
        good = !given[i].classes || prove_one(p, b, kind, s, &given[i], &proofs[(*n)++]);
    }
    return good;
}

static bool
prove_kind(const struct plan *p, const struct plan_request *r, size_t kind,
           struct plan_proof *proofs, size_t *n, struct err *err)
{
    struct bench b = { .err = err };
    bool good = build(&b, p, &p->kinds[kind]);

    for (const struct proof_scheme *s = proof_schemes; good && s->key; s++) {
        good = !is_tried(p, r, s) || prove_scheme(p, &b, kind, s, proofs, n);
    }
    topo_free(&b.topo);
    if (good && plan_is_wanted(r, p, plan_scheme_find("capfc"))) {
        struct plan_proof *proof = &proofs[(*n)++];
        *proof = (struct plan_proof){ .what = "capfc",
                                      .of = "above egress_xoff",
                                      .kind = kind,
                                      .classes = p->kinds[kind].lossless };
        good = verify_capfc(p, kind, proof, err);
    }
    return good;
}

struct plan_proof *
verify_plan(const struct plan *p, const struct plan_request *r, size_t *n, struct err *err)
{
    /* The last one is CaPFC. */
    const size_t n_schemes = sizeof proof_schemes / sizeof *proof_schemes + 1;
    struct plan_proof *proofs = array_new(2 * p->n_kinds * n_schemes, sizeof *proofs);
    bool good = true;

    *n = 0;
    for (size_t i = 0; i < p->n_kinds && good; i++) {
        good = prove_kind(p, r, i, proofs, n, err);
    }
    good = good &&
           (*n ||
            err_set(err, "it simulates pfc, pfc-802.1q, pfc-configured, ttl, cbfc, capfc and the "
                         "schemes of GFC, and none of these was chosen"));
    if (!good) {
        free(proofs);
        return NULL;
    }
    return proofs;
}

bool
verify_holds(const struct plan_proof *proofs, size_t n)
{
    bool holds = true;

    for (size_t i = 0; i < n; i++) {
        holds &= !proofs[i].inside_dropped && proofs[i].outside_dropped;
    }
    return holds;
}
