/* Hosts in a ring: in each of 2 (n - 1) steps every host sends bytes / n to the next host, cut into
 * chunks that circulate independently.  A host forwards a chunk when it has received it from the
 * previous host. */

#include "workload/pattern.h"

struct params {
    uint64_t bytes, chunks;
};

static const struct weir_field fields[] = {
    WL_BYTES_FIELD(1000000, "Bytes that each host contributes to the reduction."),
    WL_FIELD(chunks, "chunks", WEIR_COUNT, .fallback = 1, .min = 1, .max = 1000,
             .help = "Chunks per share; each circulates independently."),
    { 0 },
};

/* Flows are in the order of host, chunk and step. */
static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    uint64_t n = w->n_hosts, n_steps = 2 * (n - 1), n_chains = n * p->chunks;
    uint64_t bytes = (p->bytes + n_chains - 1) / n_chains;

    if (!wl_check_two(w, err) || !wl_check_count(w, n_chains * n_steps, err)) {
        return false;
    }
    for (uint64_t chain = 0; chain < n_chains; chain++) {
        uint64_t host = chain / p->chunks, before = (chain + n_chains - p->chunks) % n_chains;
        struct wl_flow flow = { w->hosts[host], w->hosts[(host + 1) % n], WL_NONE, bytes,
                                w->start_ps };
        bool good = wl_check_path(w, flow.from, flow.to, err) && wl_add(w, flows, flow, err);
        flow.start_ps = 0;
        for (uint64_t step = 1; good && step < n_steps; step++) {
            flow.after = (uint32_t)(before * n_steps + step - 1);
            good = wl_add(w, flows, flow, err);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

const struct wl_pattern wl_ring_allreduce = {
    .about = { .name = "ring-allreduce",
               .title = "Ring all-reduce of n hosts: 2 (n - 1) steps, in each of which every host "
                        "sends a share of bytes / n to the next one",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .is_one_job = true,
    .draw = draw,
};
