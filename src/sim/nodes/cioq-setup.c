/* Switches with a crossbar: parameters, their errors, and memory. */

#include <stdlib.h>

#include "base/array.h"
#include "sim/host/host.h"
#include "sim/nodes/adapter.h"
#include "sim/nodes/cioq.h"

static const char *const matching_names[] = { "islip", "longest", 0 };
static const char *const transfer_names[] = { "slots", "held", 0 };
static const char *const no_or_yes[] = { "no", "yes", 0 };
static const char *const order_names[] = { "arrival", "rr", 0 };

const struct weir_field cioq_fields[] = {
    WEIR_FIELD(struct cioq_params, egress_bytes, "egress", WEIR_BYTES, .fallback = 150000,
               .max = WEIR_MAX_BYTES,
               .help = "Maximum bytes of the output buffer of a port and class; 0: no limit.",
               .source = "QCN-OS, IV"),
    WEIR_FIELD(struct cioq_params, speedup, "speedup", WEIR_RATIO, .fallback = 2 * WEIR_RATIO_1,
               .min = WEIR_RATIO_1, .max = 16 * WEIR_RATIO_1,
               .help = "Speed at which the crossbar takes packets from an input and brings them to "
                       "an output, as a multiple of the rate of the fastest port.",
               .source = "-"),
    WEIR_FIELD(struct cioq_params, matching, "matching", WEIR_CHOICE, .choices = matching_names,
               .help = "Matching of inputs and outputs of the crossbar: round robin, by pointers "
                       "that move apart (islip), or longest first, which can starve an input.",
               .source = "McKeown 1999"),
    WEIR_FIELD(struct cioq_params, iterations, "iterations", WEIR_COUNT, .fallback = 2, .min = 1,
               .max = 8, .help = "Iterations of the matching before each slot.",
               .source = "McKeown 1999"),
    WEIR_FIELD(struct cioq_params, transfer, "transfer", WEIR_CHOICE, .choices = transfer_names,
               .help =
                   "Whether packets cross in slots of an MTU, or each on its own (held): then an "
                   "output waits for the next input in its order while that has a packet for it.",
               .source = "-"),
    WEIR_FIELD(struct cioq_params, order, "order", WEIR_CHOICE, .choices = order_names,
               .help = "With inner_buffer: which packet of an outer port goes on next: FIFO, "
                       "or destinations round robin.",
               .source = "-"),
    WEIR_FIELD(struct cioq_params, inner_bytes, "inner_buffer", WEIR_BYTES, .max = WEIR_MAX_BYTES,
               .help = "In a switch of a fabric: size of the single queue of each port and "
                       "class in front of the crossbar; 0: each output has a queue of its "
                       "own at each input.",
               .source = "QCN-OS, V"),
    WEIR_FIELD(struct cioq_params, inner_bps, "inner_rate", WEIR_RATE, .fallback = WEIR_AUTO,
               .min = 1000000, .max = 100 * (uint64_t)WEIR_PS_PER_S,
               .derived = "1.25 times the rate of the port",
               .help = "Rate at which an outer port brings packets into that single queue.",
               .source = "-"),
    WEIR_FIELD(
        struct cioq_params, inner_egress_bytes, "inner_egress", WEIR_BYTES, .fallback = 32000,
        .max = WEIR_MAX_BYTES,
        .help =
            "Maximum bytes of the output buffer of a class of a port inside a fabric; 0: no limit.",
        .source = "QCN-OS, V"),
    WEIR_FIELD(struct cioq_params, is_reliable, "reliable", WEIR_CHOICE, .choices = no_or_yes,
               .help = "Whether an input of the fabric keeps a copy of each packet until the "
                       "packet has entered its output of the fabric and that is acknowledged.",
               .source = "QCN-OS, V.B"),
    WEIR_FIELD(struct cioq_params, ack_ps, "ack", WEIR_TIME, .fallback = 1000000,
               .max = WEIR_PS_PER_S / 1000,
               .help = "With reliable delivery: time from a packet's entry into its output of the "
                       "fabric until it is acknowledged.",
               .source = "-"),
    { 0 },
};

/* MAX_VOQ_BYTES: more memory for queues, as for 1500 ports of 8 classes, is a mistake of the
 * user. */
enum { MAX_VOQ_BYTES = 1 << 28 };

/* Queues before the crossbar: one for each output at each input slot, or a single one. */
static uint64_t
n_fronts(const struct cioq_params *p, uint64_t n_ports, uint64_t n_classes)
{
    return n_ports * n_classes * (p->inner_bytes ? 1 : n_ports);
}

