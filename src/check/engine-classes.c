/* Checks a network whose engine moves packets between classes: every path must have enough classes.
 */

#include <stdlib.h>

#include "base/array.h"
#include "bind/bind.h"
#include "check/findings.h"
#include "output/line-style.h"
#include "output/value.h"
#include "run/exit.h"
#include "sim/sim.h"
#include "topo/class-changes.h"

_Static_assert(TOPO_NO_CLASS == WEIR_NO_CLASS, "one word for none");

struct class_findings {
    const struct check_findings *all;
    const struct scenario *s;
    const char *engine;
    bool can_cycle, is_short;
    struct topo_path way; /* If is_short: the path on which packets lose their class. */
};

static const struct weir_engine *
moving_in(const struct weir_stack *stack)
{
    for (uint32_t i = 0; i < stack->n; i++) {
        if (stack->layers[i].engine->moves_classes) {
            return stack->layers[i].engine;
        }
    }
    return NULL;
}

/* The engine of all nodes, or of a role, that changes classes; null: none. */
static const struct weir_engine *
moving_engine(const struct scenario *s)
{
    const struct weir_engine *engine = moving_in(&s->stack);

    for (size_t i = 0; i < s->n_roles && !engine; i++) {
        engine = moving_in(&s->roles[i].stack);
    }
    return engine;
}

bool
check_engine_classes_apply(const struct scenario *s)
{
    return moving_engine(s) != NULL;
}

/* Returns the tables of the engines from the sender's class to the class at each port; null with an
 * error if the engines do not fit the network. */
static uint8_t *
ask_engines(const struct scenario *s, struct err *err)
{
    const struct sim_config config = { .n_threads = 1 };
    struct model model;
    struct sim *sim = NULL;

    if (bind_model(s, &model, err)) {
        model.n_flows = 0;
        sim = sim_new(&config, &model, err);
    } else {
        model_free(&model);
    }
    if (!sim) {
        return NULL;
    }
    uint8_t *tables = array_new(s->topo.n_ports * s->wire.classes, sizeof *tables);
    for (uint32_t i = 0; i < s->topo.n_ports * s->wire.classes; i++) {
        tables[i] =
            sim_class_here(sim, (uint32_t)(i / s->wire.classes), (uint8_t)(i % s->wire.classes));
    }
    sim_free(sim);
    return tables;
}

static const char *
name_on_way(const struct class_findings *f, size_t i)
{
    return f->s->topo.nodes[f->way.nodes[i]].name;
}

/* Searches the paths between all hosts and the pinned paths of flows, or with --flows only the
 * paths of flows. */
static bool
find_short(const struct class_findings *f, const struct topo_class_changes *m,
           struct topo_path *way)
{
    bool flows = f->all->o->flows,
         found = !flows && topo_class_changes_find_short(m, TOPO_NONE, TOPO_NONE, way);
    struct bind_traffic b;

    bind_traffic(f->s, flows ? BIND_FLOWS : BIND_ALL_HOSTS, &b);
    for (size_t i = 0; !found && i < b.traffic.n_flows; i++) {
        const struct depend_flow *flow = &b.flows[i];
        struct topo_class_changes of_flow = *m;
        of_flow.sent = 1u << flow->cls;
        topo_path_free(way);
        found = flow->path ? topo_class_changes_is_short(&of_flow, flow->from, flow->path,
                                                         flow->n_path, way)
                           : topo_class_changes_find_short(&of_flow, flow->from, flow->to, way);
    }
    bind_traffic_free(&b);
    return found;
}

static void
write_classes_verdict(const struct class_findings *f)
{
    struct weir_text text = { 0 };

    weir_text_add(&text, f->can_cycle ? "The network can deadlock on some routes."
                                      : "The network cannot deadlock, whatever the routes.");
    if (f->is_short) {
        weir_text_add(&text, " Some paths have more hops than there are classes.");
    }
    if (f->all->loops.n) {
        weir_text_add(&text, " Routes lead round in %u loop%s.", (uint64_t)f->all->loops.n,
                      value_plural(f->all->loops.n));
    }
    line_style_judge(text.s, f->can_cycle || f->is_short || f->all->loops.n ? LINE_BAD : LINE_GOOD);
    fprintf(f->all->o->out, "%s\n\n", text.s);
}

static void
write_classes(const struct class_findings *f)
{
    FILE *out = f->all->o->out;
    const struct topo *t = &f->s->topo;

    write_classes_verdict(f);
    fprintf(out, "network   %u switches, %u hosts\n", t->n_switches, t->n_nics);
    check_write_imported(out, f->s);
    fprintf(out, "classes   %llu, and the engine %s moves packets between them\n",
            (unsigned long long)f->s->wire.classes, f->engine);
    check_write_loops(f->all);
    if (f->can_cycle) {
        fprintf(out, "CYCLE     on some routes buffers could wait for each other in a cycle\n");
    } else {
        fprintf(out,
                "no cycle  the network cannot deadlock, whatever the routes and whatever fails\n");
    }
    if (!f->is_short) {
        fprintf(out, "paths     have a class left at every switch\n");
        return;
    }
    fprintf(out, "SHORT     no class is left at %s for packets on the path ",
            name_on_way(f, f->way.n_good));
    for (size_t i = 0; i < f->way.n; i++) {
        fprintf(out, "%s%s", i ? "-" : "", name_on_way(f, i));
    }
    fprintf(out, "\n");
}

static void
write_classes_json(const struct class_findings *f)
{
    struct json j = { .out = f->all->o->out, .lines = 2 };
    const struct topo *t = &f->s->topo;

    json_open(&j, NULL, '{');
    json_number(&j, "switches", t->n_switches);
    json_number(&j, "hosts", t->n_nics);
    json_number(&j, "classes", f->s->wire.classes);
    json_text(&j, "moved_by", f->engine);
    json_bool(&j, "cyclic", f->can_cycle);
    json_text(&j, "dropped_at", f->is_short ? name_on_way(f, f->way.n_good) : NULL);
    json_open(&j, "way", '[');
    for (size_t i = 0; f->is_short && i < f->way.n; i++) {
        json_text(&j, NULL, name_on_way(f, i));
    }
    json_close(&j, ']');
    check_json_common(&j, f->all);
    json_close(&j, '}');
}

int
check_engine_classes(const struct check_findings *all, struct err *err)
{
    const struct scenario *s = all->s;
    struct class_findings f = { .all = all, .s = s, .engine = moving_engine(s)->about.name };
    uint8_t *tables = ask_engines(s, err);

    if (!tables) {
        return EXIT_USER;
    }
    uint8_t *waits = bind_waits(s);
    struct topo_class_changes changes = { &s->topo, (uint32_t)s->wire.classes, tables,
                                          bind_classes_sent(s), waits };
    f.can_cycle = topo_class_changes_can_cycle(&changes);
    f.is_short = find_short(&f, &changes, &f.way);
    (all->o->json ? write_classes_json : write_classes)(&f);
    topo_path_free(&f.way);
    free(waits);
    free(tables);
    return f.can_cycle || f.is_short ? EXIT_DIFFERS : EXIT_GOOD;
}
