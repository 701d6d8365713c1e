/* Describes a network of identical switches in a few lines, for planners, benchmarks and tests.
 *
 *     struct simple_net net = { .topo = &topo, .n_classes = 1, .mtu_bytes = 1500, ... };
 *     weir_stack_add(&net.stack, weir_engine_find("pfc"));
 *     struct sim *sim = simple_net_sim_new(&net, &err);
 *
 * Scenarios, whose nodes may all differ, are bound in src/bind. */

#ifndef SIMPLE_NET_H
#define SIMPLE_NET_H

#include "sim/sim.h"

struct simple_net_flow { /* Like struct model_flow, with its own terms. */
    uint32_t from, to, after;
    uint16_t n_path;
    uint8_t group, cls;
    uint64_t bytes, rate_bps;
    weir_ps start_ps, stop_ps;
    const uint16_t *path;
    const struct transport *transport;
    const void *transport_params;
    const struct recovery *recovery;
    const void *recovery_params;
};

struct simple_net {
    const struct topo *topo;
    struct weir_stack stack; /* The stack of every node, not resolved. */
    uint8_t n_classes, lossless;
    uint32_t mtu_bytes, gap_bytes;
    weir_ps response_ps;
    /* The buffer of each class of a port; a NIC always has room for a packet. */
    struct weir_buffer_class buffer;
    uint64_t shared_bytes;       /* The shared part of a switch. */
    const struct sim_kind *kind; /* The kind of switches; null: oq. */
    const void *kind_params;     /* The parameters of 'kind'; null: the defaults. */
    const char *arbitration;     /* The arbitration among inputs, a name from sim_arbitrations. */
    uint32_t host_share; /* For wfq: the ratio of the share of an input from a NIC to that of an
                            input from a switch; 0: a half. */
    /* The scheduling among classes, a name from sim_schedulings; null: rr. */
    const char *scheduling;
    uint32_t weights[WEIR_MAX_CLASSES]; /* For dwrr; 0: strict priority over all classes with a
                                           weight. */
    const char *paths;                  /* The choice among paths, a name from sim_path_choices;
                                         * null: hash. */
    uint32_t ack_every;                 /* The number of packets per ACK; 0: 1. */
    weir_ps retry_ps;      /* The time without an ACK after which a flow retransmits; 0:
                            * TP_TIMEOUT_PS. */
    uint8_t answers;       /* As in struct model: 1 plus the class of ACKs, NACKs and CNPs; 0: they
                            * travel in the class of their flow. */
    uint16_t answer_bytes; /* The size of an ACK, a NACK and a CNP; 0: the size of a control
                            * frame. */
    weir_ps cnp_delay_ps;
    const struct simple_net_flow *flows;
    uint32_t n_flows;
    const struct model_job *jobs;
    uint32_t n_jobs;
    const struct topo_link_event *link_events;
    uint32_t n_link_events;
    const struct topo_slowing *slowings;
    uint32_t n_slowings;
    uint32_t hop_limit;
    weir_ps reroute_ps;
    enum model_dead dead;
    const struct model_stall *stalls;
    uint32_t n_stalls;
    struct model_watchdog watchdog;
    struct sim_config run;
};

/* Returns null with an error if a name is unknown or the engines do not suit a node. */
struct sim *simple_net_sim_new(const struct simple_net *, struct err *);

/* Makes only the model, which the caller frees or passes on, even if the function returns false. */
bool simple_net_model(const struct simple_net *, struct model *, struct err *);

#endif
