/* A kind of switch for check-plugins: it holds a fixed number of packets, and does not pass them to
 * engines. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/host/host.h"

struct switch_params {
    uint64_t places;
};

struct places { /* Stored at n->own. */
    uint64_t n_all, n_taken;
};

static const struct weir_field throwaway_switch_fields[] = {
    WEIR_FIELD(struct switch_params, places, "places", WEIR_COUNT, .fallback = 100, .min = 1,
               .max = 100000, .help = "Number of packets that the switch holds.", .source = "-"),
    { 0 },
};

static void
places_init(struct sim_thread *t, struct sim_node *n, const void *params)
{
    struct places *places = array_new(1, sizeof *places);

    (void)t;
    places->n_all = ((const struct switch_params *)params)->places;
    n->own = places;
}

static void
places_release(struct sim_node *n)
{
    free(n->own);
}

static void
places_prepare(const struct sim_thread *t, struct sim_node *n, struct sim_mail *mails,
               uint32_t n_mails)
{
    for (uint32_t i = 0; i < n_mails; i++) {
        mails[i].node =
            mails[i].event == SIM_PACKET ? sim_output_port(t, n, &mails[i].packet) : SIM_NONE;
    }
}

static void
places_fetch_ports(const struct sim_node *n, uint64_t wakes)
{
    (void)n, (void)wakes;
}

/* Whether the switch may hold one more packet, and the buffer has room for it. */
static enum weir_admission
places_admit(struct sim_node *n, const struct sim_mail *m, uint32_t out_slot)
{
    struct places *places = n->own;
    uint32_t in_slot = m->port * n->n_classes + m->packet.cls;
    enum weir_admission how = places->n_taken < places->n_all ? WEIR_ADMITTED : WEIR_DROP_LIMIT;

    if (how == WEIR_ADMITTED) {
        how = weir_buffer_admit(&n->buffer, in_slot, out_slot, m->packet.bytes);
    }
    places->n_taken += how == WEIR_ADMITTED;
    return how;
}

static void
places_arrive(struct sim_thread *t, struct sim_node *n, const struct sim_mail *m)
{
    uint32_t port = sim_output_port(t, n, &m->packet), slot = port * n->n_classes + m->packet.cls;

    if (port == SIM_NONE) {
        sim_drop_unroutable(t, n, m);
        return;
    }
    enum weir_admission how = places_admit(n, m, slot);
    if (how != WEIR_ADMITTED) {
        sim_drop_refused(t, n, m, how);
        return;
    }
    uint32_t index = sim_held_new(n);
    n->pool[index] = (struct sim_held){
        .packet = m->packet, .next = SIM_NONE, .in_port = m->port, .out_port = (uint16_t)port
    };
    n->arbitration->push(n, slot, index);
    sim_port_offer(t, n, port, m->packet.cls, m->at);
}

static weir_ps
places_send(struct sim_thread *t, struct sim_node *n, uint32_t port, uint32_t cls, weir_ps now)
{
    uint32_t slot = port * n->n_classes + cls, index = n->arbitration->peek(n, slot);
    const struct sim_held *held = &n->pool[index];

    if (!n->arbitration->pop(n, slot)) {
        sim_port_idle(n, port, cls);
    }
    weir_buffer_release(&n->buffer, held->in_port * n->n_classes + cls, slot, held->packet.bytes);
    sim_port_send(t, n, port, &held->packet, now);
    sim_held_free(n, index);
    ((struct places *)n->own)->n_taken--;
    return now;
}

static void
places_each_held(const struct sim_node *n, sim_visit_held *visit, void *arg)
{
    bool goes_on = true;

    for (uint32_t i = 0; i < n->n_pool && goes_on; i++) {
        const struct sim_held *held = &n->pool[i];
        uint32_t cls = held->packet.cls;
        if (held->packet.bytes) {
            goes_on = visit(
                arg, &(struct sim_waiting){ .packet = &held->packet,
                                            .in_slot = held->in_port * n->n_classes + cls,
                                            .out_slot = held->out_port * n->n_classes + cls });
        }
    }
}

const struct sim_kind sim_throwaway_switch = {
    .about = { .name = "throwaway-switch",
               .title = "So many packets fit in, and no engine hears of them",
               .params = throwaway_switch_fields,
               .params_bytes = sizeof(struct switch_params) },
    .init = places_init,
    .release = places_release,
    .prepare = places_prepare,
    .fetch_ports = places_fetch_ports,
    .arrive = places_arrive,
    .arrive_unclassed = sim_drop_unclassed,
    .send = places_send,
    .each_held = places_each_held,
};
