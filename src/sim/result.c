#include <stdlib.h>

#include "base/array.h"
#include "sim/internal.h"

weir_ps
sim_now(const struct sim *sim)
{
    return sim->now_ps;
}

const char *
sim_warning(const struct sim *sim)
{
    return sim->warning.len ? sim->warning.s : NULL;
}

struct sim_flow_result
sim_flow_result(const struct sim *sim, uint32_t flow)
{
    struct sim_flow_result r = sim->flow_results[flow];
    r.sent_bytes = sim->nic_flows[flow].sent_bytes;
    return r;
}

static const struct sim_node *
node_of(const struct sim *sim, uint32_t port, uint32_t *number)
{
    const struct topo_port *p = &sim->config.topo->ports[port];
    *number = p->number;
    return &sim->nodes[p->node];
}

static struct sim_port_result
port_result(const struct sim_node *n, uint32_t number)
{
    struct sim_port_result r = n->results[number];
    r.sent_bytes = n->ports[number].sent_bytes;
    r.n_sent = n->ports[number].n_sent;
    return r;
}

struct sim_port_result
sim_port_result(const struct sim *sim, uint32_t port)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    return port_result(n, number);
}

uint64_t
sim_queue_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    return n->buffer.slots[number * n->n_classes + cls].in_bytes;
}

uint64_t
sim_queue_peak_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    return n->peaks[number * n->n_classes + cls];
}

uint64_t
sim_queue_mean_bytes(const struct sim *sim, uint32_t port, uint8_t cls)
{
    uint32_t number;
    const struct sim_node *n = node_of(sim, port, &number);
    uint64_t sum = n->sums[number * n->n_classes + cls];
    return sim->n_samples ? sum / sim->n_samples : 0;
}

struct sim_deadlock
sim_deadlock(const struct sim *sim)
{
    return sim->deadlock;
}

uint64_t
sim_flow_late_bps(const struct sim *sim, uint32_t flow)
{
    uint64_t bytes = sim->flow_results[flow].received_bytes - sim->middle_bytes[flow];
    uint64_t ps = (uint64_t)(sim->now_ps - sim->middle_ps);
    return ps ? weir_mul_div(bytes, 8 * (uint64_t)WEIR_PS_PER_S, ps) : 0;
}

/* Walks a flow's path and calls 'visit' for every port it leaves by. */
static void
walk(const struct sim *sim, uint32_t flow, void (*visit)(void *, uint32_t port), void *arg)
{
    const struct topo *topo = sim->config.topo;
    const struct sim_flow *f = &sim->config.flows[flow];
    uint32_t port = topo->nodes[f->from].first_port;

    for (uint32_t n_hops = 0; n_hops < 64; n_hops++) {
        visit(arg, port);
        uint32_t at = topo->ports[topo->ports[port].peer].node;
        if (topo->nodes[at].kind == TOPO_NIC) {
            return;
        }
        uint32_t out = sim_route(sim, &sim->nodes[at], flow, topo->nodes[f->to].index, n_hops);
        if (out == SIM_NONE) {
            return;
        }
        port = topo->nodes[at].first_port + out;
    }
}

static void
count_flow(void *counts, uint32_t port)
{
    ((uint64_t *)counts)[port]++;
}

struct share {
    const struct sim *sim;
    const uint64_t *counts;
    uint64_t bps;
};

static void
take_share(void *arg, uint32_t port)
{
    struct share *s = arg;
    const struct topo *topo = s->sim->config.topo;
    uint64_t bps = topo->links[topo->ports[port].link].rate_bps / s->counts[port];
    s->bps = bps < s->bps ? bps : s->bps;
}

void
sim_fair_shares(const struct sim *sim, uint64_t *bps)
{
    uint64_t *counts = array_new(sim->config.topo->n_ports, sizeof *counts);

    for (uint32_t i = 0; i < sim->config.n_flows; i++) {
        walk(sim, i, count_flow, counts);
    }
    for (uint32_t i = 0; i < sim->config.n_flows; i++) {
        struct share s = { sim, counts, sim->config.flows[i].rate_bps };
        walk(sim, i, take_share, &s);
        bps[i] = s.bps;
    }
    free(counts);
}

