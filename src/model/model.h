/* The model: a network as it will run, with every value filled in.
 *
 * Values that a scenario does not set are determined once, here.  All code that runs, checks or
 * explains a network takes a model; it has no defaults and resolves no engines:
 *
 *     struct model model = { .topo = &topo, .roles = roles, ... };   properties of nodes, by role
 *     model_settle(&model, &node, &said);   shapes and engines of every node, or an error
 *     sim_new(&config, &model, &err);       the simulator owns the model from then on
 *
 * A role has the properties that some nodes share: kind, engines, buffer.  Nodes of one role may
 * still differ, because engines derive thresholds from the links of their node. */

#ifndef MODEL_H
#define MODEL_H

#include "base/err.h"
#include "model/program.h"
#include "sim/nodes/kind.h"
#include "topo/topo.h"
#include "transport/transport.h"
#include "weir/node.h"

#define MODEL_ENDLESS  UINT64_MAX
#define MODEL_MESSAGES (UINT64_MAX - 1) /* The bytes of a flow that is a connection. */
#define MODEL_NO_NODE  UINT32_MAX

/* Terms that flows share: all flows of a workload have the same. */
struct model_terms {
    uint64_t rate_bps;    /* The rate limit; WEIR_UNLIMITED: the rate of the NIC. */
    weir_ps stop_ps;      /* The time from which it sends no new packets; 0: it does not stop. */
    const uint16_t *path; /* The output port number at each switch; null: routed by hash. */
    uint16_t n_path;
    uint8_t from_port;                 /* With a path: the port through which the sender sends. */
    const struct transport *transport; /* Null: raw. */
    const void *transport_params; /* The parameters, as the transport's fields define them; null if
                                     it has none. */
    const struct recovery *recovery; /* Null: the recovery of the transport. */
    const void *recovery_params; /* The parameters, as the recovery's fields define them; null: the
                                    defaults. */
};

struct model_flow {
    uint32_t from, to; /* The sender and the receiver: nodes, both NICs. */

    /* 1 + the flow that must be finished first; start_ps counts from then; 0: none.  A flow of the
     * same sender is finished when it has been sent, or acknowledged if it is reliable.  A flow to
     * this flow's sender is finished when it has been received. */
    uint32_t after;
    uint8_t group; /* 0: listed; else 1 + the number of the workload that generated it.  Flows of a
                    * group are consecutive; their routes do not depend on other groups. */
    uint8_t cls;
    uint64_t bytes; /* The size; MODEL_ENDLESS: it sends until the run ends; MODEL_MESSAGES: it is a
                     * connection, which sends the messages of a rank of a job. */
    weir_ps start_ps;
    const struct model_terms *terms;
};

_Static_assert(sizeof(struct model_flow) == 40, "there may be millions");

/* Whether a flow with this number of bytes ends: it is neither endless nor a connection. */
static inline bool
model_is_finite(uint64_t bytes)
{
    return bytes < MODEL_MESSAGES;
}

/* A connection carries the messages of one rank of a job to another, in order.  A pair of ranks may
 * have several. */
struct model_connection {
    uint32_t rank, peer; /* The rank that sends, and the rank that receives. */
    uint32_t channel;    /* The number of the connection among those of the pair, from 0. */
    uint32_t flow;       /* A flow of MODEL_MESSAGES between the hosts of the two ranks. */
};

struct model_job {
    const struct program *program;
    void *what;                    /* The program's input. */
    void (*free_what)(void *what); /* Frees the input with the model; null: it is lent. */
    const uint32_t *nodes;         /* [rank]: its host.  A host has at most one rank of a job. */
    uint32_t n_ranks;
    weir_ps start_ps;
    size_t n_spans;                             /* The number of spans of each rank. */
    const struct model_connection *connections; /* By rank, peer and channel; each once. */
    size_t n_connections;
};

/* A NIC that temporarily does not drain: packets that arrive from 'from_ps' on stay in its buffer
 * until 'until_ps', and its engines treat them like any queue. */
struct model_stall {
    uint32_t node;
    uint8_t classes; /* Bit c is set for class c. */
    weir_ps from_ps, until_ps;
};

/* The watchdog of each transmit queue of a switch.  A queue that has packets, is paused and has
 * sent nothing for 'detection_ps' is in a storm:
 *
 *     drop      the watchdog drops the packets of the queue, and packets that arrive for it
 *     forward   the queue ignores the pause
 *     alert     the watchdog only counts the storm
 *
 * A storm ends when the peer has requested no pause for 'restoration_ps'; with 'alert', when the
 * pause ends. */
enum model_watchdog_action { MODEL_NO_WATCHDOG, MODEL_DROP, MODEL_FORWARD, MODEL_ALERT };

struct model_watchdog {
    enum model_watchdog_action action;
    weir_ps detection_ps, restoration_ps;
};