static uint64_t
voqs_bytes(const struct cioq_params *p, uint64_t n_ports, uint64_t n_classes, uint64_t n_leaves)
{
    uint64_t n_inner = p->inner_bytes ? adapter_n_destinations(p, n_ports, n_leaves) : 0;

    return (n_fronts(p, n_ports, n_classes) + n_ports * n_classes * n_inner) * sizeof(struct voq);
}

uint64_t
cioq_bytes(const void *params, uint32_t n_ports, uint32_t n_classes, uint32_t n_leaves)
{
    return voqs_bytes(params, n_ports, n_classes, n_leaves) + crossbar_bytes(n_ports, n_classes);
}

static bool
voqs_fit(const struct cioq_params *p, const struct sim_making *m, struct weir_text *why)
{
    uint64_t bytes = voqs_bytes(p, m->n_ports, m->n_classes, m->n_leaves);

    if (bytes > MAX_VOQ_BYTES && p->inner_bytes) {
        weir_text_add(why,
                      "%P is rr, which has a queue for each input, destination and class: with %u "
                      "ports, %u destinations and %u class%s they take %B of memory for each "
                      "switch; at most %B are allowed: write arrival, or use fewer ports, edges or "
                      "classes",
                      "order", (uint64_t)m->n_ports, (uint64_t)m->n_ports + m->n_leaves,
                      (uint64_t)m->n_classes, m->n_classes == 1 ? "" : "es", bytes,
                      (uint64_t)MAX_VOQ_BYTES);
    } else if (bytes > MAX_VOQ_BYTES) {
        weir_text_add(why,
                      "%P is cioq, which has a queue for each input, output and class: with %u "
                      "ports and %u class%s there are %u, which take %B of memory for each switch; "
                      "at most %B are allowed: use fewer ports or classes, or another kind",
                      "kind", (uint64_t)m->n_ports, (uint64_t)m->n_classes,
                      m->n_classes == 1 ? "" : "es", bytes / sizeof(struct voq), bytes,
                      (uint64_t)MAX_VOQ_BYTES);
    }
    return !why->len;
}

/* Checks that each buffer of a nonzero size has room for at least one packet. */
static bool
parts_fit(const struct cioq_params *p, uint64_t mtu_bytes, struct weir_text *why)
{
    const struct {
        const char *name, *none;
        uint64_t bytes;
    } parts[] = {
        { "egress", "for no limit", p->egress_bytes },
        { "inner_buffer", "for a switch without an inner stage", p->inner_bytes },
        { "inner_egress", "for no limit", p->inner_egress_bytes },
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].bytes && parts[i].bytes < mtu_bytes) {
            weir_text_add(why,
                          "%P is %B, but a packet has up to %B and would never fit; write at least "
                          "that, or 0 %s",
                          parts[i].name, parts[i].bytes, mtu_bytes, parts[i].none);
            return false;
        }
    }
    return true;
}

/* Whether a switch of a fabric has outer links to further switches. Delivery expects hosts there,
 * because acknowledgements go to the edge switch of a packet's sender. */
static bool
leads_further(const struct sim_making *making)
{
    bool has_inner = false, has_switch = false;

    for (uint32_t i = 0; making->ports && i < making->n_ports; i++) {
        has_inner |= making->ports[i].is_inner;
        has_switch |= !making->ports[i].is_inner && making->ports[i].peer_tier > 0;
    }
    return has_inner && has_switch;
}

static void
check_delivery(const struct sim_making *making, struct weir_text *why)
{
    if (making->inner_links_fail) {
        weir_text_add(why,
                      "%P is yes, but links inside a fabric lose packets or go down, and the copy "
                      "of a packet that is lost there would be kept for ever: let inner links "
                      "neither lose packets nor go down, or write no",
                      "reliable");
    } else if (leads_further(making)) {
        weir_text_add(why,
                      "%P is yes, but a port outside the fabric leads to another switch: only "
                      "hosts may be at the edges of a fabric with reliable delivery",
                      "reliable");
    }
}

