/* Runs one node alone; the caller provides its wires and its clock.
 *
 * Each node counts as if its own rank ran it.  The first rank runs no node, and receives the
 * reports.  So code that reads data of other processes works as it does with several ranks, and no
 * other code needs to know the difference.  No rank ever waits for another, because reports go only
 * one way. */

#include "sim/live.h"

#include "sim/routing.h"
#include "sim/scheduler.h"
#include "sim/setup.h"
#include "sim/sojourn.h"
#include "sim/view.h"
#include "sim/watch.h"
#include "sim/wires.h"

/* These functions set up the node. */

/* No process waits for another here, so no code may request an exchange. */
static bool
refuse_to_swap(void *arg, const struct sim_parcel *out, struct sim_parcel *in, struct err *err)
{
    (void)arg, (void)out, (void)in;
    return err_set(err, "processes that run one node each do not wait for each other");
}

/* Telemetry needs memory that all switches share, next to the packets.  Switches of one fabric also
 * refer to packets by shared memory, which does not exist here. */
bool
sim_live_can_run(const struct model *model, struct err *err)
{
    if (model->n_jobs) {
        return err_set(err, "jobs cannot be run on real frames, which carry no notices of "
                            "messages; use flows with sizes");
    }
    for (uint32_t i = 0; i < model->n_flows; i++) {
        const struct transport *transport = model->flows[i].terms->transport;
        if (transport && transport->wants_telemetry) {
            return err_set(err,
                           "transport %s needs telemetry from switches, which real frames do not "
                           "carry here; use another transport",
                           transport->about.name);
        }
    }
    for (uint32_t id = 0; id < model->topo->n_nodes; id++) {
        const struct weir_shape shape = model_shape_of(model, id);
        if (weir_has_inner_port(&shape)) {
            return err_set(err,
                           "%s is part of a fabric of several switches, which cannot be run on "
                           "real frames; use single switches",
                           model->topo->nodes[id].name);
        }
    }
    return true;
}

bool
sim_set_live(struct sim *sim, struct err *err)
{
    const struct sim_live *live = sim->config.live;

    if (!live) {
        return true;
    }
    sim->ranks.live = (struct sim_ranks){ .rank = live->node == SIM_NONE ? 0 : live->node + 1,
                                          .n = (uint32_t)sim->model.topo->n_nodes + 1,
                                          .swap = refuse_to_swap };
    sim->config.ranks = &sim->ranks.live;
    sim->config.n_threads = 1;
    return sim_live_can_run(&sim->model, err);
}

/* These functions take packets and frames from outside. */

static inline struct sim_thread *
thread_of(const struct sim *sim)
{
    return &sim->threads[0];
}

static inline struct sim_node *
node_of(const struct sim *sim)
{
    return &sim->threads[0].own[0];
}

/* Changes routes that are due. Routes change between windows, in a simulation and here. */
static inline void
reroute(struct sim *sim, weir_ps now)
{
    if (__builtin_expect(now >= sim->routing.next_change_ps, 0)) {
        sim_reroute(sim, sim_window_start(sim, now));
    }
}

static inline bool
is_due(const struct sim_thread *t, weir_ps until)
{
    return t->far.n && t->far.items[0].at <= until;
}

static __attribute__((noinline)) void
run_due(struct sim *sim, weir_ps until)
{
    struct sim_thread *t = thread_of(sim);

    while (is_due(t, until)) {
        struct sim_mail m = sim_far_pop(&t->far);
        t->n_run++;
        reroute(sim, m.at);
        sim_node_run(t, node_of(sim), &m);
    }
}

void
sim_live_run(struct sim *sim, weir_ps until)
{
    if (is_due(thread_of(sim), until)) {
        run_due(sim, until);
    }
}

weir_ps
sim_live_next(const struct sim *sim)
{
    const struct sim_log *far = &thread_of(sim)->far;

    return far->n ? far->items[0].at : WEIR_NEVER;
}

static inline void
write_mail(const struct sim *sim, uint32_t port, weir_ps at, const struct sim_packet *packet,
           struct sim_mail *m)
{
    *m = (struct sim_mail){ .at = at,
                            .node = sim->config.live->node,
                            .port = (uint16_t)port,
                            .event = SIM_PACKET,
                            .packet = *packet };
}

/* Hot: once per packet. */
void
sim_live_take(struct sim *sim, uint32_t port, weir_ps at, const struct sim_packet *packet)
{
    struct sim_thread *t = thread_of(sim);
    struct sim_mail m;

    write_mail(sim, port, at, packet, &m);
    sim_live_run(sim, at);
    reroute(sim, at);
    t->n_run++;
    sim_node_take(t, node_of(sim), &m);
}

