#include "workload/workload.h"

#include <stdlib.h>

#include "base/array.h"
#include "weir/field.h"
#include "workload/chance.h"

/* The stream of what no single host decides. */
#define NO_HOST UINT32_MAX

void
wl_flows_free(struct wl_flows *flows)
{
    free(flows->items);
    *flows = (struct wl_flows){ 0 };
}

static bool
check_count(const struct wl_spec *w, uint64_t n, struct err *err)
{
    return n <= w->max_flows ||
           err_set(err,
                   "over %d million flows: fewer hosts, a shorter time or larger flows would be "
                   "simulated sooner",
                   WL_MAX_FLOWS / 1000000);
}

static bool
add(const struct wl_spec *w, struct wl_flows *flows, struct wl_flow flow, struct err *err)
{
    ARRAY_PUSH(flows->items, flows->n, flows->max) = flow;
    return check_count(w, flows->n, err);
}

/* The hosts' links. */

static const char *
name_of(const struct wl_spec *w, uint32_t host)
{
    return w->topo->nodes[host].name;
}

static uint64_t
rate_of(const struct wl_spec *w, uint32_t host)
{
    const struct topo *t = w->topo;
    return t->links[t->ports[t->nodes[host].first_port].link].rate_bps;
}

static uint64_t
stream_of(const struct wl_spec *w, uint32_t host)
{
    return chance_stream(w->seed, w->number,
                         host == NO_HOST ? NO_HOST : w->topo->nodes[host].index);
}

static uint64_t
draw_bytes(const struct wl_spec *w, uint64_t *stream)
{
    return w->sizes ? wl_sizes_draw(w->sizes, stream) : w->bytes;
}

/* In thousandths of a byte. */
static uint64_t
mean_mbytes(const struct wl_spec *w)
{
    return w->sizes ? w->sizes->mean_mbytes : w->bytes * 1000;
}

/* The mean time between flows of so many bytes that together are a load on links of such a rate. */
static uint64_t
mean_gap_ps(uint64_t mbytes, uint64_t rate_bps, uint64_t load)
{
    uint64_t at_full_load = weir_mul_div(mbytes, 8 * (uint64_t)WEIR_PS_PER_S / 1000, rate_bps);
    uint64_t gap = weir_mul_div(at_full_load, WEIR_RATIO_1, load);
    return gap ? gap : 1;
}

static uint64_t
duration_ps(const struct wl_spec *w)
{
    return (uint64_t)(w->end_ps - w->start_ps);
}

/* Whom a host may send to. */

static bool
is_target(const struct wl_spec *w, uint32_t from, uint32_t to)
{
    bool is_one_rack = topo_switch_of(w->topo, from) == topo_switch_of(w->topo, to);

    return from != to && !(w->is_other_rack && is_one_rack) && topo_is_connected(w->topo, from, to);
}

enum { MAX_TRIES = 32 };

/* A few tries nearly always find one; after them, the next that will do.  TOPO_NONE: there is
 * none. */
static uint32_t
draw_target(const struct wl_spec *w, uint32_t from, uint64_t *stream)
{
    uint64_t at = 0;

    for (int i = 0; i < MAX_TRIES; i++) {
        at = chance_below(stream, w->n_hosts);
        if (is_target(w, from, w->hosts[at])) {
            return w->hosts[at];
        }
    }
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        uint32_t to = w->hosts[(at + i) % w->n_hosts];
        if (is_target(w, from, to)) {
            return to;
        }
    }
    return TOPO_NONE;
}

static bool
check_two(const struct wl_spec *w, struct err *err)
{
    return w->n_hosts > 1 || err_set(err, "a workload needs two hosts");
}

static bool
check_racks(const struct wl_spec *w, struct err *err)
{
    uint32_t rack = topo_switch_of(w->topo, w->hosts[0]), i = 0;

    while (i < w->n_hosts && topo_switch_of(w->topo, w->hosts[i]) == rack) {
        i++;
    }
    return !w->is_other_rack || i < w->n_hosts ||
           err_set(err, "all hosts stand at one switch; with 'to: any' they send to each other");
}

