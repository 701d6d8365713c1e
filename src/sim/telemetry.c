/* Telemetry: records the state of ports when packets leave, next to the packets (flow-ends.h).
 *
 * Only flows whose control needs telemetry or round trips have a track, and only their packets call
 * this file. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/exchange.h"
#include "sim/flow-ends.h"

enum { LEAST_TRACK = 64, MOST_TRACK = 4096 };

/* The size of a track, a power of two: the packets of four round trips at line rate, or all packets
 * of a short flow.  If more packets are on their way, some have no entry in the track and carry no
 * telemetry. */
static uint32_t
track_size(const struct sim *sim, uint32_t flow)
{
    uint64_t line_bps = sim_line_bps(sim, flow);
    uint64_t bytes = 4 * weir_wire_bytes(sim_flow_first_rtt_ps(sim, flow), line_bps);
    uint32_t n_packets = sim_flow_n_planned(sim, flow), size = 1;

    while (size < n_packets &&
           (size < LEAST_TRACK ||
            (size < MOST_TRACK && (uint64_t)size * sim->model.mtu_bytes < bytes))) {
        size *= 2;
    }
    return size;
}

/* The number of switches on the path; the maximum if routes change. Telemetry records take most of
 * the memory of a track, so it has no more than needed. */
static uint32_t
max_hops(const struct sim *sim, uint32_t flow)
{
    uint32_t n_links = sim_flow_n_links(sim, flow), n_switches = n_links > 1 ? n_links - 1 : 1;

    return sim->model.reroute_ps || n_switches > TP_MAX_HOPS ? TP_MAX_HOPS : n_switches;
}

struct sim_track *
sim_track_new(const struct sim *sim, uint32_t flow)
{
    struct sim_track *track = array_new(1, sizeof *track);
    uint32_t size = track_size(sim, flow);

    track->mask = size - 1;
    track->probes = array_new(size, sizeof *track->probes);
    for (uint32_t i = 0; i < size; i++) {
        track->probes[i].sequence = track->probes[i].probe = RC_NONE;
        track->probes[i].gone_ps = -WEIR_PS_PER_S; /* A time before any window. */
    }
    if (sim->model.flows[flow].terms->transport->wants_telemetry) {
        track->max_hops = max_hops(sim, flow);
        track->hops = array_new((size_t)size * track->max_hops, sizeof *track->hops);
    }
    return track;
}

size_t
sim_track_bytes(const struct sim_track *track)
{
    size_t n = (size_t)track->mask + 1;

    return sizeof *track + n * (sizeof *track->probes + track->max_hops * sizeof *track->hops);
}

bool
sim_probe_is_gone(const struct sim *sim, struct sim_probe *probe, weir_ps now)
{
    weir_ps gone = atomic_load_explicit(&probe->gone_ps, memory_order_relaxed);

    return gone != WEIR_NEVER && gone + sim_window_ps(sim) <= now;
}

bool
sim_track_is_idle(const struct sim *sim, const struct sim_track *track, weir_ps now)
{
    bool is_idle = true;

    for (uint32_t i = 0; is_idle && track->hops && i <= track->mask; i++) {
        is_idle = sim_probe_is_gone(sim, &track->probes[i], now);
    }
    return is_idle;
}

void
sim_track_free(struct sim_track *track)
{
    if (track) {
        free(track->probes);
        free(track->hops);
        free(track);
    }
}

/* Records a probe whose sender is on another rank.  That rank receives the record when ranks next
 * meet, which is after this window (epochs.c).  A probe leaves at most one switch per window, so
 * its records arrive in order. */
enum word_kind { WORD_STAMP, WORD_GONE, WORD_LOST };

struct word {
    uint32_t flow, sequence;
    uint32_t kind;     /* enum word_kind. */
    struct tp_hop hop; /* The telemetry of a port; for other kinds only at_ps is used. */
};

bool
sim_has_probes(const struct model *c)
{
    bool has_probes = false;

    for (uint32_t i = 0; i < c->n_flows && !has_probes; i++) {
        const struct transport *transport = c->flows[i].terms->transport;
        has_probes = transport && transport->start && transport->wants_telemetry;
    }
    return has_probes;
}

static void
take_word(const struct sim *sim, const struct word *w)
{
    const struct sim_track *track = sim_pacer(sim, w->flow)->track; /* The track still exists,
                                                                     * because it is kept as long as
                                                                     * a probe is on its way. */
    uint32_t i = w->sequence & track->mask;
    struct sim_probe *probe = &track->probes[i];

    if (w->kind == WORD_STAMP) {
        if (probe->n_hops < track->max_hops) {
            track->hops[i * track->max_hops + probe->n_hops++] = w->hop;
        }
        return;
    }
    probe->n_hops = w->kind == WORD_LOST ? 0 : probe->n_hops;
    atomic_store_explicit(&probe->gone_ps, w->hop.at_ps, memory_order_relaxed);
}

/* Handles a record at once, or sends it to the rank of the flow's sender. */
static void
notify_sender(struct sim_thread *t, const struct sim_packet *p, enum word_kind kind,
              struct tp_hop hop)
{
    const struct sim *sim = t->sim;
    struct word word = { .flow = p->flow, .sequence = p->sequence, .kind = kind, .hop = hop };

    if (sim_sender_is_here(sim, p->flow)) {
        take_word(sim, &word);
    } else {
        uint32_t rank = sim_rank_of(sim, sim->model.flows[p->flow].from);
        sim_parcel_add(&t->abroad[rank].words, &word, sizeof word);
    }
}

void
sim_take_words(struct sim *sim, const void *words, size_t bytes)
{
    const struct word *w = words;

    for (size_t i = 0; i < bytes / sizeof *w; i++) {
        take_word(sim, &w[i]);
    }
}

static uint64_t
queue_bytes_of(const struct sim_node *n, uint32_t port)
{
    uint64_t bytes = 0;

    for (uint32_t cls = 0; cls < n->n_classes; cls++) {
        bytes += n->buffer.slots[port * n->n_classes + cls].out_bytes;
    }
    return bytes;
}

__attribute__((noinline)) void
sim_stamp(struct sim_thread *t, const struct sim_node *n, uint32_t port,
          const struct sim_packet *packet, weir_ps now)
{
    notify_sender(t, packet, WORD_STAMP,
                  (struct tp_hop){ .at_ps = now,
                                   .queue_bytes = (uint32_t)queue_bytes_of(n, port),
                                   .port = t->sim->model.topo->nodes[n->id].first_port + port,
                                   .sent_bytes = n->ports[port].sent_bytes,
                                   .rate_bps = n->line_bps[port] });
}

void
sim_probe_arrived(struct sim_thread *t, const struct sim_packet *packet, weir_ps now)
{
    notify_sender(t, packet, WORD_GONE, (struct tp_hop){ .at_ps = now });
}

void
sim_probe_lost(struct sim_thread *t, const struct sim_packet *packet, weir_ps now)
{
    if (packet->kind == SIM_PROBE) {
        notify_sender(t, packet, WORD_LOST, (struct tp_hop){ .at_ps = now });
    }
}
