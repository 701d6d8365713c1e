/* Writes the findings of a check as JSON. */

#include <stdio.h>
#include <stdlib.h>

#include "check/findings.h"

/* Writes the port at the other end of a port's link; null for no port. */
static void
json_beyond(struct json *j, const char *key, const struct topo *t, uint32_t port)
{
    char text[TOPO_PORT_BYTES];

    json_text(j, key, port == TOPO_NONE ? NULL : topo_port_text(t, t->ports[port].peer, text));
}

static void
json_edge(struct json *j, const struct check_findings *f, const struct depend_edge *e)
{
    char room[SCN_NAME_BYTES];

    json_open(j, NULL, '{');
    json_text(j, "at", check_name(f, e->at));
    json_beyond(j, "from", &f->s->topo, e->in);
    json_number(j, "class", e->in == TOPO_NONE ? e->next_cls : e->cls);
    json_beyond(j, "next", &f->s->topo, e->out);
    json_number(j, "next_class", e->out == TOPO_NONE ? e->cls : e->next_cls);
    json_text(j, "flow", check_flow_name(f, e, room));
    json_bool(j, "sent_back", check_is_answer(f, e));
    json_number(j, "from_ps", (uint64_t)e->from_ps);
    json_open(j, "route", '[');
    for (uint32_t i = 0; i < e->n_route; i++) {
        json_text(j, NULL, check_name(f, e->route[i]));
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void
json_cycles(struct json *j, const struct check_findings *f)
{
    json_open(j, "cycles", '[');
    for (size_t i = 0; i < f->cycles.n; i++) {
        json_open(j, NULL, '[');
        for (uint32_t k = 0; k < f->cycles.cycles[i].n; k++) {
            json_edge(j, f, &f->cycles.cycles[i].edges[k]);
        }
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void
json_loop(struct json *j, const struct check_findings *f, const struct topo_loop *loop)
{
    const struct topo *t = &f->s->topo;
    uint32_t nic = t->leaf_nics[loop->leaf];

    json_open(j, NULL, '{');
    json_text(j, "to", check_name(f, nic == TOPO_NONE ? t->leaves[loop->leaf] : nic));
    json_open(j, "switches", '[');
    for (uint32_t i = 0; i < loop->n; i++) {
        json_text(j, NULL, check_name(f, loop->nodes[i]));
    }
    json_close(j, ']');
    json_close(j, '}');
}

void
check_json_common(struct json *j, const struct check_findings *f)
{
    check_json_imported(j, f->s);
    json_open(j, "loops", '[');
    for (size_t i = 0; i < f->loops.n; i++) {
        json_loop(j, f, &f->loops.items[i]);
    }
    json_close(j, ']');
    json_open(j, "warnings", '[');
    for (size_t i = 0; i < f->n_warnings; i++) {
        json_text(j, NULL, f->warnings[i].s);
    }
    json_close(j, ']');
}

static void
json_failed_links(struct json *j, const struct check_findings *f, const uint32_t *links, uint32_t n)
{
    json_open(j, NULL, '[');
    for (uint32_t i = 0; i < n; i++) {
        struct topo_ends ends = topo_name_ends(&f->s->topo, f->s->topo.links[links[i]].port[0]);
        json_open(j, NULL, '[');
        json_text(j, NULL, ends.here);
        json_text(j, NULL, ends.there);
        json_close(j, ']');
    }
    json_close(j, ']');
}

/* Writes the first failure of each kind, by its index in the list, and the number of failures of
 * that kind. */
static void
json_kinds(struct json *j, const struct check_findings *f, const struct depend_failures *found)
{
    struct depend_alike *groups;
    size_t n = depend_group_failures(&f->s->topo, found, &groups);

    json_open(j, "kinds", '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        json_number(j, "first", groups[i].item);
        json_number(j, "alike", groups[i].n);
        json_close(j, '}');
    }
    json_close(j, ']');
    free(groups);
}

static void
json_failures(struct json *j, const struct check_findings *f)
{
    json_open(j, "failures", '[');
    for (uint32_t n = 1; n <= f->o->n_fail; n++) {
        const struct depend_failures *found = &f->failures[n - 1];
        json_open(j, NULL, '{');
        json_number(j, "links", n);
        json_number(j, "tried", found->n_trials);
        json_open(j, "cyclic", '[');
        for (size_t i = 0; i < found->n; i++) {
            json_failed_links(j, f, found->items[i].links, n);
        }
        json_close(j, ']');
        json_kinds(j, f, found);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
json_written(struct json *j, const struct check_findings *f)
{
    if (!f->written.n_flows) {
        json_null(j, "scenario");
        return;
    }
    json_open(j, "scenario", '{');
    json_text(j, "file", f->o->scenario);
    json_number(j, "flows", f->written.n_flows);
    json_bool(j, "deadlock", f->written.has_deadlock);
    json_number(j, "at_ps", (uint64_t)f->written.formed_ps);
    json_close(j, '}');
}

void
check_write_json(const struct check_findings *f)
{
    struct json j = { .out = f->o->out, .lines = 3 };
    const struct topo *t = &f->s->topo;

    json_open(&j, NULL, '{');
    json_number(&j, "switches", t->n_switches);
    json_number(&j, "hosts", t->n_nics);
    json_number(&j, "links", check_count_links(t, false));
    json_number(&j, "failed", check_count_links(t, true));
    json_number(&j, "cut", depend_n_cut(f->graph));
    json_number(&j, "classes", f->traffic.n_classes);
    json_number(&j, "buffers", depend_n_buffers(f->graph));
    json_number(&j, "pipelines", depend_n_pipelines(f->graph));
    json_number(&j, "dropping", check_count_waits(f, DEPEND_FOR_NOTHING));
    json_number(&j, "dependencies", depend_n_edges(f->graph));
    json_number(&j, "reroutes", depend_n_reroutes(f->graph));
    json_bool(&j, "cyclic", f->cycles.n_components);
    json_number(&j, "n_cycles", f->cycles.n_components);
    json_number(&j, "n_cycle_buffers", f->cycles.n_buffers);
    json_cycles(&j, f);
    check_json_common(&j, f);
    json_failures(&j, f);
    check_json_routing(&j, f);
    json_written(&j, f);
    json_close(&j, '}');
}
