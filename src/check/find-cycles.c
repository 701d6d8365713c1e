/* Finds cycles of buffers on the routes of a scenario, and failures of links that close one. */

#include <stdio.h>

#include "base/core-count.h"
#include "base/moment.h"
#include "check/findings.h"

enum { MAX_CYCLES = 4, MAX_THREADS = 256 };

static void
set_traffic(struct check_findings *f)
{
    bind_traffic(f->s, f->o->flows ? BIND_FLOWS : BIND_ALL_HOSTS, &f->bound);
    f->traffic = f->bound.traffic;
    f->traffic.n_classes = bind_classes_that_differ(&f->traffic);
    if (f->o->n_hop_classes) {
        f->traffic.hop_classes = true;
        f->traffic.n_classes = (uint32_t)f->o->n_hop_classes;
        f->traffic.lossless = ~0u;
    }
}

void
check_find_cycles(struct check_findings *f)
{
    set_traffic(f);
    f->graph = depend_new(&f->s->topo, &f->traffic);
    depend_find_cycles(f->graph, MAX_CYCLES, &f->cycles);
}

void
check_free(struct check_findings *f)
{
    depend_free_failures(&f->failures[0]);
    depend_free_failures(&f->failures[1]);
    depend_free_cycles(&f->cycles);
    topo_free_loops(&f->loops);
    if (f->graph) {
        depend_free(f->graph);
    }
    bind_traffic_free(&f->bound);
}

/* These functions try failures of links. */

static uint32_t
count_threads(const struct check_findings *f)
{
    size_t n = f->o->n_threads ? f->o->n_threads : core_count();

    return n < MAX_THREADS ? (uint32_t)n : MAX_THREADS;
}

void
check_try_failures(struct check_findings *f)
{
    for (uint32_t n = 1; n <= f->o->n_fail; n++) {
        struct depend_what_if what = { .topo = &f->s->topo,
                                       .traffic = &f->traffic,
                                       .n_links = n,
                                       .n_threads = count_threads(f),
                                       .progress = f->o->progress,
                                       .arg = f->o->arg };
        depend_try_failures(&what, &f->failures[n - 1]);
    }
}

/* These functions return names and numbers of findings. */

const char *
check_flow_name(const struct check_findings *f, const struct depend_edge *e,
                char room[SCN_NAME_BYTES])
{
    return e->flow == TOPO_NONE ? NULL : scn_flow_name(f->s, f->bound.flow_of[e->flow], room);
}

bool
check_is_answer(const struct check_findings *f, const struct depend_edge *e)
{
    return e->flow != TOPO_NONE && f->traffic.flows[e->flow].is_answer;
}

uint32_t
check_count_links(const struct topo *t, bool failed)
{
    uint32_t n = 0;

    for (size_t i = 0; i < t->n_links; i++) {
        const struct topo_link *l = &t->links[i];
        n += l->failed == failed && t->nodes[l->node[0]].kind == TOPO_SWITCH &&
             t->nodes[l->node[1]].kind == TOPO_SWITCH;
    }
    return n;
}

size_t
check_count_waits(const struct check_findings *f, enum depend_wait wait)
{
    size_t n = 0;

    for (uint32_t i = 0; i < f->s->topo.n_switches; i++) {
        n += f->bound.waits[i] == wait;
    }
    return n;
}
