/* Describes the guarantees that a switch has broken. */

#include "switch/running.h"

static bool
has_lossless_class(const struct switch_running *r)
{
    const struct model *model = sim_model(dp_node_sim(r->dp));
    const struct weir_shape *shape = model_shape_like(model, r->node);
    bool has_one = false;

    for (uint8_t cls = 0; cls < model->n_classes; cls++) {
        has_one |= weir_is_lossless(shape, cls);
    }
    return has_one;
}

/* Adds a separator if there are violations already. */
static struct weir_text *
next(struct weir_text *text)
{
    weir_text_add(text, text->len ? "; " : "");
    return text;
}

/* Adds a time. Picoseconds are enough for 106 days; longer times are in whole seconds. */
static void
add_time(struct weir_text *text, int64_t ns)
{
    if (ns < WEIR_NEVER / PS_PER_NS) {
        weir_text_add(text, "%t", (weir_ps)ns * PS_PER_NS);
    } else {
        weir_text_add(text, "%u s", (uint64_t)ns / NS_PER_S);
    }
}

static void
add_dropped(const struct switch_running *r, struct weir_text *text)
{
    const struct sim *sim = dp_node_sim(r->dp);
    const struct sim_broken first = sim_live_first_broken(sim);

    if (sim_live_n_broken(sim)) {
        weir_text_add(next(text),
                      "packets of a lossless class were dropped: %u, the first of class %u at the "
                      "port to %s after ",
                      sim_live_n_broken(sim), (uint64_t)first.cls, r->ports[first.port].peer);
        add_time(text, dp_node_first_broken_ns(r->dp));
    }
}

static void
add_count(struct weir_text *text, const char *words, uint64_t n)
{
    if (n) {
        weir_text_add(next(text), "%s: %u", words, n);
    }
}

const char *
switch_violation(const struct switch_running *r, struct weir_text *text)
{
    struct dp_counts counts = dp_node_counts(r->dp);

    *text = (struct weir_text){ 0 };
    add_dropped(r, text);
    add_count(text,
              "packets of a lossless class were dropped because the device of their port did not "
              "take them in time",
              counts.n_refused_lossless);
    /* The class of such frames is unknown. */
    add_count(text,
              "frames, maybe of a lossless class, were dropped by the device that received them, "
              "because the switch did not take them in time",
              has_lossless_class(r) ? counts.n_missed : 0);
    return text->len ? text->s : NULL;
}
