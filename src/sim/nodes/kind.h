/* Kinds of nodes, and the plug-ins of their parts: arbitration among inputs, scheduling among
 * classes.
 *
 * A kind is what a switch or NIC does with packets: a descriptor of hooks that the core calls.  It
 * owns its memory and its events.  The core owns wires, clocks, engines and mail. It knows a kind
 * only by its answers here.  The calls that a kind may make are in host/host.h. */

#ifndef SIM_KIND_H
#define SIM_KIND_H

#include "sim/nodes/packets.h"
#include "weir/engine.h"

struct err;
struct sim;
struct sim_node;
struct sim_thread;

/* A packet that a node holds, and the outputs that it waits for. */
struct sim_waiting {
    const struct sim_packet *packet;
    uint32_t in_slot;  /* The input that counts it; SIM_NONE: it has left that. */
    uint32_t out_slot; /* The transmit queue that it waits to leave by; SIM_NONE: it is not
                        * forwarded, and waits for no queue. */
    bool is_behind;    /* Another packet of its input must go first. */
};

/* Called with each packet that a node holds; returns whether to go on. */
typedef bool sim_visit_held(void *arg, const struct sim_waiting *);

/* Counts and notes a packet that is dropped where it waited to leave by a port. */
typedef void sim_drop(struct sim_thread *, struct sim_node *, uint32_t port,
                      const struct sim_packet *, weir_ps now);

/* The outputs that can keep an input of a switch from draining: those that its packets go to, each
 * for itself; any output, or none.  Any output can if one pipeline stands still for it; none can if
 * outputs drop packets that do not fit. */
enum sim_input_wait { SIM_WAITS_FOR_OWN_OUTPUT, SIM_WAITS_FOR_ALL, SIM_WAITS_FOR_NOTHING };

struct sim_arbitration;

/* The parts of a switch in addition to its kind, and how long it runs; 0: not known. */
struct sim_making {
    const struct sim_arbitration *arbitration;
    const struct weir_buffer_class *buffer; /* For each (port, class). */
    uint64_t shared_bytes;                  /* Shared by all of them. */
    uint32_t mtu_bytes, n_ports, n_classes;
    uint32_t n_leaves;             /* Leaves of the whole network. */
    const struct weir_port *ports; /* Null: not of one switch. */
    bool inner_links_fail;         /* Links inside fabrics lose packets, or go down. */
    weir_ps until_ps;
};

struct sim_kind {
    struct weir_plugin about;
    bool is_watched; /* Its transmit queues can have a watchdog: it can discard their packets.
                      */

    /* The reason that its inputs wait for, with the parameters of its role, at outputs inside a
     * fabric or at others.  Null: for the way. */
    enum sim_input_wait (*input_wait)(const void *params, bool is_inner);

    /* True if its parameters, each in its range, fit together. Otherwise returns the reason, and
     * names by %P the value to change: a parameter, or another part.  If it returns true, the text
     * is a warning. Null: they do. */
    bool (*check)(const void *params, const struct sim_making *, struct weir_text *why);

    /* For a switch with ports inside a fabric: the buffer of a port, if it differs from that of its
     * role, which is in 'input'.  Also the maximum that its output holds of a class, 0 being any
     * amount.  Null: all ports are alike. */
    void (*port_buffer)(const void *params, const struct weir_port *,
                        struct weir_buffer_class *input, uint64_t *output_bytes);

    /* Says in the shape of a node what engines are to know of it.  Null: nothing. */
    void (*shape)(const void *params, struct weir_shape *);

    /* Once for all of its nodes, before the first window: writes their first mail.  Null: none. */
    void (*begin)(struct sim *);

    /* The memory that 'init' takes for a node, beyond a few bytes for each port.  Null: no more.
     */
    uint64_t (*bytes)(const void *params, uint32_t n_ports, uint32_t n_classes, uint32_t n_leaves);

    /* Allocates its memory, at the start, and frees it.  Null: it needs none. */
    void (*init)(struct sim_thread *, struct sim_node *, const void *params);
    void (*release)(struct sim_node *);

    /* In large networks, some time before mail is run: prefetches its memory, and puts a number
     * into 'node' of it that does not depend on events in the window. */
    void (*prepare)(const struct sim_thread *, struct sim_node *, struct sim_mail *, uint32_t n);

    /* The same for the first 64 ports that wake, a bit each: the state that they read, and a little
     * later the packets that they send.  The second may be null. */
    void (*fetch_ports)(const struct sim_node *, uint64_t wakes);
    void (*fetch_heads)(const struct sim_node *, uint64_t wakes);

    /* A packet is here, in the class that it has at this node.  Where packets change class from hop
     * to hop, there may be no class left for it here; its mail has the class in which it was sent.
     */
    void (*arrive)(struct sim_thread *, struct sim_node *, const struct sim_mail *);
    void (*arrive_unclassed)(struct sim_thread *, struct sim_node *, const struct sim_mail *);

    /* Sends what a class of a port has next, and returns 'now'; or when its gates may allow it. */
    weir_ps (*send)(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t cls,
                    weir_ps now);

    /* One of its own events, SIM_OWN + 0 and so on.  Null: it has none. */
    void (*event)(struct sim_thread *, struct sim_node *, const struct sim_mail *);

    /* True if a packet from an untrusted wire may be handed to it: 'arrive' trusts its input. Null:
     * any packet of a flow may. */
    bool (*believes)(const struct sim_node *, const struct sim_packet *);

    /* For a kind that can limit flows: the maximum rate of one, by the node's own number; the
     * caller serves its port afterwards.  Else null. */
    void (*limit_flow)(struct sim_thread *, struct sim_node *, uint32_t number, uint64_t rate_bps,
                       weir_ps now);

