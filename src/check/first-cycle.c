/* Chooses the cycle that becomes a scenario: the first one without failures, else the first one
 * that failed links close. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/findings.h"
#include "run/outcome.h"

/* Lists links that have failed already, and the links of a failure, as YAML; the caller frees the
 * text. */
static char *
list_failed(const struct topo *t, const struct depend_failure *failure)
{
    char *text = NULL;
    size_t bytes, n = 0;
    FILE *out = open_memstream(&text, &bytes);

    for (uint32_t i = 0; i < t->n_links; i++) {
        struct topo_ends ends = topo_name_ends(t, t->links[i].port[0]);
        if (t->links[i].failed || failure->links[0] == i || failure->links[1] == i) {
            fprintf(out, "%s[%s, %s]", n++ ? ", " : "[", ends.here, ends.there);
        }
    }
    fputc(']', out);
    fclose(out);
    return text;
}

static int
write_cycle(const struct check_findings *f, const char *failed,
            struct deadlock_scenario_result *result, struct err *err)
{
    const struct deadlock_scenario job = { .file = f->o->file,
                                           .out = f->o->scenario,
                                           .force = f->o->force,
                                           .sets = f->o->sets,
                                           .n_sets = f->o->n_sets,
                                           .s = f->s,
                                           .loops = &f->loops,
                                           .ring = &f->cycles.cycles[0],
                                           .failed = failed };

    return deadlock_scenario_write(&job, result, err);
}

/* Reads the network again with these links failed, and writes the cycle. */
static int
write_cycle_of_failure(struct check_findings *f, const struct depend_failure *failure,
                       struct err *err)
{
    char *failed = list_failed(&f->s->topo, failure), *set = malloc(strlen(failed) + 20);
    struct scenario s;
    struct check_findings g = { .s = &s, .o = f->o };

    sprintf(set, "topology.failed=%s", failed);
    int code = check_read_again(f, set, &s, err);
    if (code == EXIT_GOOD) {
        topo_find_loops(&s.topo, &g.loops);
        check_find_cycles(&g);
        code = g.cycles.n ? write_cycle(&g, failed, &f->written, err) : EXIT_GOOD;
        check_free(&g);
        scn_free(&s);
    }
    free(set);
    free(failed);
    return code;
}

int
check_write_scenario(struct check_findings *f, struct err *err)
{
    if (!f->o->scenario) {
        return EXIT_GOOD;
    }
    if (f->cycles.n) {
        return write_cycle(f, NULL, &f->written, err);
    }
    for (uint32_t n = 0; n < f->o->n_fail; n++) {
        if (f->failures[n].n) {
            return write_cycle_of_failure(f, &f->failures[n].items[0], err);
        }
    }
    return EXIT_GOOD;
}
