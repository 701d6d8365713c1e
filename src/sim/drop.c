/* Handles packets that are dropped in a node or lost on a wire: counters, notes, and calls to
 * engines. */

#include "sim/flow-ends.h"

#include "sim/observers.h"
#include "sim/wires.h"

static void
note_gone(struct sim_thread *t, struct sim_node *n, uint32_t port, const struct sim_packet *packet,
          enum sim_note_kind kind, weir_ps now)
{
    sim_note(t, n,
             &(struct sim_note){ .at_ps = now,
                                 .port = port,
                                 .flow = packet->flow,
                                 .value = packet->bytes,
                                 .kind = (uint8_t)kind,
                                 .cls = packet->cls });
}

/* Notifies observers of single packets that a packet is dropped. */
static void
notify_gone(struct sim_thread *t, const struct sim_node *n, const struct sim_packet *packet,
            weir_ps now)
{
    const struct sim_live *live = t->sim->config.live;

    if (sim_is_foreign(t->sim, packet)) {
        t->n_foreign_gone++;
        t->foreign_gone_bytes += packet->bytes;
    }
    sim_probe_lost(t, packet, now);
    if (live && n->path_choice) { /* NICs have no frames. */
        live->gone(live->arg, packet);
    }
}

static void
note_drop(struct sim_thread *t, struct sim_node *n, uint32_t port, const struct sim_packet *packet,
          enum sim_note_kind kind, weir_ps now)
{
    n->results[port].dropped_bytes += packet->bytes;
    notify_gone(t, n, packet, now);
    note_gone(t, n, port, packet, kind, now);
}

void
sim_lose(struct sim_thread *t, struct sim_node *n, uint32_t port, const struct sim_packet *packet,
         weir_ps now)
{
    bool is_frame = packet->flow == SIM_NO_FLOW;

    n->results[port].n_lost++;
    n->results[port].n_lost_frames += is_frame;
    if (!is_frame) {
        n->results[port].lost_bytes += packet->bytes;
        notify_gone(t, n, packet, now);
    }
    note_gone(t, n, port, packet, SIM_NOTE_LOSS, now);
}

/* Counts a lost packet of a lossless class, which breaks a promise, and keeps the time, port and
 * class of the first such loss. */
static void
note_broken(struct sim_thread *t, const struct sim_node *n, uint32_t port, uint8_t cls, weir_ps now)
{
    if (weir_is_lossless(&n->shape, cls) && !t->n_dropped_lossless++) {
        t->first_broken = (struct sim_broken){ .at_ps = now, .port = port, .cls = cls };
    }
}

/* Calls engines for the arrival and the departure of a packet that is dropped on arrival.  It takes
 * no buffer here, but its sender had counted on some. */
static __attribute__((noinline)) void
turn_away(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
          enum sim_note_kind kind)
{
    struct weir_pkt pkt = { .bytes = m->packet.bytes,
                            .in_port = m->port,
                            .out_port = m->port,
                            .cls = m->packet.cls,
                            .flow = m->packet.flow,
                            .unit = WEIR_NO_UNIT,
                            .output_unit = WEIR_NO_UNIT };

    weir_node_arrived(&n->weir, m->at, &pkt);
    sim_node_obey(t, n, m->at);
    if (weir_has_stages(&n->shape)) {
        weir_node_forwarded(&n->weir, m->at, &pkt);
    } else {
        weir_node_departed(&n->weir, m->at, &pkt);
    }
    sim_node_obey(t, n, m->at);
    note_drop(t, n, m->port, &m->packet, kind, m->at);
}

void
sim_drop_refused(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m,
                 enum weir_admission how)
{
    n->results[m->port].n_dropped[how]++;
    note_broken(t, n, m->port, m->packet.cls, m->at);
    note_drop(t, n, m->port, &m->packet, SIM_NOTE_DROP, m->at);
}

void
sim_drop_unroutable(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    n->results[m->port].n_no_route++;
    turn_away(t, n, m, SIM_NOTE_DROP);
}

void
sim_drop_expired(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    n->results[m->port].n_expired++;
    turn_away(t, n, m, SIM_NOTE_EXPIRE);
}

void
sim_drop_unheld(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    n->results[m->port].n_dropped_memory++;
    note_broken(t, n, m->port, m->packet.cls, m->at);
    turn_away(t, n, m, SIM_NOTE_DROP);
}

void
sim_drop_unclassed(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    n->results[m->port].n_expired++;
    note_drop(t, n, m->port, &m->packet, SIM_NOTE_EXPIRE, m->at);
}

void
sim_drop_stranded(struct sim_thread *t, struct sim_node *n, uint32_t port,
                  const struct sim_packet *packet, weir_ps now)
{
    n->results[port].n_no_route++;
    note_drop(t, n, port, packet, SIM_NOTE_DROP, now);
}

void
sim_drop_overflowing(struct sim_thread *t, struct sim_node *n, uint32_t port,
                     const struct sim_packet *packet, weir_ps now)
{
    n->results[port].n_dropped_output++;
    note_broken(t, n, port, packet->cls, now);
    note_drop(t, n, port, packet, SIM_NOTE_OVERFLOW, now);
}

void
sim_drop_flushed(struct sim_thread *t, struct sim_node *n, uint32_t port,
                 const struct sim_packet *packet, weir_ps now)
{
    n->results[port].n_flushed++;
    if (packet->flow < t->sim->model.n_flows) { /* Foreign packets may be lost in any class. */
        note_broken(t, n, port, packet->cls, now);
    }
    note_drop(t, n, port, packet, SIM_NOTE_FLUSH, now);
}

void
sim_drop_discarded(struct sim_thread *t, struct sim_node *n, uint32_t port,
                   const struct sim_packet *packet, weir_ps now)
{
    n->results[port].n_dropped_watchdog++;
    note_broken(t, n, port, packet->cls, now);
    note_drop(t, n, port, packet, SIM_NOTE_DISCARD, now);
}
