/* Kinds of nodes, and the plug-ins of their parts: arbitration among inputs, scheduling among
 * classes.
 *
 * A kind determines how a switch or NIC handles packets.  It is a descriptor of hooks that the core
 * calls.  It owns its memory and its events.  The core owns wires, clocks, engines and mail.  It
 * uses a kind only through the hooks of this header.  The calls that a kind may make are in
 * host/host.h. */

#ifndef SIM_KIND_H
#define SIM_KIND_H

#include "sim/nodes/packets.h"
#include "weir/engine.h"

struct err;
struct sim;
struct sim_node;
struct sim_thread;

/* A packet that a node holds, and the output for which it waits. */
struct sim_waiting {
    const struct sim_packet *packet;
    uint32_t in_slot;  /* The input that counts the packet; SIM_NONE: it has left its input. */
    uint32_t out_slot; /* The transmit queue through which it will leave; SIM_NONE: it is not
                        * forwarded, and waits for no queue. */
    bool is_behind;    /* Another packet of its input must leave first. */
};

/* Called with each packet that a node holds; returns whether to continue. */
typedef bool sim_visit_held(void *arg, const struct sim_waiting *);

/* Counts and notes a packet that is dropped while it waits to leave through a port. */
typedef void sim_drop(struct sim_thread *, struct sim_node *, uint32_t port,
                      const struct sim_packet *, weir_ps now);

/* The outputs that can keep an input of a switch from draining: the outputs to which its packets
 * go, any output, or none.  Any output can if it can block the one pipeline; none can if outputs
 * drop packets that do not fit. */
enum sim_input_wait { SIM_WAITS_FOR_OWN_OUTPUT, SIM_WAITS_FOR_ALL, SIM_WAITS_FOR_NOTHING };

struct sim_arbitration;

/* The parts of a switch other than its kind, and the duration of the run; 0: not known. */
struct sim_making {
    const struct sim_arbitration *arbitration;
    const struct weir_buffer_class *buffer; /* The buffer of each (port, class). */
    uint64_t shared_bytes;                  /* The bytes that all ports and classes share. */
    uint32_t mtu_bytes, n_ports, n_classes;
    uint32_t n_leaves;             /* The number of leaves of the whole network. */
    const struct weir_port *ports; /* The ports of the switch; null: the check is not for a certain
                                    * switch. */
    bool inner_links_fail;         /* Links inside fabrics lose packets, or go down. */
    weir_ps until_ps;
};

struct sim_kind {
    struct weir_plugin about;
    bool is_watched; /* Its transmit queues can have a watchdog, because it can discard their
                      * packets. */

    /* Returns what inputs wait for, given the parameters of the role: at outputs inside a fabric,
     * or at other outputs.  Null: each packet waits for its own output. */
    enum sim_input_wait (*input_wait)(const void *params, bool is_inner);

    /* Returns true if the parameters, each in its range, fit together.  Otherwise 'why' has the
     * reason, and names by %P the value to change: a parameter, or another part.  If the function
     * returns true, the text is a warning.  Null: all parameters fit. */
    bool (*check)(const void *params, const struct sim_making *, struct weir_text *why);

    /* For a switch with ports inside a fabric: sets the buffer of a port if it differs from the
     * buffer of the role, which is in 'input'.  Also sets the maximum number of bytes of a class at
     * its output; 0: no limit.  Null: all ports are equal. */
    void (*port_buffer)(const void *params, const struct weir_port *,
                        struct weir_buffer_class *input, uint64_t *output_bytes);

    /* Adds properties of the kind to the shape of a node, for engines.  Null: there are none. */
    void (*shape)(const void *params, struct weir_shape *);

    /* Posts the first mail of all nodes of the kind; called once before the first window.  Null:
     * there is no mail. */
    void (*begin)(struct sim *);

    /* The memory that 'init' allocates for a node, apart from a few bytes for each port.  Null: it
     * allocates no more. */
    uint64_t (*bytes)(const void *params, uint32_t n_ports, uint32_t n_classes, uint32_t n_leaves);

    /* Allocate the memory of a node at the start, and free it.  Null: it needs no memory. */
    void (*init)(struct sim_thread *, struct sim_node *, const void *params);
    void (*release)(struct sim_node *);

