/* Random kinds of switches: pipelines and crossbars. */

#include "draw-parts.h"

#include "../chance.h"

void
draw_set_kind(struct draw *d, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(d->config.kind->about.params, name), d->kind_params, value);
}

/* Draws a pipeline of any speed, from far too slow to practically unlimited, with a latency of up
 * to a twentieth of the run, and small or large buffers at outputs. */
static void
draw_outputs(struct draw *d, uint64_t *chance)
{
    bool is_limited = !one_in(chance, 5);
    uint64_t room = d->config.mtu_bytes * (1 + below(chance, one_in(chance, 2) ? 8 : 100));

    d->may_stand = one_in(chance, 2);
    draw_set_kind(d, "full", d->may_stand);
    draw_set_kind(d, "egress", is_limited ? room + below(chance, d->config.mtu_bytes) : 0);
    draw_set_kind(d, "egress_of", one_in(chance, 2));
    d->may_overflow = is_limited && !d->may_stand;
    d->may_stand &= is_limited;
}

/* Draws one memory, whose pool may be full before its queues are. */
static void
draw_one_memory(struct draw *d, uint64_t *chance)
{
    struct simple_net *c = &d->config;
    uint64_t mtu = c->mtu_bytes;

    c->buffer.reserve_bytes /= 1 + below(chance, 4);
    c->buffer.limit_bytes = mtu + below(chance, c->buffer.reserve_bytes);
    c->shared_bytes = mtu + below(chance, one_in(chance, 2) ? 100000 : 3000000);
    d->is_shared = true;
    draw_set_kind(d, "memory", 1);
    draw_set_kind(d, "port_limit", one_in(chance, 2) ? 0 : mtu + below(chance, 4 * mtu));
    draw_set_kind(d, "outputs_limit", one_in(chance, 2) ? 0 : mtu + below(chance, 16 * mtu));
    d->may_overflow =
        !weir_field_get(weir_field_find(c->kind->about.params, "full"), d->kind_params);
    d->may_stand = !d->may_overflow;
}

/* Draws a crossbar: its transfers are in slots or held, its matching is 'islip' or 'longest'. The
 * buffers of outputs are small, large or unlimited, and some crossbars have an inner stage. */
static void
draw_crossbar(struct draw *d, uint64_t *chance)
{
    uint64_t mtu = d->config.mtu_bytes,
             room = mtu * (1 + below(chance, one_in(chance, 2) ? 8 : 100));

    draw_set_kind(d, "egress", one_in(chance, 5) ? 0 : room + below(chance, mtu));
    draw_set_kind(d, "speedup", WEIR_RATIO_1 + below(chance, 3 * WEIR_RATIO_1));
    draw_set_kind(d, "matching", one_in(chance, 3));
    draw_set_kind(d, "iterations", 1 + below(chance, 4));
    draw_set_kind(d, "transfer", one_in(chance, 3));
    draw_set_kind(d, "order", one_in(chance, 2));
    draw_set_kind(d, "inner_buffer", one_in(chance, 3) ? mtu + below(chance, 10 * mtu) : 0);
    draw_set_kind(d, "reliable", one_in(chance, 3));
    draw_set_kind(d, "ack", below(chance, 10000000));
}

static void
use_kind(struct draw *d, const char *name)
{
    d->config.kind = sim_kind_find(name);
    d->config.kind_params = d->kind_params;
    weir_fields_default(d->config.kind->about.params, d->kind_params);
}

/* Uses its own random state, so that the rest of a seed's scenario does not change. */
void
draw_kind(struct draw *d, uint64_t seed)
{
    static const uint64_t most_pps[] = { 300000, 3000000, 30000000, 10000000000 };
    uint64_t chance = seed ^ 0x919e11e919e11e9;
    struct simple_net *c = &d->config;

    if (sim_arbitration_find(c->arbitration)->free_input) {
        return;
    }
    if (!one_in(&chance, 3)) {
        d->is_crossed = one_in(&chance, 2);
        if (d->is_crossed) {
            use_kind(d, "cioq");
            draw_crossbar(d, &chance);
        }
        return;
    }
    d->is_piped = true;
    use_kind(d, "pipeline");
    draw_set_kind(d, "pps", 100000 + below(&chance, ONE_OF(&chance, most_pps)));
    draw_set_kind(d, "delay",
                  one_in(&chance, 4) ? 0 : below(&chance, (uint64_t)c->run.until_ps / 20));
    draw_outputs(d, &chance);
    if (!c->buffer.headroom_bytes && one_in(&chance, 3)) {
        draw_one_memory(d, &chance);
    }
    d->is_loop_free &= !d->may_stand || d->topo.n_switches == 1;
}
