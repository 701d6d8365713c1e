/* The model: a network as it will run, with every value filled in.
 *
 * Values that a scenario leaves open are settled once, here.  All code that runs, checks or
 * explains a network takes a model, and has no defaults and resolves no engines:
 *
 *     struct model model = { .topo = &topo, .roles = roles, ... };   what nodes are, by role
 *     model_settle(&model, &node, &said);   shapes and engines of every node, or what does not fit
 *     sim_new(&config, &model, &err);       the simulator owns it from then on
 *
 * A role is what some nodes have in common: kind, engines, buffer.  Nodes of one role may still
 * differ, as engines derive thresholds from the links of the node that they stand at. */

#ifndef MODEL_H
#define MODEL_H

#include "base/err.h"
#include "sim/nodes/kind.h"
#include "topo/topo.h"
#include "transport/transport.h"
#include "weir/node.h"

#define MODEL_ENDLESS UINT64_MAX
#define MODEL_NO_NODE UINT32_MAX

/* Terms that flows share: all flows of a workload have the same. */
struct model_terms {
    uint64_t rate_bps;    /* WEIR_UNLIMITED: as fast as the NIC may. */
    weir_ps stop_ps;      /* Nothing new of it starts then or later; 0: it does not stop. */
    const uint16_t *path; /* Port numbers to leave by, a switch each; null: routed by hash. */
    uint16_t n_path;
    const struct transport *transport; /* Null: raw. */
    const void *transport_params;      /* Its fields define it; null if there are none. */
    const struct recovery *recovery;   /* Null: as the transport has it. */
    const void *recovery_params;       /* Its fields define it; null: their defaults. */
};

struct model_flow {
    uint32_t from, to; /* Nodes, both NICs. */

    /* 1 + the flow that must be through first, and start_ps counts from then; 0: none.  If both
     * have one sender, it is through when it is sent, or acknowledged if it is reliable; if its
     * receiver is this one's sender, when it is received. */
    uint32_t after;
    uint8_t group; /* 0: it was listed; 1 + number of the workload that it was drawn by.  Flows
                    * of a group stand together; their routes do not depend on other groups. */
    uint8_t cls;
    uint64_t bytes; /* MODEL_ENDLESS: as long as the run. */
    weir_ps start_ps;
    const struct model_terms *terms;
};

_Static_assert(sizeof(struct model_flow) == 40, "there may be millions");

/* A NIC that does not drain: packets for it from 'from_ps' on stay in its buffer until 'until_ps',
 * and its engines treat them as any queue. */
struct model_stall {
    uint32_t node;
    uint8_t classes; /* Bit c is set for class c. */
    weir_ps from_ps, until_ps;
};

/* The watchdog of each transmit queue of a switch.  A queue that has packets, is paused and has
 * sent nothing for 'detection_ps' is in a storm:
 *
 *     drop      what stands there, and what comes, is dropped
 *     forward   the pause is not heeded
 *     alert     that is counted
 *
 * until its peer has not asked for a pause for 'restoration_ps'; an alert, until the pause ends. */
enum model_watchdog_action { MODEL_NO_WATCHDOG, MODEL_DROP, MODEL_FORWARD, MODEL_ALERT };

struct model_watchdog {
    enum model_watchdog_action action;
    weir_ps detection_ps, restoration_ps;
};

/* A role's of a scenario has up to 63 characters, and that of its hosts " (hosts)" behind them. */
enum { MODEL_NAME_BYTES = 80, MODEL_MAX_PARAMS = 16 };

/* The buffer of a (port, class) at ports of at least this rate, instead of that of all. */
struct model_speed {
    uint64_t from_bps;
    struct weir_buffer_class buffer; /* Partitions are not of a port: those of the role count. */
};

/* As a response time: the maximum that 802.3 allows at the rate of each port. */
#define MODEL_BY_RATE WEIR_NEVER