    /* For a kind that can slow senders down: calls the controls of all flows of a class; the caller
     * serves its port afterwards.  Else null. */
    void (*slow_flows)(struct sim_thread *, struct sim_node *, uint32_t cls, uint64_t factor,
                       weir_ps now);

    /* Its alarm has expired, and is off now.  Null: it sets none. */
    void (*alarm)(struct sim_thread *, struct sim_node *, weir_ps now);

    /* A message that was sent to this node takes effect; for a NIC 'flow' is one that it sends.
     * Null: there is no observer. */
    void (*heard)(struct sim_thread *, struct sim_node *, uint32_t flow, const struct weir_frame *,
                  weir_ps now);

    /* Drops the next packet of a transmit queue, by one of host.h's functions.  Null unless
     * 'is_watched'. */
    void (*discard)(struct sim_thread *, struct sim_node *, uint32_t slot, sim_drop *, weir_ps now);

    /* A port is down, and routes have changed since: packets that wait for it take the routes that
     * there are now.  Null for NICs. */
    void (*reforward)(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);

    /* For a kind whose packets all pass one pipeline: whether it stands still now until a packet
     * leaves by that transmit queue, or by another of which the same holds; and since when. Its
     * inputs then hold what has not entered the pipeline.  Null: there is none. */
    bool (*stands_for)(const struct sim_node *, uint32_t slot, weir_ps *since_ps);

    /* Whether an input counts packets until an acknowledgement comes, so that its peer may be
     * allowed to send though nothing here moves.  Null: none does. */
    bool (*awaits_word)(const struct sim_node *, uint32_t in_slot);

    /* The clock of a switch was set back: takes 'by_ps' off every time in its own memory and in
     * 'due_ps' of its packets, by weir_rebased().  Null: it keeps none. */
    void (*rebase)(struct sim_node *, weir_ps by_ps);

    /* Every packet that came in and is still here: for deadlock and conservation. */
    void (*each_held)(const struct sim_node *, sim_visit_held *, void *arg);

    /* Checks the invariants of its own memory; called between windows, in builds with
     * -Dinvariants=true.  Null: there is nothing to say. */
    bool (*holds)(const struct sim_node *);
};

/* Services that every switch of ours offers to engines, of any kind. */
#define SIM_SWITCH_SERVICES                                                                        \
    (WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_UNITS | WEIR_SERVICE_OUTPUT_UNITS)

WEIR_REGISTRY(struct sim_kind, sim_kinds, sim_kind) /* Kinds of switches. */
extern const struct sim_kind sim_end_kind;          /* The kind of NICs. */

/* Arbitration: which packet leaves an output next, of those that came in by different ports. */
struct sim_arbitration {
    struct weir_plugin about;
    bool is_fifo; /* Its tables are those of fifo.h, and it keeps no state of a packet that is sent
                     as it comes. */
    size_t (*bytes)(uint32_t n_ports, uint32_t n_classes); /* Bytes of its tables, at n->queues. */
    void (*init)(struct sim_node *, const void *params);
    bool (*push)(struct sim_node *, uint32_t out_slot, uint32_t packet); /* Can it start at once? */
    uint32_t (*peek)(struct sim_node *, uint32_t out_slot); /* The queue is not empty. */
    bool (*pop)(struct sim_node *, uint32_t out_slot);      /* What was peeked; is more there? */

    /* Where an input offers one packet at a time: it has sent that; the output slot of the packet
     * that it offers next, or SIM_NONE.  It offers the same packet to another output.  And marks
     * packets that are not offered yet, [packet].  Else null. */
    uint32_t (*free_input)(struct sim_node *, uint32_t in_slot);
    void (*move)(struct sim_node *, uint32_t out_slot, uint32_t packet); /* From another output. */
    void (*mark_behind)(const struct sim_node *, bool *is_behind);

    /* Fetches what a queue is, and a little later its first packet, in large networks.  Null: it
     * does not pay. */
    void (*fetch)(const struct sim_node *, uint32_t out_slot);
    void (*fetch_head)(const struct sim_node *, uint32_t out_slot);
};

WEIR_REGISTRY(struct sim_arbitration, sim_arbitrations, sim_arbitration)

/* Choice among paths: which of several equally short paths a packet takes from a switch. */
struct sim_path_choice {
    struct weir_plugin about;
    bool is_fixed; /* By flow alone: all its packets take the same path. */

    /* Refuses parameters that do not fit each other, and names the one at fault in 'at'.  Null: all
     * fit. */
    bool (*check)(const void *params, const char **at, struct err *);

    /* One of the ports, which lead by paths of equal length; its parameters are at n->path_params.
     */
    uint32_t (*choose)(struct sim_node *, const struct sim_packet *, const uint16_t *ports,
                       uint32_t n);
};

WEIR_REGISTRY(struct sim_path_choice, sim_path_choices, sim_path_choice)

/* Scheduling: which class of a port is served next. */
enum { SIM_MAX_ORDER = 9 }; /* All classes, one of them twice. */

struct sim_scheduling {
    struct weir_plugin about;
    size_t (*bytes)(uint32_t n_slots); /* Bytes of its tables, at n->schedule; null: none. */
    void (*init)(struct sim_node *, const void *params, const uint32_t *weights); /* [class]. */

    /* The classes to try, in order, and their number; a class may be there twice. */
    uint32_t (*order)(const struct sim_node *, uint32_t port, uint8_t *classes);
    void (*served)(struct sim_node *, uint32_t port, uint32_t cls, uint32_t bytes);

    /* The classes that are always served before a class, a bit each.  Null: there are none. */
    uint32_t (*before)(const struct sim_node *, uint32_t cls);
};

WEIR_REGISTRY(struct sim_scheduling, sim_schedulings, sim_scheduling)

#endif
