/* How much memory the processes of a lab take. */

#include "lab/memory.h"

#include "bind/bind.h"
#include "dataplane/frame-needs.h"

/* As measured with DPDK 22.11 on Debian 12: 50 MB for a host with a link, 74 MB for a switch with
 * three, of which frames take a page each, without huge pages. */
enum {
    PROCESS_BYTES = 24000000,
    DEVICE_BYTES = 9800000, /* The driver's memory for frames, and the kernel's for it. */
    FRAME_BYTES = 4096,
};

static uint64_t
bytes_of(const struct model *model, uint32_t node)
{
    uint64_t pages = (dp_longest_frame(model) + FRAME_BYTES - 1) / FRAME_BYTES;

    return PROCESS_BYTES + (uint64_t)model->topo->nodes[node].n_ports * DEVICE_BYTES +
           dp_frames_in_lab(model, node) * pages * FRAME_BYTES;
}

uint64_t
lab_memory_bytes(const struct scenario *s)
{
    struct model model;
    struct err err;
    uint64_t bytes = 0;

    if (bind_model(s, &model, &err)) {
        for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
            bytes += bytes_of(&model, id);
        }
    }
    model_free(&model);
    return bytes;
}

void
lab_memory_warn(uint64_t bytes, uint64_t there_bytes, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    if (bytes > there_bytes) {
        weir_text_add(text,
                      "its processes take some %u MB of memory, and %u MB are free, so that some "
                      "may be killed; use fewer nodes or smaller buffers, or --virtual.",
                      bytes / 1000000, there_bytes / 1000000);
    }
}