void
sim_live_refuse(struct sim *sim, uint32_t port, weir_ps at, const struct sim_packet *packet)
{
    struct sim_mail m;

    write_mail(sim, port, at, packet, &m);
    sim_live_run(sim, at);
    thread_of(sim)->n_run++;
    sim_node_refuse(thread_of(sim), node_of(sim), &m);
}

void
sim_live_take_copy(struct sim *sim, uint32_t port, weir_ps at, const struct sim_packet *packet)
{
    struct weir_ctx *ctx = &node_of(sim)->weir.ctx;

    sim_live_run(sim, at);
    ctx->is_copy = true;
    sim_live_take(sim, port, at, packet);
    ctx->is_copy = false;
}

uint32_t
sim_live_output_port(struct sim *sim, const struct sim_packet *packet, weir_ps now)
{
    reroute(sim, now);
    return sim_output_port(thread_of(sim), node_of(sim), packet);
}

bool
sim_live_believes_all(const struct sim *sim)
{
    return !node_of(sim)->kind->believes && !sim->routing.has_paths;
}

bool
sim_live_believes(const struct sim *sim, const struct sim_packet *packet)
{
    const struct sim_node *n = node_of(sim);

    return n->kind->believes ? n->kind->believes(n, packet) : sim_is_on_path(sim, n, packet);
}

/* Whether there is room for another message: messages may arrive faster than the port through which
 * they leave can send. */
static bool
has_room_for_message(const struct sim_thread *t)
{
    uint32_t max_control = t->sim->config.live->max_control;

    return !max_control || t->frames_free != SIM_NONE || t->n_frames < max_control;
}

/* Delivers a frame from outside. The destination of a frame needs its response time; other nodes
 * forward the frame at once. */
void
sim_live_hear(struct sim *sim, uint32_t port, weir_ps at, const struct sim_frame *control)
{
    struct sim_thread *t = thread_of(sim);
    uint32_t node = sim->config.live->node;
    bool goes_on = control->to != SIM_NONE && control->to != node;
    weir_ps response_ps = goes_on ? 0 : model_response_ps(&sim->model, node, port);

    if (goes_on && !has_room_for_message(t)) {
        node_of(sim)->results[port].n_messages_dropped++;
        return;
    }

    sim_post(t, &(struct sim_mail){ .at = weir_after(at, response_ps),
                                    .node = node,
                                    .port = (uint16_t)port,
                                    .event = goes_on ? SIM_MESSAGE : SIM_FRAME,
                                    .key = sim_frame_new(t, control) });
}

void
sim_live_set_link(struct sim *sim, uint32_t port, bool is_up, weir_ps now)
{
    sim_live_run(sim, now);
    sim_node_run(thread_of(sim), node_of(sim),
                 &(struct sim_mail){ .at = now,
                                     .node = sim->config.live->node,
                                     .port = (uint16_t)port,
                                     .event = SIM_LINK,
                                     .up = is_up });
}

static bool
is_foreign_first(const struct sim *sim, struct sim_node *n, uint32_t slot)
{
    return sim_slot_has(n, slot) &&
           n->pool[n->arbitration->peek(n, slot)].packet.flow >= sim->model.n_flows;
}

/* Drops foreign packets. An input that offers one packet at a time offers its next packet when the
 * node is run. */
void
sim_live_discard_foreign(struct sim *sim, uint32_t port, weir_ps now)
{
    struct sim_thread *t = thread_of(sim);
    struct sim_node *n = node_of(sim);

    sim_live_run(sim, now);
    for (uint32_t cls = 0; cls < n->n_classes; cls++) {
        while (is_foreign_first(sim, n, port * n->n_classes + cls)) {
            n->kind->discard(t, n, port * n->n_classes + cls, sim_drop_discarded, now);
            t->n_dropped_lossless -= weir_is_lossless(&n->shape, (uint8_t)cls);
            sim_live_run(sim, now);
        }
    }
}

/* Counts a packet after the end as mail that has not arrived, as at the end of a simulation. */
void
sim_live_find(struct sim *sim, uint32_t port, const struct sim_packet *packet)
{
    struct sim_mail m;

    write_mail(sim, port, WEIR_NEVER, packet, &m);
    sim_far_push(&thread_of(sim)->far, &m);
}

uint64_t
sim_live_n_broken(const struct sim *sim)
{
    return sim_sums_here(sim).n_dropped_lossless;
}

struct sim_broken
sim_live_first_broken(const struct sim *sim)
{
    return thread_of(sim)->first_broken;
}

void
sim_live_end(struct sim *sim, weir_ps now)
{
    sim->now_ps = now;
    sim->has_ended = true;
    sim_end_spans(sim);
    sim_end_sojourns(sim);
}
