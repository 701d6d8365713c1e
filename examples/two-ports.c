/* A program that hosts libweir, on one page: a switch with two ports that runs PFC.
 *
 *     cc two-ports.c -o two-ports $(pkg-config --cflags --libs weir)
 *
 * A real data path would take time from its clock and packets from its ports, and put frames on its
 * wires.  It would also run the timers, and check the gates before it sends.  Here packets arrive
 * at port 0 faster than they leave, until the sender is paused, and frames are printed. */

#include <stdio.h>
#include <stdlib.h>

#include <weir/node.h>

enum { N_PORTS = 2, N_CLASSES = 1, MTU = 1500 };

/* Prints the frames, and returns whether the sender is paused after them. */
static bool
obey(struct weir_outbox *out, weir_ps now, bool is_paused)
{
    for (uint32_t i = 0; i < out->n; i++) {
        const struct weir_emit *e = &out->emits[i];
        struct weir_class_frame pause;
        if (e->kind == WEIR_FRAME && weir_class_frame_decode(&e->frame, &pause)) {
            is_paused = pause.values[0] > 0;
            printf("%6.1f us  port %u: %s\n", (double)now / 1e6, e->key,
                   is_paused ? "send pause" : "send resume");
        }
    }
    out->n = 0;
    return is_paused;
}

int
main(void)
{
    const struct weir_port port = { .rate_bps = 10000000000, .cable_ps = 1000000 };
    const struct weir_port ports[N_PORTS] = { port, port };
    struct weir_shape shape = { .ports = ports,
                                .n_ports = N_PORTS,
                                .n_classes = N_CLASSES,
                                .lossless = 1,
                                .mtu_bytes = MTU,
                                .response_ps = 3000000 };
    struct weir_stack stack = { 0 };
    struct weir_needs needs;
    struct weir_text text = { 0 };

    shape.buffer.size_bytes = N_PORTS * 100000;
    shape.buffer.classes[0].reserve_bytes = 100000;
    weir_stack_add(&stack, weir_engine_find("pfc"));
    if (!weir_stack_set(&stack, 0, "xoff", "30KB", &text) ||
        !weir_stack_resolve(&stack, &shape, &needs, &text)) {
        fprintf(stderr, "%s\n", text.s);
        return 1;
    }

    /* The host provides all memory. */
    struct weir_buffer_slot slots[N_PORTS * N_CLASSES];
    struct weir_buffer buffer;
    struct weir_outbox out = { .emits = malloc(needs.max_emits * sizeof *out.emits),
                               .max = needs.max_emits };
    void *memory = aligned_alloc(WEIR_MEMORY_ALIGN, needs.state_bytes);
    struct weir_node node;
    weir_buffer_init(&buffer, &shape.buffer, N_PORTS, N_CLASSES, slots);
    weir_node_init(&node, &stack, &shape, &buffer, &out, memory, 0);
    bool is_paused = obey(&out, 0, false);

    /* A packet arrives every 1.2 us unless paused, and one leaves every 2.4 us. */
    struct weir_pkt pkt = { .bytes = MTU, .in_port = 0, .out_port = 1 };
    for (weir_ps now = 0; now < 100000000; now += 1200000) {
        if (!is_paused && weir_buffer_admit(&buffer, 0, 1, MTU) == WEIR_ADMITTED) {
            weir_node_arrived(&node, now, &pkt);
            is_paused = obey(&out, now, is_paused);
        }
        if (now / 1200000 % 2 && slots[0].in_bytes >= MTU) {
            weir_buffer_release(&buffer, 0, 1, MTU);
            weir_node_departed(&node, now, &pkt);
            is_paused = obey(&out, now, is_paused);
        }
    }
    free(memory);
    free(out.emits);
    return 0;
}
