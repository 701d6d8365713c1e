/* Messages: frames for a node further away, forwarded hop by hop.
 *
 *     WEIR_MESSAGE -> port -> link -> a switch forwards it -> ... -> link -> its node receives it
 *
 * A message is sent like a control frame, before data and regardless of pauses, on the path that a
 * packet of its flow to that node would take.  Switches on the path read only its destination,
 * which takes no time; the destination needs its response time.  A message can be lost like a
 * frame, and is dropped where there is no route.  No engine depends on the arrival of a message. */

#include "sim/observers.h"
#include "sim/routing.h"
#include "sim/wires.h"

static void
note_message(struct sim_thread *t, const struct sim_node *n, uint32_t port, uint32_t flow,
             enum sim_note_kind kind, weir_ps now)
{
    sim_note(t, n,
             &(struct sim_note){ .at_ps = now, .port = port, .flow = flow, .kind = (uint8_t)kind });
}

/* Queues the message at the port through which it leaves, and returns that port.  Returns SIM_NONE
 * if the message is dropped; 'port' then counts the drop. */
static uint32_t
queue_message(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t frame)
{
    struct sim_frame *f = &t->frames[frame];
    uint32_t out = n->path_choice ? sim_message_port(t->sim, n, f) : 0; /* A NIC sends messages
                                                                         * through its first
                                                                         * port. */

    if (out == SIM_NONE || !n->ports[out].up) {
        n->results[port].n_messages_dropped += sim_is_to_nic(t, f);
        sim_frame_free(t, frame);
        return SIM_NONE;
    }
    sim_port_queue_frame(t, n, out, frame);
    return out;
}

static uint32_t
start_message(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t to, uint32_t flow,
              const struct weir_frame *bytes, weir_ps now)
{
    const struct sim_frame f = { .frame = *bytes,
                                 .to = to,
                                 .flow = flow,
                                 .from = t->sim->model.topo->nodes[n->id].first_port + port };

    if (sim_is_to_nic(t, &f)) {
        n->results[port].n_messages_sent++;
        note_message(t, n, port, flow, SIM_NOTE_MESSAGE, now);
    }
    return queue_message(t, n, port, sim_frame_new(t, &f));
}

uint32_t
sim_message_to_source(struct sim_thread *t, struct sim_node *n, const struct weir_emit *e,
                      weir_ps now)
{
    if (e->key >= t->sim->model.n_flows) { /* For a foreign packet, no engine at the sender would
                                            * read the message. */
        n->results[e->port].n_messages_dropped++;
        return SIM_NONE;
    }
    return start_message(t, n, e->port, t->sim->model.flows[e->key].from, e->key, &e->frame, now);
}

void
sim_message_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t to,
                 uint32_t flow, const struct weir_frame *frame, weir_ps now)
{
    uint32_t out = start_message(t, n, port, to, flow, frame, now);

    if (out != SIM_NONE) {
        sim_port_kick(t, n, out, now);
    }
}

/* Whether a node forwards a message. Packets may circle in a loop for ever, but messages may not,
 * because they are sent before all data. A NIC forwards nothing. */
static bool
goes_on(const struct sim_node *n, const struct sim_frame *f)
{
    return n->path_choice && f->n_hops < n->hop_limit;
}

void
sim_message_pass(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    struct sim_frame *f = &t->frames[m->key];
    bool is_here = t->sim->is_plain || sim_arrives_intact(t, n, m, f);

    if (!is_here || !goes_on(n, f)) {
        n->results[m->port].n_messages_dropped += is_here && sim_is_to_nic(t, f);
        sim_frame_free(t, m->key);
        return;
    }
    f->n_hops++;
    f->next = SIM_NONE;
    uint32_t out = queue_message(t, n, m->port, m->key);
    if (out != SIM_NONE) {
        sim_port_kick(t, n, out, m->at);
    }
}

void
sim_message_hear(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    const struct sim_frame f = t->frames[m->key];

    sim_frame_free(t, m->key);
    if (sim_is_to_nic(t, &f)) {
        n->results[m->port].n_messages_received++;
        note_message(t, n, m->port, f.flow, SIM_NOTE_HEARD, m->at);
    }
    if (n->kind->heard) {
        n->kind->heard(t, n, f.flow, &f.frame, m->at);
    }
}