    /* Called in large networks, some time before mail is run.  Prefetches the memory that the mail
     * needs, and writes to 'node' of the mail a number that does not depend on events in the
     * window. */
    void (*prepare)(const struct sim_thread *, struct sim_node *, struct sim_mail *, uint32_t n);

    /* Prefetch memory for the first 64 ports that wake, one bit each.  The first hook prefetches
     * the state that they read.  The second, which is called later, prefetches the packets that
     * they send; it may be null. */
    void (*fetch_ports)(const struct sim_node *, uint64_t wakes);
    void (*fetch_heads)(const struct sim_node *, uint64_t wakes);

    /* Called when a packet has arrived, in the class that it has at this node.  If packets change
     * class from hop to hop, there may be no class left for a packet; 'arrive_unclassed' gets such
     * packets, with the class in which they were sent. */
    void (*arrive)(struct sim_thread *, struct sim_node *, const struct sim_mail *);
    void (*arrive_unclassed)(struct sim_thread *, struct sim_node *, const struct sim_mail *);

    /* Sends the next packet of a class of a port and returns 'now', or returns the time at which
     * its gates may allow it. */
    weir_ps (*send)(struct sim_thread *, struct sim_node *, uint32_t port, uint32_t cls,
                    weir_ps now);

    /* Runs an event of the kind, SIM_OWN + 0 and so on.  Null: it has no events. */
    void (*event)(struct sim_thread *, struct sim_node *, const struct sim_mail *);

    /* True if a packet from an untrusted wire may be passed to 'arrive', which trusts its input.
     * Null: any packet of a flow may be passed. */
    bool (*believes)(const struct sim_node *, const struct sim_packet *);

    /* For a kind that can limit flows: sets the maximum rate of a flow, given by its number at the
     * node, and returns the port of the flow, which the caller then serves.  Null: the kind limits
     * no flows. */
    uint32_t (*limit_flow)(struct sim_thread *, struct sim_node *, uint32_t number,
                           uint64_t rate_bps, weir_ps now);

    /* For a kind that can slow senders down: calls the controls of all flows of a slot.  The caller
     * then serves the port.  Null: the kind slows no senders down. */
    void (*slow_flows)(struct sim_thread *, struct sim_node *, uint32_t slot, uint64_t factor,
                       weir_ps now);

    /* The alarm of the node has expired, and is off now.  Null: the kind sets no alarms. */
    void (*alarm)(struct sim_thread *, struct sim_node *, weir_ps now);

    /* A message to this node takes effect; at a NIC, 'flow' is a flow that it sends.  Null: the
     * kind ignores messages. */
    void (*heard)(struct sim_thread *, struct sim_node *, uint32_t flow, const struct weir_frame *,
                  weir_ps now);

    /* Drops the next packet of a transmit queue, by one of host.h's functions.  Null unless
     * 'is_watched'. */
    void (*discard)(struct sim_thread *, struct sim_node *, uint32_t slot, sim_drop *, weir_ps now);

    /* A port is down, and routes have changed since: packets that wait for it take the current
     * routes.  Null for NICs. */
    void (*reforward)(struct sim_thread *, struct sim_node *, uint32_t port, weir_ps now);

    /* Routes have changed, for a kind whose own packets may leave through several ports.  Null:
     * there is nothing to do. */
    void (*rerouted)(struct sim_thread *, struct sim_node *, weir_ps now);

    /* For a kind whose packets all pass one pipeline: whether a transmit queue blocks the pipeline
     * now, and since when.  Several queues may block it together; a packet that leaves any of them
     * ends this.  Packets that have not entered the pipeline are at inputs.  Null: the kind has no
     * such pipeline. */
    bool (*stands_for)(const struct sim_node *, uint32_t slot, weir_ps *since_ps);

    /* Whether an input counts packets whose acknowledgement is still to come.  If so, its peer may
     * be allowed to send although no packet moves here.  Null: no input does. */
    bool (*awaits_word)(const struct sim_node *, uint32_t in_slot);

    /* The clock of a switch was set back: corrects all times in the kind's memory, and 'due_ps' of
     * its packets, with weir_rebased().  Null: the kind keeps no times. */
    void (*rebase)(struct sim_node *, weir_ps by_ps);

    /* Calls a function for every packet at the node, for deadlock detection and conservation. */
    void (*each_held)(const struct sim_node *, sim_visit_held *, void *arg);

