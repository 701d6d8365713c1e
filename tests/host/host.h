/* What a second host offers to the kinds of nodes: one switch with frames of real bytes.
 *
 * The simulator's own is src/sim/host/host.h, and says what a kind may ask for.  Kinds keep the
 * same record of 32 bytes for a packet that waits, at the same index, in both hosts.  Here that
 * index leads to a frame, too: it is put there when the kind takes a place, and leaves from there.
 */

#ifndef HOST_H
#define HOST_H

#include <assert.h>
#include <stdlib.h>

#include "frame.h"
#include "sim/nodes/kind.h"
#include "sim/nodes/packets.h"
#include "sim/nodes/salt.h"
#include "weir/node.h"

struct host_frame {
    uint32_t len;
    uint8_t bytes[];
};

struct sim_units;

struct host_control { /* A frame to be sent. */
    struct weir_frame frame;
    bool is_message; /* It is for another node than the peer: */
    struct frame_message message;
};

struct sim_port {
    weir_ps busy_ps; /* Its wire is taken until then. */
    uint8_t active;  /* Bit c: packets of class c wait here. */
    uint8_t turn;    /* The class that was served last. */
    /* ---- What follows is this host's own. ---- */
    weir_ps wake_ps;              /* When it looks for something to send; WEIR_NEVER: not. */
    struct host_control *control; /* Frames to be sent, from 'first_control' on. */
    size_t first_control, n_control, max_control;
    uint64_t sent_bytes; /* Of packets. */
};

struct sim_node {
    struct weir_node weir;
    struct sim_port *ports;
    struct sim_held *pool;
    const struct sim_arbitration *arbitration;
    const struct sim_scheduling *scheduling;
    const void *path_params;
    void *queues, *schedule, *own;
    weir_ps alarm_ps; /* Of the kind; WEIR_NEVER: it is off. */
    uint64_t *peaks, *out_peaks;
    struct sim_units *units;
    const uint32_t *flow_keys; /* [flow]. */
    uint32_t n_pool, salt, n_classes, n_ports;
    uint8_t hop_limit;
    bool drops_late, tells_queued, is_prepared;
    bool is_bare; /* Its kind may take short cuts. */
    struct weir_buffer buffer;
    struct weir_shape shape;
    uint64_t chance;
    /* ---- What follows is this host's own. ---- */
    uint32_t pool_free, max_pool, n_flow_keys;
    struct host_frame **frames;  /* [held]: the table from index to frame. */
    struct host_frame *arriving; /* The frame of the packet that its kind is being told of. */
};

void sim_port_send_held(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t held,
                        weir_ps now);
void sim_port_offer(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t cls,
                    weir_ps now);
void sim_port_idle(struct sim_node *, uint32_t port, uint32_t cls);
bool sim_port_is_idle(const struct sim_node *, uint32_t port, weir_ps now);
void sim_port_pass(struct sim_thread *, struct sim_node *, uint32_t port, const struct sim_packet *,
                   weir_ps now);
void sim_node_obey(struct sim_thread *, struct sim_node *, weir_ps now);
void sim_node_expect(struct sim_thread *, struct sim_node *, uint32_t which, uint32_t port,
                     uint32_t key, weir_ps at);
void sim_node_alarm(struct sim_thread *, struct sim_node *, weir_ps at);
uint32_t sim_output_port(const struct sim_thread *, struct sim_node *, const struct sim_packet *);
uint32_t sim_leaf_of(const struct sim_thread *, const struct sim_node *, const struct sim_packet *);
uint32_t sim_n_leaves(const struct sim_thread *);
uint32_t sim_entry_of(const struct sim_thread *, const struct sim_node *,
                      const struct sim_packet *);
void sim_message_send(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t to,
                      uint32_t flow, const struct weir_frame *, weir_ps now);
uint32_t sim_key_of(const struct sim_node *, const struct sim_packet *);
void sim_drop_refused(struct sim_thread *, struct sim_node *, const struct sim_mail *,
                      enum weir_admission);
void sim_drop_unroutable(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_drop_expired(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_drop_unclassed(struct sim_thread *, struct sim_node *, const struct sim_mail *);
void sim_drop_stranded(struct sim_thread *, struct sim_node *, uint32_t port,
                       const struct sim_packet *, weir_ps now);
void sim_drop_overflowing(struct sim_thread *, struct sim_node *, uint32_t port,
                          const struct sim_packet *, weir_ps now);
void sim_drop_discarded(struct sim_thread *, struct sim_node *, uint32_t port,
                        const struct sim_packet *, weir_ps now);

/* This host does not count marks, and does not ask how long packets wait. */
static inline void
sim_port_marked(struct sim_node *n, uint32_t port)
{
    (void)n;
    (void)port;
}

static inline void
sim_stay_count(struct sim_node *n, const struct weir_pkt *pkt)
{
    (void)n;
    (void)pkt;
}

static inline void
host_forget_stay(struct sim_node *n, uint32_t held, weir_ps now)
{
    (void)n;
    (void)held;
    (void)now;
}

#define sim_stay_begin host_forget_stay
#define sim_stay_lift  host_forget_stay
#define sim_stay_put   host_forget_stay
#define sim_stay_end   host_forget_stay

static inline void
sim_stay_pipe(struct sim_node *n, uint32_t held, weir_ps carried_ps, weir_ps now)
{
    (void)carried_ps;
    host_forget_stay(n, held, now);
}

uint32_t host_grow_pool(struct sim_node *);

static inline uint32_t
sim_held_new(struct sim_node *n)
{
    uint32_t i = n->pool_free;

    if (i == SIM_NONE) {
        i = n->n_pool < n->max_pool ? n->n_pool++ : host_grow_pool(n);
    } else {
        n->pool_free = n->pool[i].next;
    }
    n->frames[i] = n->arriving;
    n->arriving = NULL;
    return i;
}

/* Its frame, if it has not left, goes with it. */
static inline void
sim_held_free(struct sim_node *n, uint32_t held)
{
    free(n->frames[held]);
    n->frames[held] = NULL;
    n->pool[held].packet.bytes = 0;
    n->pool[held].next = n->pool_free;
    n->pool_free = held;
}

#include "sim/nodes/list.h"

#endif
