/* Hosts in a ring: in each of 2 (n - 1) steps every host sends bytes / n to the next host, cut into
 * chunks.  A host forwards a chunk when it has received it from the previous host.
 *
 * It is all-reduce with algorithm ring.  With `connections: new`, each message is a flow of its
 * own, with another path and a new congestion control. */

#include "workload/job.h"

enum { LASTING, NEW };

static const char *const kinds[] = { [LASTING] = "lasting", [NEW] = "new", 0 };

static const struct weir_field fields[] = {
    WL_COLL_BYTES_FIELD(1000000, "Bytes that each host contributes to the reduction."),
    WL_COLL_FIELD(chunks, "chunks", WEIR_COUNT, .fallback = 1, .min = 1, .max = 1000,
                  .help =
                      "Chunks per share, each of which is forwarded as soon as it has arrived."),
    WL_COLL_FIELD(connections, "connections", WEIR_CHOICE, .choices = kinds,
                  .help = "lasting: a host sends all messages to the next host on one connection.  "
                          "new: each message is a new flow, and chunks circulate independently."),
    WL_COLL_FIELD(channels, "channels", WEIR_COUNT, .fallback = 1, .min = 1,
                  .max = COLL_MAX_CHANNELS,
                  .help = "Channels that carry equal parts of the bytes at the same time."),
    WL_JOB_FIELDS,
    { 0 },
};

static const char *const of_flows[] = { "bytes", "chunks", "connections", 0 };

static bool
describe(const struct wl_spec *w, struct wl_job *job)
{
    struct wl_collective p = *(const struct wl_collective *)w->params;
    struct wl_spec as = *w;
    uint64_t n_pieces, size = w->group_size ? w->group_size : w->n_hosts;

    if (p.connections == NEW) {
        return false;
    }
    n_pieces = size * p.channels * p.chunks;
    p.algorithm = p.server = p.inside = p.rails = WEIR_AUTO;
    p.chunk_bytes = p.chunks > 1 ? (p.bytes + n_pieces - 1) / n_pieces : 0;
    as.params = &p;
    wl_describe_collective(&as, COLL_ALL_REDUCE, job);
    return true;
}

static bool
check(const struct wl_spec *w, const char **at, struct err *err)
{
    const struct wl_collective *p = w->params;

    *at = "connections";
    return p->connections == LASTING || (!w->group_size && wl_are_defaults(fields, p, of_flows)) ||
           err_set(err, "with 'connections: new', ring-allreduce has only bytes and chunks: leave "
                        "the other keys out, or write 'connections: lasting'");
}

/* Flows are in the order of host, chunk and step. */
static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct wl_collective *p = w->params;
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
               .params_bytes = sizeof(struct wl_collective) },
    .is_one_job = true,
    .takes_groups = true,
    .check = check,
    .draw = draw,
    .job = describe,
};
