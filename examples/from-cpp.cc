// libweir from C++: lists the engines, and what buffer-based GFC would choose at 100 Gb/s.
//
//     c++ from-cpp.cc -o from-cpp $(pkg-config --cflags --libs weir)

#include <cstdio>
#include <weir/node.h>

int main()
{
    for (const weir_plugin *const *e = weir_engines.plugins; *e; e++) {
        std::printf("%-15s %s\n", (*e)->name, (*e)->title);
    }

    weir_port port = weir_port();
    port.rate_bps = 100000000000;
    port.cable_ps = 1000000;
    weir_shape shape = weir_shape();
    shape.ports = &port;
    shape.n_ports = 1;
    shape.n_classes = 1;
    shape.lossless = 1;
    shape.mtu_bytes = 1500;
    shape.response_ps = 3000000;
    shape.buffer.size_bytes = shape.buffer.classes[0].reserve_bytes = 300000;

    const weir_engine *gfc = weir_engine_find("gfc-buffer");
    weir_stack stack = weir_stack();
    weir_needs needs;
    weir_text text = weir_text();
    weir_stack_add(&stack, gfc);
    if (!weir_stack_resolve(&stack, &shape, &needs, &text)) {
        std::fprintf(stderr, "%s\n", text.s);
        return 1;
    }
    std::printf("\n");
    for (const weir_field *f = gfc->about.params; f->name; f++) {
        weir_text value = weir_text();
        weir_text_add(&value, "%F", f, weir_field_get(f, stack.layers[0].params));
        std::printf("%-15s %s\n", f->name, value.s);
    }
    return 0;
}
