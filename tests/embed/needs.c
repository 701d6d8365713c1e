/* Prints how much memory, how many timers and which outbox each engine needs from its host, at a
 * switch of 32 ports and 8 classes: rows of a table in doc/embedding.md.  The state includes gates
 * and trip wires, which all engines have. */

#include <inttypes.h>
#include <stdio.h>

#include "weir/node.h"

enum { N_PORTS = 32, N_CLASSES = 8, BUFFER = 1000000 };

static bool
needs_of(const struct weir_engine *engine, struct weir_needs *needs)
{
    static struct weir_port ports[N_PORTS];
    struct weir_shape shape = { .ports = ports,
                                .n_ports = N_PORTS,
                                .n_classes = N_CLASSES,
                                .lossless = 0xff,
                                .mtu_bytes = 1500,
                                .response_ps = 3000000,
                                .tier = 1,
                                .services = (1 << WEIR_N_SERVICES) - 1,
                                .pipeline_ps = 1000000,
                                .pipeline_pps = 1000000000 };
    struct weir_stack stack = { 0 };
    struct weir_text text = { 0 };

    for (uint16_t i = 0; i < N_PORTS; i++) {
        ports[i] = (struct weir_port){ .rate_bps = 100000000000, .cable_ps = 500000 };
    }
    shape.buffer.size_bytes = (uint64_t)N_PORTS * N_CLASSES * BUFFER;
    for (uint32_t cls = 0; cls < N_CLASSES; cls++) {
        shape.buffer.classes[cls].reserve_bytes = BUFFER;
    }
    weir_stack_add(&stack, engine);
    bool good = weir_stack_resolve(&stack, &shape, needs, &text);
    if (!good) {
        printf("%s: %s\n", engine->about.name, text.s);
    }
    return good;
}

static bool
show_needs(const struct weir_engine *engine)
{
    struct weir_needs needs;

    if (!needs_of(engine, &needs)) {
        return false;
    }
    printf("| `%s` | %zu | %zu | %" PRIu32 " | %" PRIu32 " |\n", engine->about.name,
           needs.state_bytes, needs.state_bytes / (N_PORTS * N_CLASSES), needs.n_timers,
           needs.max_emits);
    return true;
}

int
main(void)
{
    const struct weir_engine *engine;
    bool good = true;

    for (uint32_t i = 0; (engine = weir_engine_at(i)); i++) {
        good &= show_needs(engine);
    }
    return good ? 0 : 1;
}
