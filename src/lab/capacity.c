/* Estimates the capacity of a machine from measurements on another one. */

#include "lab/capacity.h"

#include "bind/bind.h"
#include "dataplane/frame-needs.h"
#include "topo/port-names.h"

/* The rate at which the lab of studies/lab lost nothing: a ring of six nodes on two cores, with all
 * links busy. */
#define HELD_BPS ((uint64_t)100000000)
enum { HELD_NODES_PER_CORE = 3 };

/* The rate to expect on each link. Nodes that share a core share its time; a node cannot use a
 * second core. */
static uint64_t
expected_bps(uint64_t n_nodes, uint64_t n_cores)
{
    uint64_t n_used = n_cores < n_nodes ? n_cores : n_nodes;

    return n_nodes ? HELD_BPS * HELD_NODES_PER_CORE * n_used / n_nodes : HELD_BPS;
}

/* Rounds down to two digits, which are enough for an estimate. */
static uint64_t
two_digits(uint64_t bps)
{
    uint64_t unit = 1;

    while (bps / unit >= 100) {
        unit *= 10;
    }
    return bps / unit * unit;
}

void
lab_pace_warn(const struct topo *t, uint64_t n_cores, struct weir_text *text)
{
    uint64_t limit_bps = expected_bps(t->n_nodes, n_cores), n_fast = 0;
    const struct topo_link *fastest = NULL;

    *text = (struct weir_text){ 0 };
    for (size_t i = 0; i < t->n_links; i++) {
        const struct topo_link *l = &t->links[i];
        n_fast += !l->failed && l->rate_bps > limit_bps;
        fastest = !l->failed && (!fastest || l->rate_bps > fastest->rate_bps) ? l : fastest;
    }
    if (!n_fast) {
        return;
    }
    struct topo_ends ends = topo_name_ends(t, fastest->port[0]);
    weir_text_add(text,
                  "%u of %u links, such as that between %s and %s (%r), are probably too fast for "
                  "this machine, and may lose packets: with three times as many nodes as cores, "
                  "100 Mb/s on each link were measured to hold, so some %r can be expected of %u "
                  "core%s for %u nodes.",
                  n_fast, (uint64_t)t->n_links, ends.here, ends.there, fastest->rate_bps,
                  two_digits(limit_bps), n_cores, n_cores == 1 ? "" : "s", (uint64_t)t->n_nodes);
}

/* Memory of a lab. */

/* Measured with DPDK 22.11 on Debian 12: 50 MB for a host with one link, 74 MB for a switch with
 * three. This includes frames of one page each, without huge pages. */
enum {
    PROCESS_BYTES = 24000000,
    /* The driver's memory for frames, and the kernel's memory for the driver. */
    DEVICE_BYTES = 9800000,
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