    /* Checks the invariants of its own memory; called between windows, in builds with
     * -Dinvariants=true.  Null: the kind has no invariants. */
    bool (*holds)(const struct sim_node *);
};

/* The services that switches of every kind offer to engines. */
#define SIM_SWITCH_SERVICES                                                                        \
    (WEIR_SERVICE_LABELS | WEIR_SERVICE_MESSAGES | WEIR_SERVICE_UNITS | WEIR_SERVICE_OUTPUT_UNITS)

WEIR_REGISTRY(struct sim_kind, sim_kinds, sim_kind) /* Kinds of switches. */
extern const struct sim_kind sim_end_kind;          /* The kind of NICs. */

/* Arbitration: which packet leaves an output next, among packets from different inputs. */
struct sim_arbitration {
    struct weir_plugin about;
    bool is_fifo; /* Its tables are those of fifo.h, and a packet that is sent at once changes no
                   * state of it. */
    size_t (*bytes)(uint32_t n_ports, uint32_t n_classes); /* The size of its tables, at
                                                            * n->queues. */
    void (*init)(struct sim_node *, const void *params);
    bool (*push)(struct sim_node *, uint32_t out_slot, uint32_t packet); /* Adds a packet. True: it
                                                                          * can start. */
    uint32_t (*peek)(struct sim_node *, uint32_t out_slot); /* Returns the next packet; the queue
                                                             * must not be empty. */
    bool (*pop)(struct sim_node *, uint32_t out_slot);      /* Removes the peeked packet; true if
                                                             * more packets wait. */

    /* For arbitrations whose inputs offer one packet at a time; null for others.  After an input
     * has sent its packet, free_input() returns the output slot of its next packet, or SIM_NONE.
     * After 'move' the input offers the same packet to another output.  'mark_behind' marks packets
     * that are not offered yet, [packet]. */
    uint32_t (*free_input)(struct sim_node *, uint32_t in_slot);
    void (*move)(struct sim_node *, uint32_t out_slot, uint32_t packet); /* Moves an offered packet
                                                                          * here from another
                                                                          * output. */
    void (*mark_behind)(const struct sim_node *, bool *is_behind);

    /* For large networks: prefetch the state of a queue, and a little later its first packet. Null:
     * prefetching does not pay. */
    void (*fetch)(const struct sim_node *, uint32_t out_slot);
    void (*fetch_head)(const struct sim_node *, uint32_t out_slot);
};

WEIR_REGISTRY(struct sim_arbitration, sim_arbitrations, sim_arbitration)

/* Choice among paths: which of several equally short paths a packet takes from a switch. */
struct sim_path_choice {
    struct weir_plugin about;
    bool is_fixed;   /* The choice depends only on the flow: all its packets take the same path. */
    bool asks_peers; /* The choice reads to which nodes the ports lead. */

    /* Refuses parameters that do not fit each other, and sets 'at' to the name of the wrong
     * parameter.  Null: all fit. */
    bool (*check)(const void *params, const char **at, struct err *);

    /* Returns one of the ports, all of which lead to paths of equal length; its parameters are at
     * n->path_params. */
    uint32_t (*choose)(struct sim_node *, const struct sim_packet *, const uint16_t *ports,
                       uint32_t n);
};

WEIR_REGISTRY(struct sim_path_choice, sim_path_choices, sim_path_choice)

/* Scheduling: which class of a port is served next. */
enum { SIM_MAX_ORDER = 9 }; /* The maximum number of entries: all classes, one of them twice. */

struct sim_scheduling {
    struct weir_plugin about;
    size_t (*bytes)(uint32_t n_slots); /* The size of its tables, at n->schedule; null: none. */
    void (*init)(struct sim_node *, const void *params, const uint32_t *weights); /* 'weights' is
                                                                                   * [class]. */

    /* Writes the classes to try, in order, and returns their number; a class may occur twice. */
    uint32_t (*order)(const struct sim_node *, uint32_t port, uint8_t *classes);
    void (*served)(struct sim_node *, uint32_t port, uint32_t cls, uint32_t bytes);

    /* Returns the classes that are always served before a class, one bit each.  Null: there are
     * none. */
    uint32_t (*before)(const struct sim_node *, uint32_t cls);
};

WEIR_REGISTRY(struct sim_scheduling, sim_schedulings, sim_scheduling)

#endif
