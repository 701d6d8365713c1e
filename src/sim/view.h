/* Views: the first rank's copies of ports, queues, flows and nodes that other ranks run.
 *
 * Rank 0 reports the results of the whole network, and callers of sim.h need not know which rank
 * runs a node.  So every result is a plain record, without pointers.  The first rank makes it from
 * its own node, or receives it from the rank that runs the node: before a sample only the records
 * that the sample reads, and at the end all records.  Only the first of several ranks keeps views.
 *
 *     sim_slot_seen(sim, port, cls).in_bytes    from the node if it is here, else from the view
 *     sim_see(sim, sampled);                    called on all ranks, between windows
 *
 * These functions are inline, so a record of which only one member is read costs no more than that
 * member.  (doc/decisions/0053-views-of-other-ranks.md) */

#ifndef SIM_VIEW_H
#define SIM_VIEW_H

#include "sim/flow-ends.h"
#include "sim/wires.h"

#define SIM_SEEN static inline __attribute__((always_inline))

/* The view of a (port, class). */
struct sim_slot_view {
    uint64_t in_bytes, out_bytes; /* The current queues at the input and at the output. */
    uint64_t in_peak_bytes, out_peak_bytes;
    uint64_t in_sum_bytes, out_sum_bytes; /* The sums of these queues over all samples from the
                                           * middle of the run on. */
    uint64_t rate_bps, credit_bytes;      /* The limits of its gate. */
    weir_ps last_ps, silent_ps;
    struct sim_hold hold;
    struct sim_storms storms;
};

/* The views of a flow at its sender and at its receiver. */
struct sim_sender_view {
    uint64_t sent_bytes, retransmitted_bytes, limit_bps, n_heard;
    uint64_t pace_bps, window_bytes;
    weir_ps started_ps;
    uint64_t is_stopped;
    uint64_t posted_bytes, n_posted, n_sent; /* n_posted and n_sent count messages. */
};

struct sim_sink_view {
    uint64_t received_bytes, n_received, discarded_bytes, middle_bytes;
    weir_ps middle_ps; /* The time at which middle_bytes was counted, which may differ between nodes
                        * that are run alone. */
    weir_ps first_ps, last_ps;
    uint64_t n_messages;
    struct sim_marks marks;
};

/* A packet at an input, by its flow. */
struct sim_unit_view {
    uint32_t flow, bytes;
};

struct sim_sums { /* Sums over all threads of some ranks. */
    uint64_t n_hops, n_events, n_dropped_lossless, n_out_of_order, n_timeouts;
};

struct sim_amount { /* A number of packets, and their bytes. */
    uint64_t n, bytes;
};

/* The packets that nodes of some ranks have sent, and the packets found at these nodes: delivered,
 * dropped, queued or on a wire to them. */
struct sim_balance {
    struct sim_amount sent, found;
    uint32_t odd_node; /* The first node whose packets do not add up to the count of its buffer;
                        * SIM_NONE: none. */
    struct err odd;    /* The difference at odd_node. */
};

struct sim_units_view { /* The index of the first record of a port. */
    size_t first, n;
};

struct sim_view {
    struct sim_port_result *ports; /* [port]. */
    struct sim_slot_view *slots;   /* [port][class]. */
    struct sim_sender_view *senders;
    struct sim_sink_view *sinks;
    uint64_t *passing_bytes;         /* [node]. */
    uint64_t *n_samples;             /* [node]: the number of samples of its queues so far. */
    uint64_t *counters;              /* The counters of engines, from first_counter of a node on,
                                      * layer by layer. */
    uint32_t *first_counter;         /* [node]. */
    struct sim_units_view *units_at; /* [port]. */
    struct sim_unit_view *units;
    size_t n_units, max_units;
    struct sim_note *notes; /* Notes that have not been fetched yet. */
    size_t n_notes, max_notes;
    struct program_report *members; /* [member of sim_jobs]: known at the end. */
    struct program_span *spans;     /* Their spans, member by member. */
    struct sim_flow_wait *waits;    /* The waits of flows, known at the end. */
    size_t n_waits, max_waits;
    struct sim_sums sums;
    struct sim_balance balance;
};

