/* Common parts of patterns of flows: hosts and their links, targets, sizes, checks. */

#include "workload/pattern.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/out-of-memory.h"
#include "topo/port-names.h"
#include "weir/units.h"
#include "workload/chance.h"
#include "workload/job.h"

const char *const wl_targets[] = { [WL_ANY] = "any", [WL_OTHER_RACK] = "other-rack", 0 };

const struct weir_field wl_bytes_fields[] = {
    WEIR_FIELD(struct wl_bytes, bytes, "bytes", WEIR_BYTES, .fallback = WL_ENDLESS, .min = 1,
               .max = WL_MAX_BYTES, .help = "Size of each flow; left out: flows without end.",
               .source = "-"),
    { 0 },
};

void
wl_flows_free(struct wl_flows *flows)
{
    free(flows->items);
    *flows = (struct wl_flows){ 0 };
}

void
wl_flows_trim(struct wl_flows *flows)
{
    struct wl_flow *items = flows->n ? realloc(flows->items, flows->n * sizeof *items) : NULL;

    if (items) {
        flows->items = items;
        flows->max = flows->n;
    }
}

static bool
refuse_more(struct err *err)
{
    return err_set(err,
                   "the workload has over %d million flows; use fewer hosts, a shorter run or "
                   "larger flows",
                   WL_MAX_FLOWS / 1000000);
}

bool
wl_check_count(const struct wl_spec *w, uint64_t n, struct err *err)
{
    if (n > w->max_flows) {
        return refuse_more(err);
    }
    oom_check(n * sizeof(struct wl_flow), "the %llu flows of the workload", (unsigned long long)n);
    return true;
}

bool
wl_add(const struct wl_spec *w, struct wl_flows *flows, struct wl_flow flow, struct err *err)
{
    ARRAY_PUSH(flows->items, flows->n, flows->max) = flow;
    return flows->n <= w->max_flows || refuse_more(err);
}

/* These functions describe the hosts and their links. */

static const char *
name_of(const struct wl_spec *w, uint32_t host)
{
    return w->topo->nodes[host].name;
}

static bool
leads_on(const struct topo *t, uint32_t port)
{
    const struct topo_node *n = &t->nodes[topo_beyond(t, port)];
    bool is = false;

    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        is |= t->nodes[topo_beyond(t, p)].kind == TOPO_SWITCH;
    }
    return is;
}

uint64_t
wl_rate_of(const struct wl_spec *w, uint32_t host)
{
    const struct topo *t = w->topo;
    const struct topo_node *n = &t->nodes[host];
    uint64_t all_bps = 0, on_bps = 0;

    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        uint64_t rate_bps = t->links[t->ports[p].link].rate_bps;
        all_bps += rate_bps;
        on_bps += topo_is_multi(t, host) && leads_on(t, p) ? rate_bps : 0;
    }
    return on_bps ? on_bps : all_bps;
}

uint64_t
wl_port_rate_of(const struct wl_spec *w, uint32_t host)
{
    const struct topo *t = w->topo;
    const struct topo_node *n = &t->nodes[host];
    uint64_t most_bps = 0;

    for (uint32_t p = n->first_port; p < n->first_port + n->n_ports; p++) {
        uint64_t rate_bps = t->links[t->ports[p].link].rate_bps;
        most_bps = rate_bps > most_bps ? rate_bps : most_bps;
    }
    return most_bps;
}

uint64_t
wl_stream_of(const struct wl_spec *w, uint32_t host)
{
    return chance_stream(w->seed, w->number,
                         host == WL_NO_HOST ? WL_NO_HOST : w->topo->nodes[host].index);
}

uint64_t
wl_draw_bytes(const struct wl_spec *w, uint64_t bytes, uint64_t *stream)
{
    return w->sizes ? wl_sizes_draw(w->sizes, stream) : bytes;
}

uint64_t
wl_mean_mbytes(const struct wl_spec *w, uint64_t bytes)
{
    return w->sizes ? w->sizes->mean_mbytes : bytes * 1000;
}

/* The longest mean gap: far longer than any run, but so short that no random gap, at most 45 times
 * the mean, overflows 64 bits. */
#define LONGEST_GAP_PS ((uint64_t)1 << 57)

uint64_t
wl_mean_gap_ps(uint64_t mbytes, uint64_t rate_bps, uint64_t load)
{
    uint64_t at_full_load = weir_mul_div(mbytes, 8 * (uint64_t)WEIR_PS_PER_S / 1000, rate_bps);
    uint64_t gap = weir_mul_div(at_full_load, WEIR_RATIO_1, load);
    gap = gap < LONGEST_GAP_PS ? gap : LONGEST_GAP_PS;
    return gap ? gap : 1;
}

