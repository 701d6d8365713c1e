/* Many to one: at random times with a given load; or at a given time, and periodically after it. */

#include "workload/pattern.h"

struct params {
    uint64_t senders, bytes, load, at_ps, every_ps, end_ps;
};

static const struct weir_field fields[] = {
    WL_FIELD(senders, "senders", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1, .max = 10000,
             .derived = "60, or all others if there are fewer",
             .help = "Number of hosts that send to one receiver at once. They are drawn at random "
                     "for each incast; with 'to' they are the first of the other hosts."),
    WL_BYTES_FIELD(500000, "Bytes that each sender sends."),
    WL_LOAD_FIELD((WEIR_RATIO_1 + 25) / 50,
                  "Offered load: share of the rates of all hosts' links together. It determines "
                  "how often there is an incast, unless 'at' or 'every' does."),
    WL_FIELD(at_ps, "at", WEIR_TIME, .fallback = WEIR_AUTO, .max = 1000 * WEIR_PS_PER_S,
             .derived = "a random time, or the start of the workload if 'every' is given",
             .help = "Time of the first incast, or of the only one if 'every' is not given."),
    WL_FIELD(every_ps, "every", WEIR_TIME, .fallback = WEIR_AUTO, .min = 1,
             .max = 1000 * WEIR_PS_PER_S, .derived = "random times, or once if 'at' is given",
             .help = "Time from one incast to the next."),
    WL_END_FIELD,
    { 0 },
};

static bool
is_periodic(const struct params *p)
{
    return p->at_ps != WEIR_AUTO || p->every_ps != WEIR_AUTO;
}

static bool
check(const struct wl_spec *w, const char **at, struct err *err)
{
    const struct params *p = w->params;
    weir_ps end_ps = p->end_ps < (uint64_t)w->end_ps ? (weir_ps)p->end_ps : w->end_ps;

    if (is_periodic(p) && !weir_field_is_default(weir_field_find(fields, "load"), p)) {
        *at = "load";
        return err_set(err, "'%s' already determines when hosts send",
                       p->at_ps != WEIR_AUTO ? "at" : "every");
    }
    *at = "at";
    if (p->at_ps != WEIR_AUTO && p->at_ps < (uint64_t)w->start_ps) {
        return err_set(err, "the first incast is before the start of the workload");
    }
    return p->at_ps == WEIR_AUTO || p->at_ps < (uint64_t)end_ps ||
           err_set(err, "the first incast is after the end of the workload");
}

/* Sets the times: random with a given load, or periodic; a single incast has an infinite period. */
static void
set_times(const struct wl_spec *w, struct wl_many_to_one *m)
{
    const struct params *p = w->params;

    m->is_periodic = is_periodic(p);
    m->first_ps = p->at_ps == WEIR_AUTO ? 0 : p->at_ps - (uint64_t)w->start_ps;
    m->gap_ps = !m->is_periodic
                    ? wl_mean_gap_ps(p->bytes * 1000 * m->n_senders, wl_rate_of_all(w), p->load)
                : p->every_ps == WEIR_AUTO ? 2 * 1000 * WEIR_PS_PER_S
                                           : p->every_ps;
}

enum { DEFAULT_SENDERS = 60 };

static bool
draw(const struct wl_spec *w, struct wl_flows *flows, struct err *err)
{
    const struct params *p = w->params;
    struct wl_many_to_one m = { .senders = "senders",
                                .n_senders = wl_senders_of(w, p->senders, DEFAULT_SENDERS),
                                .bytes = p->bytes,
                                .end_ps = p->end_ps };

    set_times(w, &m);
    return wl_draw_many_to_one(w, &m, flows, err);
}

/* The mean load; a single incast has no load. */
static uint64_t
load(const struct wl_spec *w)
{
    const struct params *p = w->params;
    uint64_t bits = p->bytes * 8 * wl_senders_of(w, p->senders, DEFAULT_SENDERS);

    if (!is_periodic(p)) {
        return p->load;
    }
    return p->every_ps == WEIR_AUTO ? 0
                                    : weir_mul_div(weir_mul_div(bits, WEIR_PS_PER_S, p->every_ps),
                                                   WEIR_RATIO_1, wl_rate_of_all(w));
}

const struct wl_pattern wl_incast = {
    .about = { .name = "incast",
               .title =
                   "Many hosts send to one at once: at random times to a random host, or as set",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .takes_receiver = true,
    .check = check,
    .draw = draw,
    .load = load,
};