/* Where the pattern itself says who sends to whom. */
static bool
check_path(const struct wl_spec *w, uint32_t from, uint32_t to, struct err *err)
{
    return topo_is_connected(w->topo, from, to) ||
           err_set(err, "no path from %s to %s: the network is cut", name_of(w, from),
                   name_of(w, to));
}

/* Patterns. */

static bool
draw_arrivals(const struct wl_spec *w, uint32_t host, struct wl_flows *flows, struct err *err)
{
    uint64_t gap_ps = mean_gap_ps(mean_mbytes(w), rate_of(w, host), w->load);
    uint64_t stream = stream_of(w, host), at_ps = chance_exponential(&stream, gap_ps);

    for (; at_ps < duration_ps(w); at_ps += chance_exponential(&stream, gap_ps)) {
        uint32_t to = draw_target(w, host, &stream);
        struct wl_flow flow = { .from = host,
                                .to = to,
                                .after = WL_NONE,
                                .bytes = draw_bytes(w, &stream),
                                .start_ps = w->start_ps + (weir_ps)at_ps };
        if (to == TOPO_NONE) {
            return true;
        }
        if (!add(w, flows, flow, err)) {
            return false;
        }
    }
    return true;
}

bool
wl_poisson(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    uint64_t expected = 0;

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        expected += duration_ps(w) / mean_gap_ps(mean_mbytes(w), rate_of(w, w->hosts[i]), w->load);
    }
    if (!check_two(w, err) || !check_racks(w, err) || !check_count(w, expected, err)) {
        return false;
    }
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        if (!draw_arrivals(w, w->hosts[i], flows, err)) {
            return false;
        }
    }
    return true;
}

/* Flows without a pause, until a link that is never idle could not have sent the last but one. */
static bool
draw_chain(const struct wl_spec *w, uint32_t host, struct wl_flows *flows, struct err *err)
{
    uint64_t stream = stream_of(w, host), sum = 0;
    uint64_t enough = weir_wire_bytes((weir_ps)duration_ps(w), rate_of(w, host));
    bool is_last = false;

    for (uint32_t last = WL_NONE; !is_last; last = (uint32_t)flows->n - 1) {
        uint32_t to = draw_target(w, host, &stream);
        struct wl_flow flow = { .from = host,
                                .to = to,
                                .after = last,
                                .bytes = draw_bytes(w, &stream),
                                .start_ps = last == WL_NONE ? w->start_ps : 0 };
        if (to == TOPO_NONE) {
            return true;
        }
        is_last = sum > enough;
        sum += flow.bytes;
        if (!add(w, flows, flow, err)) {
            return false;
        }
    }
    return true;
}

bool
wl_closed(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    uint64_t expected = 0;

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        uint64_t bytes = weir_wire_bytes((weir_ps)duration_ps(w), rate_of(w, w->hosts[i]));
        expected += weir_mul_div(bytes, 1000, mean_mbytes(w));
    }
    if (!check_two(w, err) || !check_racks(w, err) || !check_count(w, expected, err)) {
        return false;
    }
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        if (!draw_chain(w, w->hosts[i], flows, err)) {
            return false;
        }
    }
    return true;
}

static void
shuffle(uint32_t *items, uint32_t n, uint64_t *stream)
{
    for (uint32_t i = n; i > 1; i--) {
        uint64_t j = chance_below(stream, i);
        uint32_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}

static bool
has_own(const struct wl_spec *w, const uint32_t *targets)
{
    bool has = false;
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        has |= targets[i] == w->hosts[i];
    }
    return has;
}

/* Shuffled until nobody has itself, which takes three times on average: so all such permutations
 * are as likely as each other. */
