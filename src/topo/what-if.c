/* Failures that would close a cycle.  Every trial is a network of its own, so threads only share
 * the number of the next one. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/depend.h"

struct trials {
    const struct depend_what_if *what;
    uint32_t *links; /* That may fail. */
    size_t n_links, max_links;
    size_t n;
    bool *is_cyclic; /* [trial]. */
    atomic_size_t next;
};

/* Pairs are numbered by their second link: (0, 1), (0, 2), (1, 2), (0, 3), ... */
static size_t
n_pairs_below(size_t second)
{
    return second * (second - 1) / 2;
}

static struct depend_failure
failure_of(const struct trials *t, size_t trial)
{
    size_t low = 1, high = t->n_links;

    if (t->what->n_links == 1) {
        return (struct depend_failure){ { t->links[trial], TOPO_NONE } };
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (n_pairs_below(middle) <= trial) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (struct depend_failure){ { t->links[trial - n_pairs_below(low)], t->links[low] } };
}

static void
set_failed(struct topo *t, const struct depend_failure *f, bool failed)
{
    for (int i = 0; i < 2; i++) {
        if (f->links[i] != TOPO_NONE) {
            t->links[f->links[i]].failed = failed;
        }
    }
}

static void
work(struct trials *t, bool tells)
{
    const struct depend_what_if *what = t->what;
    struct topo topo = *what->topo; /* With links of its own; the rest is only read. */
    size_t trial;

    topo.links = array_new(topo.n_links, sizeof *topo.links);
    memcpy(topo.links, what->topo->links, topo.n_links * sizeof *topo.links);
    while ((trial = atomic_fetch_add(&t->next, 1)) < t->n) {
        struct depend_failure f = failure_of(t, trial);
        set_failed(&topo, &f, true);
        struct depend *d = depend_new(&topo, what->traffic);
        t->is_cyclic[trial] = depend_is_cyclic(d);
        depend_free(d);
        set_failed(&topo, &f, false);
        if (tells && what->progress) {
            what->progress(what->arg, trial, t->n);
        }
    }
    free(topo.links);
}

static void *
work_too(void *arg)
{
    work(arg, false);
    return NULL;
}

/* A thread that cannot be had leaves its work to the others. */
static void
work_together(struct trials *t)
{
    uint32_t n_asked = t->what->n_threads, n = 0;
    pthread_t *others = array_new(n_asked, sizeof *others);

    while (n + 1 < n_asked && !pthread_create(&others[n], NULL, work_too, t)) {
        n++;
    }
    work(t, true);
    while (n) {
        pthread_join(others[--n], NULL);
    }
    free(others);
}

static void
list_links(struct trials *t)
{
    const struct topo *topo = t->what->topo;

    for (uint32_t i = 0; i < topo->n_links; i++) {
        const struct topo_link *l = &topo->links[i];
        if (!l->failed && topo->nodes[l->node[0]].kind == TOPO_SWITCH &&
            topo->nodes[l->node[1]].kind == TOPO_SWITCH) {
            ARRAY_PUSH(t->links, t->n_links, t->max_links) = i;
        }
    }
    t->n = t->what->n_links == 1 ? t->n_links : t->n_links ? n_pairs_below(t->n_links) : 0;
}

void
depend_try_failures(const struct depend_what_if *what, struct depend_failures *found)
{
    struct trials t = { .what = what };

    list_links(&t);
    t.is_cyclic = array_new(t.n, sizeof *t.is_cyclic);
    work_together(&t);
    *found = (struct depend_failures){ .n_trials = t.n };
    for (size_t i = 0; i < t.n; i++) {
        if (t.is_cyclic[i]) {
            ARRAY_PUSH(found->items, found->n, found->max) = failure_of(&t, i);
        }
    }
    free(t.is_cyclic);
    free(t.links);
}

void
depend_free_failures(struct depend_failures *found)
{
    free(found->items);
    *found = (struct depend_failures){ 0 };
}