static uint64_t
flying_in(const struct sim_log *log)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < log->n; i++) {
        bytes += log->items[i].event == SIM_PACKET ? log->items[i].bytes : 0;
        i += log->items[i].event == SIM_FRAME && log->carries_frames ? 2 : 0;
    }
    return bytes;
}

static uint64_t
flying_bytes(const struct sim *sim)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        const struct sim_thread *t = &sim->threads[i];
        bytes += flying_in(&t->far);
        for (uint32_t k = 0; k < sim->ring; k++) {
            bytes += flying_in(&t->logs[k]);
        }
        for (uint32_t k = 0; k < 2 * sim->n_threads; k++) {
            bytes += flying_in(&t->out[k]);
        }
    }
    return bytes;
}

static bool
node_is_conserved(const struct sim *sim, const struct sim_node *n, struct err *err)
{
    uint64_t held = 0, counted = 0;

    for (uint32_t i = 0; i < n->n_pool; i++) {
        held += n->pool[i].bytes;
    }
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        counted += n->buffer.slots[slot].in_bytes;
    }
    return held == counted ||
           err_set(err, "%s holds %llu bytes and counts %llu", sim->config.topo->nodes[n->id].name,
                   (unsigned long long)held, (unsigned long long)counted);
}

bool
sim_is_conserved(const struct sim *sim, struct err *err)
{
    uint64_t sent = 0, found = flying_bytes(sim);

    for (uint32_t i = 0; i < sim->config.n_flows; i++) {
        sent += sim->nic_flows[i].sent_bytes;
        found += sim->flow_results[i].received_bytes;
    }
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        const struct sim_node *n = &sim->nodes[id];
        if (!node_is_conserved(sim, n, err)) {
            return false;
        }
        for (uint32_t port = 0; port < n->n_ports; port++) {
            found += n->results[port].dropped_bytes + n->results[port].lost_bytes;
        }
        for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
            found += n->buffer.slots[slot].in_bytes;
        }
    }
    return sent == found || err_set(err, "%llu bytes were sent, but %llu are accounted for",
                                    (unsigned long long)sent, (unsigned long long)found);
}

/* FNV-1a over numbers. */
static void
hash_in(uint64_t *hash, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        *hash = (*hash ^ (value >> 8 * i & 0xff)) * 0x100000001b3;
    }
}

static void
add_port(struct sim_totals *t, const struct sim_port_result *r)
{
    hash_in(&t->hash, r->sent_bytes);
    hash_in(&t->hash, r->n_sent);
    hash_in(&t->hash, r->n_frames_sent);
    hash_in(&t->hash, r->n_lost);
    t->n_lost += r->n_lost;
    for (int i = 0; i < WEIR_N_ADMISSIONS; i++) {
        hash_in(&t->hash, r->n_dropped[i]);
        t->n_dropped += r->n_dropped[i];
    }
}

struct sim_totals
sim_totals(const struct sim *sim)
{
    struct sim_totals t = { .hash = 0xcbf29ce484222325, .n_windows = sim->n_windows };

    for (uint32_t i = 0; i < sim->n_threads; i++) {
        t.n_hops += sim->threads[i].n_hops;
        t.n_events += sim->threads[i].n_run;
        t.n_unroutable += sim->threads[i].n_unroutable;
        t.n_broken += sim->threads[i].n_broken;
        t.n_bad_order += sim->bad_order[i];
    }
    hash_in(&t.hash, t.n_hops);
    for (uint32_t i = 0; i < sim->config.n_flows; i++) {
        struct sim_flow_result r = sim_flow_result(sim, i);
        hash_in(&t.hash, r.sent_bytes);
        hash_in(&t.hash, r.received_bytes);
        hash_in(&t.hash, (uint64_t)r.first_ps);
        hash_in(&t.hash, (uint64_t)r.last_ps);
    }
    for (uint32_t id = 0; id < sim->n_nodes; id++) {
        const struct sim_node *n = &sim->nodes[id];
        for (uint32_t port = 0; port < n->n_ports; port++) {
            struct sim_port_result r = port_result(n, port);
            add_port(&t, &r);
        }
        for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
            hash_in(&t.hash, n->peaks[slot]);
            hash_in(&t.hash, n->buffer.slots[slot].in_bytes);
        }
    }
    return t;
}
