/* The promises that a switch has broken, in words. */

#include "cli/switch.h"
#include "lab/unheld.h"

static bool
promises_anything(const struct switch_told *t)
{
    const struct plant *plant = sim_plant(dp_node_sim(t->dp));
    const struct weir_shape *shape = plant_shape_like(plant, t->node);
    bool promises = false;

    for (uint8_t cls = 0; cls < plant->n_classes; cls++) {
        promises |= weir_is_lossless(shape, cls);
    }
    return promises;
}

/* The next one, behind the others. */
static struct weir_text *
next(struct weir_text *text)
{
    weir_text_add(text, text->len ? "; " : "");
    return text;
}

static void
add_dropped(const struct switch_told *t, struct weir_text *text)
{
    const struct sim *sim = dp_node_sim(t->dp);
    const struct sim_broken first = sim_live_first_broken(sim);

    if (sim_live_n_broken(sim)) {
        weir_text_add(next(text),
                      "packets of a lossless class were dropped: %u, the first of class %u at the "
                      "port to %s after %T",
                      sim_live_n_broken(sim), (uint64_t)first.cls, t->ports[first.port].peer,
                      first.at_ps);
    }
}

static void
add_refused(const struct switch_told *t, struct weir_text *text)
{
    uint64_t n = dp_node_counts(t->dp).n_refused_lossless;

    if (n) {
        weir_text_add(next(text),
                      "packets of a lossless class were dropped as the device of their port did "
                      "not take them in time: %u",
                      n);
    }
}

/* Nobody knows which class they were of. */
static void
add_missed(const struct switch_told *t, struct weir_text *text)
{
    uint64_t n = promises_anything(t) ? dp_node_counts(t->dp).n_missed : 0;

    if (n) {
        weir_text_add(next(text),
                      "frames, maybe of a lossless class, were dropped by the device that they "
                      "came to, as the switch did not take them in time: %u",
                      n);
    }
}

const char *
switch_broken(const struct switch_told *t, struct weir_text *text)
{
    *text = (struct weir_text){ 0 };
    add_dropped(t, text);
    add_refused(t, text);
    add_missed(t, text);
    return text->len ? text->s : NULL;
}
