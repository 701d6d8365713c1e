/* A minimal firmware: one engine, linked by name, and every call that a packet needs.  Linked
 * without unused sections, its size is that of one engine (check-one-engine). */

#include <weir/all-engines.h>
#include <weir/node.h>

enum { N_PORTS = 2, N_CLASSES = 1, MTU = 1500, MAX_STATE = 4096, MAX_EMITS = 32, N_PACKETS = 40 };

static uint8_t memory[MAX_STATE] __attribute__((aligned(WEIR_MEMORY_ALIGN)));
static struct weir_emit emits[MAX_EMITS];
static struct weir_port ports[N_PORTS];
static struct weir_buffer_slot slots[N_PORTS * N_CLASSES];

/* Fills an input until the engine pauses the sender; returns the number of packets. */
static uint32_t
fill(struct weir_node *node, struct weir_buffer *buffer, struct weir_outbox *out)
{
    struct weir_pkt pkt = { .bytes = MTU, .in_port = 0, .out_port = 1 };
    uint32_t n = 0;

    out->n = 0;
    while (n < N_PACKETS && !out->n && weir_buffer_admit(buffer, 0, 1, MTU) == WEIR_ADMITTED) {
        weir_node_arrived(node, ++n * 1200000, &pkt);
    }
    weir_buffer_release(buffer, 0, 1, MTU);
    weir_node_departed(node, n * 1200000, &pkt);
    return n;
}

int
main(void)
{
    struct weir_shape shape = { .ports = ports,
                                .n_ports = N_PORTS,
                                .n_classes = N_CLASSES,
                                .lossless = 1,
                                .mtu_bytes = MTU,
                                .response_ps = 3000000 };
    struct weir_stack stack = { 0 };
    struct weir_needs needs;
    struct weir_text text = { 0 };
    struct weir_outbox out = { .emits = emits, .max = MAX_EMITS };
    struct weir_buffer buffer;
    struct weir_node node;

    for (uint16_t i = 0; i < N_PORTS; i++) {
        ports[i] = (struct weir_port){ .rate_bps = 10000000000, .cable_ps = 1000000 };
    }
    shape.buffer.size_bytes = N_PORTS * 100000;
    shape.buffer.classes[0].reserve_bytes = 100000;
    if (!weir_stack_add(&stack, &weir_pfc) || !weir_stack_set(&stack, 0, "xoff", "30KB", &text) ||
        !weir_stack_resolve(&stack, &shape, &needs, &text) || needs.state_bytes > MAX_STATE ||
        needs.max_emits > MAX_EMITS) {
        return 1;
    }
    weir_buffer_init(&buffer, &shape.buffer, N_PORTS, N_CLASSES, slots);
    weir_node_init(&node, &stack, &shape, &buffer, &out, memory, 0);
    return fill(&node, &buffer, &out) == 20 ? 0 : 2; /* 30 KB are 20 packets. */
}