/* These functions are in view.c. */
/* Sends the records that samples read to the first rank; null, at the end of a run, for all records
 * and notes. */
void sim_see(struct sim *, const struct sim_sampled *);

/* For nodes that are run alone: sim_pack_view() appends all records and notes to the parcel.  The
 * receiving process drops the earlier state with sim_forget_views() and reads the new state with
 * sim_unpack_view(). */
void sim_pack_view(struct sim *, struct sim_parcel *);
void sim_forget_views(struct sim *);
void sim_unpack_view(struct sim *, uint32_t rank, const void *bytes, size_t n);

/* Whether the first rank was asked to stop; if so, all ranks stop. */
bool sim_all_are_to_stop(struct sim *);

/* The offset of a field's counter among those of its node. */
uint32_t sim_counter_place(const struct model *, uint32_t node, uint32_t layer,
                           const struct weir_field *);

/* conservation.c: the first function counts the packets of local nodes, and the second adds another
 * count to it. */
struct sim_balance sim_balance_here(const struct sim *);
void sim_add_balance(struct sim_balance *, const struct sim_balance *more);

/* result.c: the first function adds up the sums of local threads, and the second adds other
 * sums. */
struct sim_sums sim_sums_here(const struct sim *);
void sim_add_sums(struct sim_sums *, const struct sim_sums *more);

/* result.c: the views of a local end of a flow. */
struct sim_sender_view sim_sender_now(const struct sim *, uint32_t flow);
struct sim_sink_view sim_sink_now(const struct sim *, uint32_t flow);

/* These functions make records of a node on this rank. */

SIM_SEEN struct sim_port_result
sim_port_now(const struct sim_node *n, uint32_t number)
{
    struct sim_port_result r = n->results[number];

    r.sent_bytes = n->ports[number].sent_bytes;
    r.n_sent = n->ports[number].n_sent;
    return r;
}

SIM_SEEN struct sim_storms
sim_storms_now(const struct sim_node *n, uint32_t slot)
{
    return n->is_watched ? n->watchdogs[slot].so_far : (struct sim_storms){ 0 };
}

SIM_SEEN struct sim_slot_view
sim_slot_now(const struct sim_node *n, uint32_t slot)
{
    const struct weir_gate *g = &n->weir.ctx.gates[slot];
    bool has_credit = g->limit_bytes != WEIR_UNLIMITED;

    return (struct sim_slot_view){
        .in_bytes = n->buffer.slots[slot].in_bytes,
        .out_bytes = n->buffer.slots[slot].out_bytes,
        .in_peak_bytes = n->past[slot].in_peak_bytes,
        .out_peak_bytes = n->past[slot].out_peak_bytes,
        .in_sum_bytes = n->past[slot].in_sum_bytes,
        .out_sum_bytes = n->past[slot].out_sum_bytes,
        .rate_bps = g->rate_bps,
        .credit_bytes = has_credit ? g->limit_bytes - g->sent_bytes : WEIR_UNLIMITED,
        .last_ps = g->last_ps,
        .silent_ps = n->silent_ps[slot],
        .hold = n->holds[slot],
        .storms = sim_storms_now(n, slot),
    };
}

/* These functions return records of any node. */

SIM_SEEN struct sim_port_result
sim_port_seen(const struct sim *sim, uint32_t port)
{
    const struct topo_port *p = &sim->model.topo->ports[port];

    return sim_is_here(sim, p->node) ? sim_port_now(sim_node_at(sim, p->node), p->number)
                                     : sim->ranks.view->ports[port];
}

SIM_SEEN struct sim_slot_view
sim_slot_seen(const struct sim *sim, uint32_t port, uint8_t cls)
{
    const struct topo_port *p = &sim->model.topo->ports[port];
    uint32_t n_classes = sim->model.n_classes;

    return sim_is_here(sim, p->node)
               ? sim_slot_now(sim_node_at(sim, p->node), p->number * n_classes + cls)
               : sim->ranks.view->slots[port * n_classes + cls];
}

#endif