struct model_role {
    char name[MODEL_NAME_BYTES];
    const struct sim_kind *kind;
    const struct sim_arbitration *arbitration; /* Null: it has no inputs to choose among. */
    const struct sim_path_choice *path_choice; /* Null: it does not forward. */
    const struct sim_scheduling *scheduling;
    uint64_t kind_params[MODEL_MAX_PARAMS], arbitration_params[MODEL_MAX_PARAMS];
    uint64_t path_params[MODEL_MAX_PARAMS], scheduling_params[MODEL_MAX_PARAMS];
    uint32_t weights[WEIR_MAX_CLASSES]; /* For dwrr; 0: served before all classes with a weight. */
    struct weir_stack stack;            /* As in the scenario: not resolved. */
    struct weir_buffer_class buffer;    /* The buffer of each (port, class). */
    const struct model_speed *speeds;   /* Slow ones first. */
    uint32_t n_speeds;
    uint64_t shared_bytes;
    weir_ps response_ps; /* From the last bit of a frame to its effect; or MODEL_BY_RATE. */
    struct model_watchdog watchdog;
};

/* The fate of packets that wait at a port of a switch whose link is down: they take new routes as
 * soon as there are any, they are dropped, or they wait for the link. */
enum model_dead { MODEL_DEAD_FORWARD, MODEL_DEAD_FLUSH, MODEL_DEAD_WAIT };

struct model_engines {       /* Resolved, for nodes that are built alike. */
    struct weir_shape shape; /* The shape of the first of them. */
    struct weir_stack stack;
    struct weir_needs needs;
    uint32_t first_node; /* The first node that has them. */
};

struct model_warning {
    uint32_t node;    /* The first that it is about; MODEL_NO_NODE: it is about senders. */
    const char *text; /* A message about a missed bound, or about ends that differ. */
    const struct weir_field *field; /* The parameter that it is about; or null. */
    bool is_of_link;                /* The engines at both ends of a link do not fit together. */
};

struct model_node {
    uint32_t role, engines;
    uint32_t n_flows; /* Flows that it sends. */
};

struct model {
    /* Inputs. */
    const struct topo *topo;
    struct model_role *roles;
    uint32_t n_roles;
    uint32_t *role_of; /* [node of the topology]. */
    uint8_t n_classes, lossless;
    uint32_t mtu_bytes, gap_bytes;
    uint32_t hop_limit;   /* Switches that a packet may cross, up to 255; 0: any number. */
    weir_ps reroute_ps;   /* Time from a link event until all switches have new routes; 0: never. */
    enum model_dead dead; /* Packets at a port of a switch whose link is down. */
    uint32_t ack_every;   /* Packets per ACK. */
    bool joins_next;      /* At its NIC a new flow has the next turn, not the last. */
    weir_ps retry_ps;     /* Time without an ACK after which a flow goes back. */
    uint8_t answers;      /* 1 + the class of all ACKs, NACKs and CNPs; 0: that of their flow. */
    uint16_t answer_bytes; /* Size of an ACK, a NACK and a CNP. */
    weir_ps cnp_delay_ps;  /* From the arrival of a marked packet to its CNP. */
    const struct model_flow *flows;
    uint32_t n_flows;
    const struct topo_link_event *link_events;
    uint32_t n_link_events;
    const struct topo_slowing *slowings;
    uint32_t n_slowings;
    const struct model_stall *stalls;
    uint32_t n_stalls;
    weir_ps until_ps; /* How long it is to run; 0: not known. */
    uint32_t seed;    /* The seed of engines that are given none of their own. */

    /* Values that follow from these, once it is settled. */
    struct model_node *nodes; /* [node of the topology]. */
    struct model_engines *engines;
    size_t n_engines, max_engines;
    struct model_warning *warnings; /* No text twice. */
    size_t n_warnings, max_warnings;
    weir_ps response_ps;   /* The longest of any port. */
    bool inner_links_fail; /* Some link inside a fabric loses packets, or goes down. */
    bool links_clash;      /* It was refused because of the engines at both ends of a link. */

    void **owned; /* Memory that was allocated for it, and is freed with it. */
    size_t n_owned, max_owned;
};

/* Derives the remaining values. Returns false if the engines of some node do not fit it, or those
 * at the other end of a link: 'node' is that node, and 'said' the reason. */
