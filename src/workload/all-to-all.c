/* Each host sends to all others: flows that start at once, or a collective. */

#include "workload/job.h"

static const struct weir_field fields[] = {
    WL_ALGORITHM_FIELD("none: all flows start at once"),
    WL_COLL_BYTES_FIELD(WL_ENDLESS,
                        "Bytes that each host sends to each other host; left out: flows "
                        "without end."),
    WL_MESSAGE_FIELDS,
    WL_COLL_FIELDS,
    { 0 },
};

static const char *const of_flows[] = { "algorithm", "bytes", 0 };

/* A collective counts the share that a rank keeps, too. */
static bool
describe(const struct wl_spec *w, struct wl_job *job)
{
    const struct wl_collective *p = w->params;

    if (p->algorithm == WEIR_AUTO) {
        return false;
    }
    wl_describe_collective(w, COLL_ALL_TO_ALL, job);
    job->coll.bytes = p->bytes == WL_ENDLESS ? 0 : p->bytes * job->coll.n;
    return true;
}

static bool
check(const struct wl_spec *w, const char **at, struct err *err)
{
    const struct wl_collective *p = w->params;

    if (p->algorithm != WEIR_AUTO) {
        *at = "algorithm";
        return p->bytes != WL_ENDLESS ||
               err_set(err, "with an algorithm, all-to-all needs bytes, the size that each host "
                            "sends to each other host");
    }
    *at = NULL;
    return (!w->group_size && wl_are_defaults(fields, p, of_flows)) ||
           err_set(err, "without an algorithm, all-to-all has flows, which have only bytes: add "
                        "'algorithm: direct'");
}

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct wl_collective *p = w->params;

    if (!wl_check_two(w, err) || !wl_check_count(w, (uint64_t)w->n_hosts * (w->n_hosts - 1), err)) {
        return false;
    }
    for (uint32_t i = 0; i < w->n_hosts; i++) {
        for (uint32_t j = 1; j < w->n_hosts; j++) { /* Hosts begin with different receivers. */
            uint32_t from = w->hosts[i], to = w->hosts[(i + j) % w->n_hosts];
            if (!wl_check_path(w, from, to, err) ||
                !wl_add(w, flows, (struct wl_flow){ from, to, WL_NONE, p->bytes, w->start_ps },
                        err)) {
                return false;
            }
        }
    }
    return true;
}

const struct wl_pattern wl_all_to_all = {
    .about = { .name = "all-to-all",
               .title = "Each host sends to every other host: flows, or with an algorithm a "
                        "collective",
               .params = fields,
               .params_bytes = sizeof(struct wl_collective) },
    .is_one_job = true,
    .takes_groups = true,
    .check = check,
    .draw = draw,
    .job = describe,
};
