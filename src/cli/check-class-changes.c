/* `weir check` where packets change class from hop to hop: whether classes last all the way. */

#include "cli/check-class-changes.h"

#include <stdlib.h>

#include "base/array.h"
#include "bind/bind.h"
#include "bind/traffic.h"
#include "cli/check.h"
#include "cli/cli.h"
#include "sim/sim.h"
#include "topo/class-changes.h"

_Static_assert(TOPO_NO_CLASS == WEIR_NO_CLASS, "one word for none");

struct moves_found {
    const struct scenario *s;
    const struct check_class_changes_options *o;
    const char *engine;
    bool can_cycle, is_short;
    struct topo_path way; /* If it is. */
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

/* Of all nodes, or of a role. */
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
check_class_changes_applies(const struct scenario *s)
{
    return moving_engine(s) != NULL;
}

/* The engines' own tables, of all ports; null, with the reason, if they do not fit the network. */
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
name_on_way(const struct moves_found *f, size_t i)
{
    return f->s->topo.nodes[f->way.nodes[i]].name;
}

/* Ways between all hosts and those that flows have for themselves, or only those of flows. */
static bool
find_short(const struct moves_found *f, const struct topo_class_changes *m, struct topo_path *way)
{
    bool flows = f->o->flows,
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
show(const struct moves_found *f)
{
    const struct topo *t = &f->s->topo;

    printf("network   %u switches, %u hosts\n", t->n_switches, t->n_nics);
    check_show_taken(f->s);
    printf("classes   %llu, and the engine %s moves packets between them\n",
           (unsigned long long)f->s->wire.classes, f->engine);
    f->o->show_loops(f->o->loops);
    if (f->can_cycle) {
        printf("CYCLE     on some routes buffers could wait for each other in a ring\n");
    } else {
        printf("no cycle  the network cannot deadlock, whatever the routes and whatever fails\n");
    }
    if (!f->is_short) {
        printf("paths     have a class left at every switch\n");
        return;
    }
    printf("SHORT     no class is left at %s for packets on the path ",
           name_on_way(f, f->way.n_good));
    for (size_t i = 0; i < f->way.n; i++) {
        printf("%s%s", i ? "-" : "", name_on_way(f, i));
    }
    printf("\n");
}

static void
show_json(const struct moves_found *f)
{
    struct json j = { .out = stdout, .lines = 2 };
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
    f->o->json_more(&j, f->o->loops);
    json_close(&j, '}');
}

int
check_class_changes(const struct scenario *s, const struct check_class_changes_options *o)
{
    struct moves_found f = { .s = s, .o = o, .engine = moving_engine(s)->about.name };
    struct err err;
    uint8_t *tables = ask_engines(s, &err);

    if (!tables) {
        return cli_tell(EXIT_USER, &err);
    }
    uint8_t *waits = bind_waits(s);
    struct topo_class_changes moves = { &s->topo, (uint32_t)s->wire.classes, tables,
                                        bind_classes_sent(s), waits };
    f.can_cycle = topo_class_changes_can_cycle(&moves);
    f.is_short = find_short(&f, &moves, &f.way);
    if (o->json) {
        show_json(&f);
    } else {
        show(&f);
    }
    topo_path_free(&f.way);
    free(waits);
    free(tables);
    return f.can_cycle || f.is_short ? EXIT_DIFFERS : EXIT_GOOD;
}