/* The name of a scenario's role has up to 63 characters; the role of its hosts has the suffix "
 * (hosts)". */
enum { MODEL_NAME_BYTES = 80, MODEL_MAX_PARAMS = 16 };

/* The buffer of one class at ports with at least this rate, in place of the general one. */
struct model_speed {
    uint64_t from_bps;
    /* Partitions are not specific to ports: those of the role apply. */
    struct weir_buffer_class buffer;
};

/* A special response time: the maximum that 802.3 allows at the rate of each port. */
#define MODEL_BY_RATE WEIR_NEVER

struct model_role {
    char name[MODEL_NAME_BYTES];
    const struct sim_kind *kind;
    const struct sim_arbitration *arbitration; /* Null: the node has no inputs to arbitrate. */
    const struct sim_path_choice *path_choice; /* Null: the node does not forward. */
    const struct sim_scheduling *scheduling;
    uint64_t kind_params[MODEL_MAX_PARAMS], arbitration_params[MODEL_MAX_PARAMS];
    uint64_t path_params[MODEL_MAX_PARAMS], scheduling_params[MODEL_MAX_PARAMS];
    uint32_t weights[WEIR_MAX_CLASSES]; /* For dwrr; 0: strict priority over all classes with a
                                           weight. */
    struct weir_stack stack;            /* The stack of the scenario, not resolved. */
    struct weir_buffer_class buffer;    /* The buffer of each class of each port. */
    const struct model_speed *speeds;   /* In order of speed, the slowest first. */
    uint32_t n_speeds;
    uint64_t shared_bytes;
    /* The time from the last bit of a frame to its effect; or MODEL_BY_RATE. */
    weir_ps response_ps;
    struct model_watchdog watchdog;
};

/* The fate of packets at a switch port whose link is down: they take new routes as soon as these
 * exist, they are dropped, or they wait for the link. */
enum model_dead { MODEL_DEAD_FORWARD, MODEL_DEAD_FLUSH, MODEL_DEAD_WAIT };

struct model_engines {       /* Resolved engines, which nodes with equal properties share. */
    struct weir_shape shape; /* The shape of the first of these nodes. */
    struct weir_stack stack;
    struct weir_needs needs;
    uint32_t first_node; /* The first node with these engines. */
};

struct model_warning {
    /* The first node that the warning is about; MODEL_NO_NODE: it is about senders. */
    uint32_t node;
    const char *text;               /* A message about a missed bound, or about ends that differ. */
    const struct weir_field *field; /* The parameter that it is about; or null. */
    bool is_of_link; /* It is about engines at both ends of a link that do not work together. */
};

struct model_node {
    uint32_t role, engines;
    uint32_t n_flows; /* The number of flows that it sends. */
};

struct model {
    /* Values that the caller sets. */
    const struct topo *topo;
    struct model_role *roles;
    uint32_t n_roles;
    uint32_t *role_of; /* [node of the topology]. */
    uint8_t n_classes, lossless;
    uint32_t mtu_bytes, gap_bytes;
    uint32_t hop_limit;    /* The number of switches that a packet may cross, up to 255; 0: any
                            * number. */
    weir_ps reroute_ps;    /* The time from a link event until all switches have new routes; 0: they
                            * never get new routes. */
    enum model_dead dead;  /* The fate of packets at a switch port whose link is down. */
    uint32_t ack_every;    /* The number of packets per ACK. */
    bool joins_next;       /* A new flow at a NIC is served next, not last. */
    weir_ps retry_ps;      /* The time without an ACK after which a flow retransmits. */
    uint8_t answers;       /* 1 + the class of all ACKs, NACKs and CNPs; 0: they travel in the class
                            * of their flow. */
    uint16_t answer_bytes; /* The size of an ACK, a NACK and a CNP. */
    weir_ps cnp_delay_ps;  /* The time from the arrival of a marked packet to its CNP. */
    const struct model_flow *flows;
    uint32_t n_flows;
    const struct model_job *jobs; /* Each connection among the flows belongs to one of them. */
    uint32_t n_jobs;
    const struct topo_link_event *link_events;
    uint32_t n_link_events;
    const struct topo_slowing *slowings;
    uint32_t n_slowings;
    const struct model_stall *stalls;
    uint32_t n_stalls;
    weir_ps until_ps; /* The duration of the run; 0: unknown. */
    uint32_t seed;    /* The seed for engines that have no seed of their own. */

    /* Values that follow from those above, once the model is settled. */
    struct model_node *nodes; /* [node of the topology]. */
    struct model_engines *engines;
    size_t n_engines, max_engines;
    struct model_warning *warnings; /* All warnings, each text once. */
    size_t n_warnings, max_warnings;
    weir_ps response_ps;   /* The longest response time of all ports. */
    bool inner_links_fail; /* Some link inside a fabric loses packets, or goes down. */
    bool links_clash;      /* The model was refused because of engines at both ends of a link. */

