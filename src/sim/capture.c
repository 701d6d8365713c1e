/* Packets and frames that cross captured ports.
 *
 * A capture shows what a capture on a real port would show: sent packets at the time of their first
 * bit, and received packets at the time of their last bit.  So a packet that is lost on the wire
 * appears at its sender, and a packet that a switch drops appears at the input of that switch.
 *
 * As with notes, a thread records the captured packets of its own nodes.  Between windows all
 * records are sorted, independently of threads: by time, received before sent, then by port.  A
 * frame is recorded when it takes effect, which is the response time after its last bit.  So the
 * thread keeps newer records until no earlier one can follow.
 *
 * A node that runs alone sends its records with its reports. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "sim/exchange.h"
#include "sim/live.h"
#include "sim/observers.h"
#include "sim/setup.h"
#include "sim/watch.h"
#include "sim/wires.h"

/* The sequence number of a captured packet. A switch with real frames keeps the number of the frame
 * in the packet, so it asks its caller. */
static uint32_t
sequence_of(const struct sim_thread *t, const struct sim_packet *packet)
{
    const struct sim_live *live = t->sim->config.live;
    bool is_of_flow = packet->flow < t->sim->model.n_flows;

    return live && live->sequence && is_of_flow ? live->sequence(live->arg, packet)
                                                : packet->sequence;
}

/* With real frames, foreign packets belong to no flow and are left out. */
void
sim_capture(struct sim_thread *t, const struct sim_node *n, uint32_t port,
            const struct sim_packet *packet, const struct sim_frame *frame, bool is_sent,
            weir_ps at)
{
    if (!frame && sim_is_foreign(t->sim, packet)) {
        return;
    }
    ARRAY_PUSH(t->crossings, t->n_crossings, t->max_crossings) =
        (struct sim_crossing){ .at_ps = at,
                               .port = t->sim->model.topo->nodes[n->id].first_port + port,
                               .flow = packet->flow,
                               .sequence = sequence_of(t, packet),
                               .bytes = packet->bytes,
                               .cls = packet->cls,
                               .ecn = packet->ecn,
                               .kind = packet->kind,
                               .n_hops = packet->n_hops,
                               .is_sent = is_sent,
                               .to = frame ? frame->to : SIM_NONE,
                               .from = frame ? frame->from : 0,
                               .about = frame ? frame->flow : 0,
                               .frame = frame ? frame->frame : (struct weir_frame){ 0 } };
}

/* The interval at which records are passed on: after it about this many records are queued if all
 * captured ports only send and receive frames.  A thread always holds the records of at least one
 * window. */
enum { MAX_HELD = 1 << 17 };

static weir_ps
interval(const struct sim *sim)
{
    const struct topo *topo = sim->model.topo;
    uint64_t n_per_s = 0;

    for (uint32_t port = 0; port < topo->n_ports; port++) {
        uint64_t rate_bps = topo->links[topo->ports[port].link].rate_bps;
        n_per_s += sim->config.captured[port] ? 2 * rate_bps / (8 * WEIR_CONTROL_BYTES) + 1 : 0;
    }
    return n_per_s ? (weir_ps)weir_mul_div(MAX_HELD, (uint64_t)WEIR_PS_PER_S, n_per_s) : WEIR_NEVER;
}

void
sim_start_capture(struct sim *sim)
{
    sim->watch->capture_ps = sim->config.captured ? interval(sim) : WEIR_NEVER;
    sim->watch->next_capture_ps = sim->watch->capture_ps;
    sim->is_plain = !sim->has_cuts && !sim->config.captured;
}

/* A switch can send a packet at the time when it receives it, so received packets come first. */
static int
in_order(const void *a, const void *b)
{
    const struct sim_crossing *x = a, *y = b;

    if (x->at_ps != y->at_ps) {
        return x->at_ps < y->at_ps ? -1 : 1;
    }
    if (x->is_sent != y->is_sent) {
        return x->is_sent - y->is_sent;
    }
    return (x->port > y->port) - (x->port < y->port);
}

void
sim_unpack_crossings(struct sim *sim, const void *bytes, size_t n_bytes)
{
    for (size_t at = 0; at < n_bytes; at += sizeof *sim->watch->crossings) {
        struct sim_crossing *to =
            &ARRAY_PUSH(sim->watch->crossings, sim->watch->n_crossings, sim->watch->max_crossings);
        memcpy(to, (const char *)bytes + at, sizeof *to);
    }
}

void
sim_pack_crossings(struct sim *sim, struct sim_parcel *p)
{
    struct sim_thread *t = &sim->threads[0];

    sim_parcel_add(p, t->crossings, t->n_crossings * sizeof *t->crossings);
    t->n_crossings = 0;
}

/* Sends the records of this rank's threads to the first rank. */
static void
bring_crossings(struct sim *sim)
{
    struct sim_parcel own = { 0 }, *in = sim_parcels_new(sim);

    if (sim_rank(sim)) {
        sim_parcel_add(&own, sim->watch->crossings,
                       sim->watch->n_crossings * sizeof *sim->watch->crossings);
        sim->watch->n_crossings = 0;
    }
    bool is_done = sim_gather(sim, &own, in);
    for (uint32_t i = 1; is_done && i < sim_n_ranks(sim); i++) {
        sim_unpack_crossings(sim, in[i].bytes, in[i].n);
    }
    sim_parcels_free(sim, in);
    sim_parcel_free(&own);
}

/* Collects and sorts the records of all threads. One thread wrote the records of a port in order,
 * and the sort keeps this order. */
static void
gather(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        const struct sim_thread *t = &sim->threads[i];
        sim_unpack_crossings(sim, t->crossings, t->n_crossings * sizeof *t->crossings);
        sim->threads[i].n_crossings = 0;
    }
    if (sim_n_ranks(sim) > 1 && !sim->config.live) {
        bring_crossings(sim);
    }
    array_sort(sim->watch->crossings, sim->watch->n_crossings, sizeof *sim->watch->crossings,
               in_order);
}

void
sim_report_crossings(struct sim *sim, weir_ps now)
{
    size_t n = 0;

    if (!sim->config.captured) {
        return;
    }
    gather(sim);
    while (n < sim->watch->n_crossings &&
           sim->watch->crossings[n].at_ps < now - sim->model.response_ps) {
        n++;
    }
    if (n) {
        sim->config.crossed(sim->config.crossed_arg, sim, sim->watch->crossings, n);
        sim->watch->n_crossings -= n;
        memmove(sim->watch->crossings, sim->watch->crossings + n,
                sim->watch->n_crossings * sizeof *sim->watch->crossings);
    }
    sim->watch->next_capture_ps =
        now < WEIR_NEVER - sim->watch->capture_ps ? now + sim->watch->capture_ps : WEIR_NEVER;
}
