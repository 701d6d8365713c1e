/* The needs of CaPFC in a switch with a pipeline: headroom at inputs, as for PFC, and buffer at
 * outputs, because packets still arrive from all inputs after an output has requested a pause.
 *
 * A plan uses the interpretation with the smallest bound: `stop: calibrate` with `cut: 1`. Inputs
 * get the minimum that they need, because packets that wait there for a slow pipeline later need
 * buffer at an output. Outputs get the rest. */

#include <stdlib.h>

#include "base/array.h"
#include "plan/plan.h"
#include "weir/wire.h"

enum { UNDER_INPUT_PACKETS = 3 };
#define MAX_PPS UINT64_C(10000000000)

/* The pipeline's packet rate: as given, or enough for packets of 64 B at line rate from all
 * ports. */
uint64_t
plan_pps(const struct plan *p)
{
    uint64_t least = UINT64_MAX, n_ports = plan_n_ports(p);

    if (p->in.pps != WEIR_AUTO) {
        return p->in.pps;
    }
    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct weir_link *l = &p->kinds[i].link;
        uint64_t shortest =
            (uint64_t)weir_wire_ps(WEIR_CONTROL_BYTES + l->gap_bytes, l->rate_bps) / n_ports;
        least = shortest < least ? shortest : least;
    }
    uint64_t pps = least ? (WEIR_PS_PER_S + least - 1) / least : MAX_PPS;
    return pps < MAX_PPS ? pps : MAX_PPS;
}

static uint64_t
input_headroom(const struct plan_kind *k)
{
    return weir_capfc_headroom_bytes(&k->link) + k->link.mtu_bytes;
}

/* The input buffer of one class: headroom, and the space that keeps a free link at line rate. */
uint64_t
plan_capfc_input_bytes(const struct plan *p)
{
    uint64_t most = 0;

    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        uint64_t bytes = input_headroom(k) + UNDER_INPUT_PACKETS * (uint64_t)k->link.mtu_bytes;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* The output buffer of one class. All inputs count except the slowest one, because an output gets
 * no packets from its own port. */
uint64_t
plan_capfc_egress_bytes(const struct plan *p, const struct plan_kind *k)
{
    uint64_t n_ports = plan_n_ports(p), sum = 0, least = UINT64_MAX;
    struct weir_capfc_output o = { .n_before = n_ports - 1,
                                   .pipeline_ps = (weir_ps)p->in.pipeline_ps,
                                   .pipeline_pps = plan_pps(p),
                                   .waiting_bytes = plan_capfc_input_bytes(p),
                                   .mixes_lengths = true };

    (void)k;
    for (size_t i = 0; i < p->n_kinds; i++) {
        uint64_t bytes = weir_capfc_input_bytes(&p->kinds[i].link, &o);
        sum += p->kinds[i].n_ports * bytes;
        least = bytes < least ? bytes : least;
    }
    return n_ports > 1 ? sum - least - 1 : 0;
}

uint64_t
plan_capfc_bytes(const struct plan *p, const struct plan_kind *k)
{
    return plan_capfc_egress_bytes(p, k) + input_headroom(k);
}

/* Thresholds of CaPFC. */

/* A node with all ports of the plan. */
static struct weir_shape
shape_of(const struct plan *p, struct weir_port *ports)
{
    uint64_t input = plan_capfc_input_bytes(p), room = plan_room_bytes(p);
    struct weir_shape shape = { .ports = ports,
                                .gap_bytes = p->gap_bytes,
                                .services = WEIR_SERVICE_STAGES,
                                .pipeline_ps = (weir_ps)p->in.pipeline_ps,
                                .pipeline_pps = plan_pps(p) };

    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        const struct weir_link *l = &k->link;
        for (uint32_t n = 0; n < k->n_ports; n++) {
            ports[shape.n_ports++] = (struct weir_port){ .rate_bps = l->rate_bps,
                                                         .cable_ps = l->cable_ps,
                                                         .response_ps = l->response_ps };
        }
        shape.n_classes = k->n_classes > shape.n_classes ? (uint8_t)k->n_classes : shape.n_classes;
        shape.mtu_bytes = l->mtu_bytes > shape.mtu_bytes ? l->mtu_bytes : shape.mtu_bytes;
    }
    shape.lossless = (uint8_t)((1u << shape.n_classes) - 1);
    shape.buffer.size_bytes = shape.n_ports * shape.n_classes * input;
    for (uint32_t cls = 0; cls < shape.n_classes; cls++) {
        shape.buffer.classes[cls].reserve_bytes = input;
        shape.buffer.output_bytes[cls] = room - input;
    }
    return shape;
}

bool
plan_capfc_resolve(const struct plan *p, struct weir_stack *stack, struct weir_text *why)
{
    struct weir_port *ports = array_new(plan_n_ports(p), sizeof *ports);
    struct weir_shape shape = shape_of(p, ports);
    struct weir_needs needs;

    weir_stack_add(stack, weir_engine_find("capfc"));
    bool good = weir_stack_set(stack, 0, "stop", "calibrate", why) &&
                weir_stack_set(stack, 0, "cut", "1", why) &&
                weir_stack_resolve(stack, &shape, &needs, why);
    free(ports);
    return good;
}

void
plan_capfc_add_rooms(const struct plan *p, struct weir_text *text)
{
    uint64_t input = plan_capfc_input_bytes(p);
    weir_text_add(text, "buffer=%B egress=%B", input, plan_room_bytes(p) - input);
}