bool
wl_permutation(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    uint32_t *targets = array_new(w->n_hosts, sizeof *targets);
    uint64_t stream = stream_of(w, NO_HOST);
    bool good = check_two(w, err);

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        targets[i] = w->hosts[i];
    }
    while (good && has_own(w, targets)) {
        shuffle(targets, w->n_hosts, &stream);
    }
    for (uint32_t i = 0; good && i < w->n_hosts; i++) {
        struct wl_flow flow = { w->hosts[i], targets[i], WL_NONE, w->bytes, w->start_ps };
        good = check_path(w, flow.from, flow.to, err) && add(w, flows, flow, err);
    }
    free(targets);
    return good;
}

/* The senders are the first of the hosts, shuffled, that reach the receiver. */
static bool
add_incast(const struct wl_spec *w, uint32_t *order, weir_ps at_ps, uint64_t *stream,
           struct wl_flows *flows, struct err *err)
{
    uint32_t to = w->hosts[chance_below(stream, w->n_hosts)], n = 0;

    shuffle(order, w->n_hosts, stream);
    for (uint32_t i = 0; i < w->n_hosts && n < w->senders; i++) {
        if (!is_target(w, order[i], to)) {
            continue;
        }
        n++;
        if (!add(w, flows, (struct wl_flow){ order[i], to, WL_NONE, w->bytes, at_ps }, err)) {
            return false;
        }
    }
    return true;
}

bool
wl_incast(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    uint64_t stream = stream_of(w, NO_HOST), rate_bps = 0;
    uint32_t *order = array_new(w->n_hosts, sizeof *order);

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        order[i] = w->hosts[i];
        rate_bps += rate_of(w, w->hosts[i]);
    }
    uint64_t gap_ps = mean_gap_ps(w->bytes * 1000 * w->senders, rate_bps, w->load);
    uint64_t at_ps = chance_exponential(&stream, gap_ps);
    bool good = check_two(w, err) && check_count(w, duration_ps(w) / gap_ps * w->senders, err);
    if (good && w->senders >= w->n_hosts) {
        good = err_set(err, "%u senders, but each host has %u others", w->senders, w->n_hosts - 1);
    }
    for (; good && at_ps < duration_ps(w); at_ps += chance_exponential(&stream, gap_ps)) {
        good = add_incast(w, order, w->start_ps + (weir_ps)at_ps, &stream, flows, err);
    }
    free(order);
    return good;
}

bool
wl_all_to_all(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    if (!check_two(w, err) || !check_count(w, (uint64_t)w->n_hosts * (w->n_hosts - 1), err)) {
        return false;
    }
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        for (uint32_t j = 1; j < w->n_hosts; j++) { /* Not all to the same one first. */
            uint32_t from = w->hosts[i], to = w->hosts[(i + j) % w->n_hosts];
            if (!check_path(w, from, to, err) ||
                !add(w, flows, (struct wl_flow){ from, to, WL_NONE, w->bytes, w->start_ps }, err)) {
                return false;
            }
        }
    }
    return true;
}

/* Flows stand by host, chunk and step. */
bool
wl_ring_allreduce(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    uint64_t n = w->n_hosts, n_steps = 2 * (n - 1), n_chains = n * w->chunks;
    uint64_t bytes = (w->bytes + n_chains - 1) / n_chains;

    if (!check_two(w, err) || !check_count(w, n_chains * n_steps, err)) {
        return false;
    }
    for (uint64_t chain = 0; chain < n_chains; chain++) {
        uint64_t host = chain / w->chunks, before = (chain + n_chains - w->chunks) % n_chains;
        struct wl_flow flow = { w->hosts[host], w->hosts[(host + 1) % n], WL_NONE, bytes,
                                w->start_ps };
        bool good = check_path(w, flow.from, flow.to, err) && add(w, flows, flow, err);
        flow.start_ps = 0;
        for (uint64_t step = 1; good && step < n_steps; step++) {
            flow.after = (uint32_t)(before * n_steps + step - 1);
            good = add(w, flows, flow, err);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}
