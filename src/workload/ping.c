/* One host sends messages to another, one at a time. Their durations are the latency between the
 * two hosts, as tools like ib_write_lat measure it under other traffic. */

#include "workload/pattern.h"

struct params {
    uint64_t bytes, messages;
};

static const struct weir_field fields[] = {
    WL_BYTES_FIELD(65536, "Size of each message."),
    WL_FIELD(messages, "messages", WEIR_COUNT, .fallback = 1000, .min = 1, .max = 20000000,
             .help = "Number of messages that are sent, if the run is long enough."),
    { 0 },
};

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;

    if (w->n_hosts != 2) {
        return err_set(err, "a ping needs two hosts, as in hosts: [H1, H2]: the first sends to the "
                            "second");
    }
    struct wl_flow flow = { w->hosts[0], w->hosts[1], WL_NONE, p->bytes, w->start_ps };
    bool good = wl_check_count(w, p->messages, err) && wl_check_path(w, flow.from, flow.to, err);
    for (uint64_t i = 0; good && i < p->messages; i++) {
        good = wl_add(w, flows, flow, err);
        flow.after = (uint32_t)flows->n - 1;
        flow.start_ps = 0;
    }
    return good;
}

const struct wl_pattern wl_ping = {
    .about = { .name = "ping",
               .title = "The first host sends messages to the second, each as soon as the last one "
                        "has been sent",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .draw = draw,
};