bool
cioq_check(const void *params, const struct sim_making *making, struct weir_text *why)
{
    const struct cioq_params *p = params;

    if (making->arbitration->free_input) {
        weir_text_add(why,
                      "%P is %s, under which an input offers one packet at a time to the outputs; "
                      "here inputs have a queue for each output: choose another",
                      "arbitration", making->arbitration->about.name);
    } else if (parts_fit(p, making->mtu_bytes, why) && voqs_fit(p, making, why) && p->is_reliable) {
        check_delivery(making, why);
    }
    bool fits = !why->len;
    if (fits && p->matching == CROSSBAR_LONGEST) {
        weir_text_add(why,
                      "%P is longest, under which an input that was paused has a short queue and "
                      "may never be served; islip serves all inputs round robin",
                      "matching");
    }
    return fits;
}

/* The reason why inputs wait. If outputs have no limit, no packet waits for them. */
enum sim_input_wait
cioq_input_wait(const void *params, bool is_inner)
{
    const struct cioq_params *p = params;

    return (is_inner ? p->inner_egress_bytes : p->egress_bytes) ? SIM_WAITS_FOR_OWN_OUTPUT
                                                                : SIM_WAITS_FOR_NOTHING;
}

static uint64_t
crossbar_bps(const struct cioq_params *p, const struct weir_shape *shape)
{
    uint64_t fastest = 0;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        uint64_t bps = shape->ports[port].rate_bps;
        fastest = bps > fastest ? bps : fastest;
    }
    return weir_mul_div(fastest, p->speedup, WEIR_RATIO_1);
}

/* The minimum of the limits of the switch's outputs; 0: no output has a limit. */
static uint64_t
least_egress(const struct cioq_params *p, const struct weir_shape *shape)
{
    uint64_t least = 0;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        uint64_t here = shape->ports[port].is_inner ? p->inner_egress_bytes : p->egress_bytes;
        least = here && (!least || here < least) ? here : least;
    }
    return least;
}

/* Sets the buffer of a port. Inside a fabric buffers are small and not shared. */
void
cioq_port_buffer(const void *params, const struct weir_port *port, struct weir_buffer_class *input,
                 uint64_t *output_bytes)
{
    const struct cioq_params *p = params;

    *output_bytes = port->is_inner ? p->inner_egress_bytes : p->egress_bytes;
    if (port->is_inner && p->inner_bytes) {
        *input = (struct weir_buffer_class){ .reserve_bytes = p->inner_bytes };
    }
}

/* Sets the properties of the crossbar in the shape of a switch.  Without slots, transfers have no
 * common time; a short packet crosses faster. */
void
cioq_shape(const void *params, struct weir_shape *shape)
{
    const struct cioq_params *p = params;

    shape->services |= WEIR_SERVICE_STAGES | SIM_SWITCH_SERVICES;
    shape->pipeline_ps =
        p->transfer == CIOQ_SLOTS ? weir_wire_ps(shape->mtu_bytes, crossbar_bps(p, shape)) : 0;
    shape->pipeline_stops = true;
    for (uint8_t cls = 0; cls < shape->n_classes; cls++) {
        shape->buffer.output_bytes[cls] = least_egress(p, shape);
    }
}

struct voq *
voqs_new(size_t n)
{
    struct voq *voqs = array_new(n, sizeof *voqs);

    for (size_t i = 0; i < n; i++) {
        voqs[i].packets = (struct sim_queue){ SIM_NONE, SIM_NONE };
    }
    return voqs;
}

void
cioq_init(struct sim_thread *t, struct sim_node *n, const void *params)
{
    const struct cioq_params *p = params;
    struct cioq *own = array_new(1, sizeof *own);

    *own = (struct cioq){ .moving = { SIM_NONE, SIM_NONE },

                          .rate_bps = crossbar_bps(p, &n->shape),
                          .adapter = p->inner_bytes ? adapter_new(t, n, p) : NULL,
                          .delivery = p->is_reliable ? cioq_new_delivery(n, p) : NULL };
    own->fronts = voqs_new(n_fronts(p, n->n_ports, n->n_classes));
    own->slot_ps = weir_wire_ps(n->shape.mtu_bytes, own->rate_bps);
    crossbar_init(&own->crossbar, n->n_ports, n->n_classes);
    own->crossbar.rule = (enum crossbar_rule)p->matching;
    own->crossbar.is_held = p->transfer == CIOQ_HELD;
    own->crossbar.iterations = own->crossbar.is_held ? 1 : (uint32_t)p->iterations;
    n->own = own;
}

void
cioq_release(struct sim_node *n)
{
    struct cioq *c = n->own;

    crossbar_release(&c->crossbar);
    adapter_free(c->adapter);
    cioq_free_delivery(c->delivery);
    free(c->fronts);
    free(c);
}