uint64_t
wl_gap_of_rate_ps(uint64_t per_second)
{
    return (uint64_t)WEIR_PS_PER_S / per_second;
}

uint64_t
wl_rate_of_all(const struct wl_spec *w)
{
    uint64_t rate_bps = 0;

    for (uint32_t i = 0; i < w->n_hosts; i++) {
        rate_bps += wl_rate_of(w, w->hosts[i]);
    }
    return rate_bps;
}

uint64_t
wl_load_of_rate(const struct wl_spec *w, uint64_t per_second, uint64_t mbytes)
{
    return weir_mul_div(weir_mul_div(mbytes, 8 * per_second, 1000), WEIR_RATIO_1,
                        wl_rate_of_all(w));
}

uint64_t
wl_duration_ps(const struct wl_spec *w, uint64_t end_ps)
{
    uint64_t run_ps = (uint64_t)w->end_ps;
    return (end_ps < run_ps ? end_ps : run_ps) - (uint64_t)w->start_ps;
}

/* These functions choose the hosts that a host may send to. */

bool
wl_is_target(const struct wl_spec *w, uint32_t from, uint32_t to, uint64_t target)
{
    return from != to && !(target == WL_OTHER_RACK && topo_nics_meet(w->topo, from, to)) &&
           topo_is_connected(w->topo, from, to);
}

enum { MAX_TRIES = 32 };

uint32_t
wl_draw_target(const struct wl_spec *w, uint32_t from, uint64_t target, uint64_t *stream)
{
    uint64_t at = 0;

    for (int i = 0; i < MAX_TRIES; i++) {
        at = chance_below(stream, w->n_hosts);
        if (wl_is_target(w, from, w->hosts[at], target)) {
            return w->hosts[at];
        }
    }
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        uint32_t to = w->hosts[(at + i) % w->n_hosts];
        if (wl_is_target(w, from, to, target)) {
            return to;
        }
    }
    return TOPO_NONE;
}

void
wl_shuffle(uint32_t *items, uint32_t n, uint64_t *stream)
{
    for (uint32_t i = n; i > 1; i--) {
        uint64_t j = chance_below(stream, i);
        uint32_t item = items[i - 1];
        items[i - 1] = items[j];
        items[j] = item;
    }
}

bool
wl_check_two(const struct wl_spec *w, struct err *err)
{
    return w->n_hosts > 1 || err_set(err, "a workload needs at least two hosts");
}

/* Whether every two hosts have a switch in common.  If the first host has a single port, it is
 * enough that all others are linked to its switch. */
static bool
all_meet(const struct wl_spec *w)
{
    uint32_t n = topo_is_multi(w->topo, w->hosts[0]) ? w->n_hosts : 1;
    bool is = true;

    for (uint32_t i = 0; i < n && is; i++) {
        for (uint32_t k = 0; k < w->n_hosts && is; k++) {
            is = topo_nics_meet(w->topo, w->hosts[i], w->hosts[k]);
        }
    }
    return is;
}

bool
wl_check_racks(const struct wl_spec *w, uint64_t target, struct err *err)
{
    return target != WL_OTHER_RACK || !all_meet(w) ||
           err_set(err, "every two hosts have a switch in common; use 'to: any' to let them send "
                        "to each other");
}

bool
wl_check_path(const struct wl_spec *w, uint32_t from, uint32_t to, struct err *err)
{
    if (topo_is_connected(w->topo, from, to)) {
        return true;
    }
    return topo_joined_sibling(w->topo, from, to) == TOPO_NONE
               ? err_set(err, "there is no path from %s to %s: the network is not connected",
                         name_of(w, from), name_of(w, to))
               : err_set(err,
                         "there is no path from %s to %s: their rails or planes are separate; "
                         "hosts: [\"*:0\"] are those of the first one",
                         name_of(w, from), name_of(w, to));
}

uint64_t
wl_end_ps(const struct wl_pattern *pattern, const void *params)
{
    const struct weir_field *end = weir_field_find(pattern->about.params, "end");

    return end ? weir_field_get(end, params) : WEIR_AUTO;
}

bool
wl_check(const struct wl_pattern *pattern, const struct wl_spec *w, const char **at,
         struct err *err)
{
    struct wl_job job;

    if ((pattern->check && !pattern->check(w, at, err)) ||
        (wl_job_of(pattern, w, &job) && !wl_job_check(w, &job, at, err))) {
        return false;
    }
    *at = "end";
    return wl_end_ps(pattern, w->params) > (uint64_t)w->start_ps ||
           err_set(err, "the workload ends before it starts");
}
