/* Runs a check: finds cycles and loops, and writes them. */

#include <errno.h>
#include <string.h>

#include "bind/bind.h"
#include "check/draw.h"
#include "check/findings.h"
#include "run/exit.h"

static int
draw(const struct check_findings *f, const char *path,
     void (*write)(FILE *, const struct topo *, const struct depend_cycles *), struct err *err)
{
    FILE *out = path ? fopen(path, "w") : NULL;

    if (!path) {
        return EXIT_GOOD;
    }
    if (!out) {
        return run_fail(err, EXIT_WORLD, "check: cannot write %s: %s", path, strerror(errno));
    }
    write(out, &f->s->topo, &f->cycles);
    return run_close(out, "check", path, err);
}

static int
check_routes(struct check_findings *f, struct err *err)
{
    check_find_cycles(f);
    check_try_failures(f);
    check_try_other_routing(f);
    int code = check_write_scenario(f, err);
    if (code != EXIT_GOOD) {
        return code;
    }
    (f->o->json ? check_write_json : check_write_text)(f);
    return f->cycles.n_components || f->failures[0].n || f->failures[1].n ? EXIT_DIFFERS
                                                                          : EXIT_GOOD;
}

/* Binds the scenario, so that a check refuses the same scenarios as a run, with the same
 * warnings. */
static bool
foresee(struct check_findings *f, struct err *err)
{
    struct model model;
    bool fits = bind_model(f->s, &model, err);

    f->n_warnings = fits ? warnings_of_config(f->s, &model, f->warnings) : 0;
    model_free(&model);
    return fits;
}

static void
write_warnings(const struct check_findings *f)
{
    for (size_t i = 0; i < f->n_warnings && !f->o->json; i++) {
        fprintf(f->o->out, "warning: %s\n", f->warnings[i].s);
    }
}

int
check_run(const struct scenario *s, const struct check_request *o, struct err *err)
{
    struct check_findings f = { .s = s, .o = o };

    if (!foresee(&f, err)) {
        return EXIT_USER;
    }
    topo_find_loops(&s->topo, &f.loops);
    bool by_engine = check_engine_classes_apply(s) && !o->n_hop_classes;
    int found = by_engine ? check_engine_classes(&f, err) : check_routes(&f, err);
    write_warnings(&f);
    int code = found == EXIT_USER || found == EXIT_WORLD ? found : draw(&f, o->dot, draw_dot, err);
    code = code == EXIT_GOOD ? draw(&f, o->svg, draw_svg, err) : code;
    found = f.loops.n ? EXIT_DIFFERS : found;
    check_free(&f);
    return code == EXIT_GOOD ? found : code;
}

int
check_refuse(const struct scenario *s, const struct check_request *o, struct err *err)
{
    if (o->flows && !s->n_flows) {
        return run_fail(err, EXIT_USER, "%s: --flows: the scenario has no flows", o->file);
    }
    if (o->scenario && check_engine_classes_apply(s) && !o->n_hop_classes) {
        return run_fail(err, EXIT_USER,
                        "%s: --scenario: an engine moves packets between classes, so no cycle "
                        "fills; --set engine=pfc shows the cycle that this engine prevents",
                        o->file);
    }
    if (o->n_hop_classes && s->routing.reroute_ps && s->n_link_events) {
        return run_fail(err, EXIT_USER,
                        "%s: --classes: cannot be checked while routes change; check the routes "
                        "before the first change with --set routing.reroute=0",
                        o->file);
    }
    return EXIT_GOOD;
}