    void **owned; /* Memory that is freed with the model. */
    size_t n_owned, max_owned;
};

/* Derives the remaining values.  Returns false if the engines of a node do not suit the node, or do
 * not suit the engines at the other end of a link.  'node' is then that node, and 'said' has the
 * reason. */
bool model_settle(struct model *, uint32_t *node, struct weir_text *said);

/* Returns the first speed with settings that the kind of a role does not accept, although it
 * accepts the settings of other ports; 'said' has the reason. Returns n_speeds if there is none. */
uint32_t model_odd_speed(const struct model *, const struct model_role *, struct weir_text *said);

/* Compares the properties that both ends of every link must share (enum weir_ends).  Warns, or
 * returns false like model_settle(), which calls it. */
bool model_ends_agree(struct model *, uint32_t *node, struct weir_text *said);

/* Compares the engines at both ends of every link.  Warns of packets that may be lost because a
 * sender does not obey its receiver.  Returns false like model_settle(), which calls it, if a
 * sender would wait for ever. */
bool model_peers_fit(struct model *, uint32_t *node, struct weir_text *said);

/* Whether the frames of two engines have one protocol (weir/engine.h). */
bool model_same_protocol(const struct weir_engine *, const struct weir_engine *);

/* Add warnings, one per line, for a node or a link, unless another node has the same warning. */
void model_warn(struct model *, uint32_t node, const struct weir_text *said);
void model_warn_of_link(struct model *, uint32_t node, const struct weir_text *said);

/* Makes the model the owner of memory, and returns it. */
void *model_own(struct model *, void *memory);
void model_free(struct model *);

const struct model_role *model_role_at(const struct model *, uint32_t node);

/* The response time of a node to a frame that arrives on this port, which is numbered within the
 * node. */
weir_ps model_response_ps(const struct model *, uint32_t node, uint32_t port);
const struct weir_stack *model_stack_at(const struct model *, uint32_t node);

/* The shape of a node.  The second function avoids the copy: it returns the shape of the first node
 * with equal properties, whose number and count of flows may differ. */
struct weir_shape model_shape_of(const struct model *, uint32_t node);
const struct weir_shape *model_shape_like(const struct model *, uint32_t node);

/* A port as engines see it, given its index in the topology. */
const struct weir_port *model_port_at(const struct model *, uint32_t port);

/* The class in which the receiver of a flow sends ACKs, NACKs and CNPs. */
static inline uint8_t
model_answer_class(const struct model *p, const struct model_flow *f)
{
    return p->answers ? p->answers - 1 : f->cls;
}

/* Properties of all nodes together. */

/* The limits that engines may set (enum weir_limit, or'ed). */
uint32_t model_limits(const struct model *);
bool model_marks(const struct model *);    /* Whether switches mark packets. */
bool model_notifies(const struct model *); /* Whether the receiver of some flow sends CNPs. */
/* Whether a transport has a control: a rate or a window. */
bool model_controls(const struct model *);
/* Whether an engine sends messages to the senders of flows. */
bool model_sends_messages(const struct model *);
bool model_moves_classes(const struct model *);  /* Whether packets change class. */
bool model_restarts_links(const struct model *); /* Whether a link comes up again. */
bool model_minds_outputs(const struct model *);  /* Whether any engine or kind of switch decides by
                                                  * the lengths of output queues. */
bool model_has_stages(const struct model *, uint32_t node);

/* Whether there are watchdogs; whether one can act at a node, which needs pauses; and the shortest
 * time until one acts, or WEIR_NEVER. */
bool model_asks_for_watchdog(const struct model *);
bool model_is_watched(const struct model *, uint32_t node);
weir_ps model_detection_ps(const struct model *);

/* Write the names of all engines or of all arbitrations, without repetition, separated by blanks.
 */
void model_list_engines(const struct model *, struct weir_text *);
void model_list_arbitrations(const struct model *, struct weir_text *);

/* The minimum time that a packet or frame takes on a link, from its first bit at one end to its
 * last bit at the other.  If 'part' has the part of each node, only links between parts count.
 * WEIR_NEVER: there is no such link. */
weir_ps model_quickest_ps(const struct model *, const uint32_t *part);

/* Predicts the packets on each link during the run, including ACKs, in both directions; the caller
 * frees the array.  Each switch distributes flows evenly, and no link carries more than its rate
 * allows. */
uint64_t *model_expect(const struct model *);

/* The buffer of a NIC, which drains at once, always has room for a packet, and shares no memory
 * among classes. */
struct weir_buffer_class model_nic_buffer(const struct weir_buffer_class *, uint32_t mtu_bytes);

#endif