bool model_settle(struct model *, uint32_t *node, struct weir_text *said);

/* The first speed with settings that the kind of a role does not take, though it takes those of its
 * other ports; 'said' has the reason. n_speeds: none. */
uint32_t model_odd_speed(const struct model *, const struct model_role *, struct weir_text *said);

/* Compares the properties that both ends of every link must share (enum weir_ends): warns, or
 * returns false as above.  For model_settle(). */
bool model_ends_agree(struct model *, uint32_t *node, struct weir_text *said);

/* Compares the engines at both ends of every link: warns of packets that may be lost because a
 * sender does not obey its receiver; returns false as above if a sender would wait for ever.  For
 * model_settle(). */
bool model_peers_fit(struct model *, uint32_t *node, struct weir_text *said);

/* Whether the frames of two engines have one protocol (weir/engine.h). */
bool model_same_protocol(const struct weir_engine *, const struct weir_engine *);

/* Keeps warnings, a line each, unless another node has the same; for a node, or for a link. */
void model_warn(struct model *, uint32_t node, const struct weir_text *said);
void model_warn_of_link(struct model *, uint32_t node, const struct weir_text *said);

/* Remembers memory that is freed with the model, and returns it. */
void *model_own(struct model *, void *memory);
void model_free(struct model *);

const struct model_role *model_role_at(const struct model *, uint32_t node);

/* How long a node takes to obey a frame that comes by this port, which is counted at the node. */
weir_ps model_response_ps(const struct model *, uint32_t node, uint32_t port);
const struct weir_stack *model_stack_at(const struct model *, uint32_t node);

/* The shape of a node; and that of the first node that is built alike, which has another number and
 * may send more or fewer flows, without a copy.  A port of the topology. */
struct weir_shape model_shape_of(const struct model *, uint32_t node);
const struct weir_shape *model_shape_like(const struct model *, uint32_t node);
const struct weir_port *model_port_at(const struct model *, uint32_t port);

/* The class in which a flow is answered. */
static inline uint8_t
model_answer_class(const struct model *p, const struct model_flow *f)
{
    return p->answers ? p->answers - 1 : f->cls;
}

/* The limits that the engines of all nodes may set (enum weir_limit, or'ed).  Whether switches mark
 * packets, and whether packets change class.  Whether there are watchdogs, whether one acts at a
 * node (where pauses are), how soon the first does, or WEIR_NEVER.  The names of all engines, each
 * once, separated by blanks. */
uint32_t model_limits(const struct model *);
bool model_marks(const struct model *);
bool model_notifies(const struct model *); /* Receivers of some flow send CNPs. */
bool model_controls(const struct model *); /* Some transport has a control: a rate or a window. */
bool model_sends_messages(const struct model *); /* Some engine sends messages to the senders of
                                                  * flows. */
bool model_moves_classes(const struct model *);
bool model_restarts_links(const struct model *); /* Some link comes up again. */
bool model_minds_outputs(const struct model *);  /* Queues of outputs decide something. */
bool model_has_stages(const struct model *, uint32_t node);
bool model_asks_for_watchdog(const struct model *);
bool model_is_watched(const struct model *, uint32_t node);
weir_ps model_detection_ps(const struct model *);
void model_list_engines(const struct model *, struct weir_text *);
void model_list_arbitrations(const struct model *, struct weir_text *); /* The same of those. */

/* The minimum time that anything takes on a link, from its first bit to its last: on any link, or,
 * if each node is in a part [node of the topology], on those that lead to another part.
 * WEIR_NEVER: there is no such link. */
weir_ps model_quickest_ps(const struct model *, const uint32_t *part);

/* [link]: packets that cross it while the model runs, ACKs too, in both directions; to be freed.
 * Each switch shares out evenly, and no link carries more than its rate allows. */
uint64_t *model_expect(const struct model *);

/* A NIC drains at once, and always has room for a packet; it shares no memory among classes. */
struct weir_buffer_class model_nic_buffer(const struct weir_buffer_class *, uint32_t mtu_bytes);

#endif
