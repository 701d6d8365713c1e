/* Finds failures that would close a cycle: by the dependencies that each failure adds to the graph
 * (failure-deps.h), or, if these are not known, by a separate graph for each failure.  Threads
 * share a counter that gives the next piece of work. */

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/depend.h"
#include "topo/failure-deps.h"

struct trials {
    const struct depend_what_if *what;
    uint32_t *links; /* The links that may fail. */
    size_t n_links, max_links;
    size_t n;
    bool *is_cyclic; /* [trial]. */
    struct worker *workers;
    uint32_t n_workers;
    void (*work)(struct worker *, size_t piece);
    size_t n_pieces;
    atomic_size_t next, n_with_new_deps, n_whole;
    struct new_dep_list alone, paired; /* The findings of all workers, by link and by pair. */
    size_t *first_alone;               /* [link]: the index of its first finding in 'alone'; the
                                        * last entry is the number of findings. */
};

struct worker {
    struct trials *t;
    struct topo topo; /* A copy with its own links; everything else is only read. */
    struct failure_deps deps;
    struct new_dep *more;
    size_t n_more, max_more;
};

/* Pairs are numbered by their second link: (0, 1), (0, 2), (1, 2), (0, 3), ... */
static struct depend_failure
failure_of(const struct trials *t, size_t trial)
{
    size_t low = 1, high = t->n_links;

    if (t->what->n_links == 1) {
        return (struct depend_failure){ { t->links[trial], TOPO_NONE } };
    }
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (failure_deps_pair(0, middle) <= trial) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (
        struct depend_failure){ { t->links[trial - failure_deps_pair(0, low)], t->links[low] } };
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

/* Tries the failure with a separate graph. */
static void
try_whole(struct worker *w, size_t trial)
{
    struct depend_failure f = failure_of(w->t, trial);

    set_failed(&w->topo, &f, true);
    struct depend *d = depend_new(&w->topo, w->t->what->traffic);
    w->t->is_cyclic[trial] = depend_is_cyclic(d);
    depend_free(d);
    set_failed(&w->topo, &f, false);
    atomic_fetch_add(&w->t->n_whole, 1);
}

/* These functions start threads. */

static void
work_on(struct worker *w, bool tells)
{
    struct trials *t = w->t;
    size_t piece;

    while ((piece = atomic_fetch_add(&t->next, 1)) < t->n_pieces) {
        t->work(w, piece);
        if (tells && t->what->progress) {
            t->what->progress(t->what->arg, piece * t->n / t->n_pieces, t->n);
        }
    }
}

static void *
work_too(void *arg)
{
    work_on(arg, false);
    return NULL;
}

/* If a thread cannot be started, the others do its work. */
static void
work_together(struct trials *t, size_t n_pieces, void (*work)(struct worker *, size_t piece))
{
    pthread_t *others = array_new(t->n_workers, sizeof *others);
    uint32_t n = 1;

    t->work = work;
    t->n_pieces = n_pieces;
    atomic_store(&t->next, 0);
    while (n < t->n_workers && !pthread_create(&others[n], NULL, work_too, &t->workers[n])) {
        n++;
    }
    work_on(&t->workers[0], true);
    while (n > 1) {
        pthread_join(others[--n], NULL);
    }
    free(others);
}

/* These functions use the new dependencies that each failure adds. */

static void
find_new_deps(struct worker *w, size_t part)
{
    failure_deps_find(&w->deps, (uint32_t)part, w->t->what->n_links == 2);
}

static int
by_trial(const void *a, const void *b)
{
    const struct new_dep *x = a, *y = b;

    return (x->trial > y->trial) - (x->trial < y->trial);
}

static int
by_buffer(const void *a, const void *b)
{
    const struct new_dep *x = a, *y = b;

    return (x->v > y->v) - (x->v < y->v);
}

static void
gather(struct new_dep_list *all, const struct new_dep_list *some)
{
    for (size_t i = 0; i < some->n; i++) {
        ARRAY_PUSH(all->items, all->n, all->max) = some->items[i];
    }
}

/* Collects the findings of all workers, sorted. */
static void
gather_new_deps(struct trials *t)
{
    for (uint32_t i = 0; i < t->n_workers; i++) {
        gather(&t->alone, &t->workers[i].deps.alone);
        gather(&t->paired, &t->workers[i].deps.paired);
    }
    array_sort(t->alone.items, t->alone.n, sizeof *t->alone.items, by_trial);
    array_sort(t->paired.items, t->paired.n, sizeof *t->paired.items, by_trial);
    t->first_alone = array_new(t->n_links + 1, sizeof *t->first_alone);
    for (size_t i = 0; i < t->alone.n; i++) {
        t->first_alone[t->alone.items[i].trial + 1] = i + 1;
    }
    for (size_t i = 0; i < t->n_links; i++) {
        size_t *end = &t->first_alone[i + 1];
        *end = *end > t->first_alone[i] ? *end : t->first_alone[i];
    }
}

static void
add_alone(struct worker *w, size_t link)
{
    const struct trials *t = w->t;

    for (size_t i = t->first_alone[link]; i < t->first_alone[link + 1]; i++) {
        ARRAY_PUSH(w->more, w->n_more, w->max_more) = t->alone.items[i];
    }
}

static void
ask(struct worker *w, size_t trial, const uint32_t *failed, uint32_t n_failed)
{
    if (!w->n_more && !w->deps.is_cyclic) {
        return;
    }
    array_sort(w->more, w->n_more, sizeof *w->more, by_buffer);
    w->deps.more = w->more;
    w->deps.n_more = w->n_more;
    enum failure_deps_answer answer = failure_deps_ask(&w->deps, failed, n_failed);
    w->t->is_cyclic[trial] = answer == FAILURE_DEPS_YES;
    if (answer == FAILURE_DEPS_UNSURE) {
        try_whole(w, trial);
    }
    atomic_fetch_add(&w->t->n_with_new_deps, w->n_more > 0);
}

static void
ask_link(struct worker *w, size_t link)
{
    const uint32_t failed = (uint32_t)link;

    w->n_more = 0;
    add_alone(w, link);
    ask(w, link, &failed, 1);
}

/* The first new dependency of a pair, or of a later pair. */
static size_t
first_paired(const struct new_dep_list *paired, size_t trial)
{
    size_t low = 0;

    ARRAY_SEARCH(low, paired->n, paired->items[middle].trial < trial);
    return low;
}

/* Tries all pairs of a link with earlier links. */
static void
ask_pairs(struct worker *w, size_t second)
{
    const struct new_dep_list *paired = &w->t->paired;
    size_t next = first_paired(paired, failure_deps_pair(0, second ? second : 1));

    for (size_t first = 0; first < second; first++) {
        size_t trial = failure_deps_pair(first, second);
        w->n_more = 0;
        add_alone(w, first);
        add_alone(w, second);
        for (; next < paired->n && paired->items[next].trial == trial; next++) {
            ARRAY_PUSH(w->more, w->n_more, w->max_more) = paired->items[next];
        }
        ask(w, trial, (uint32_t[]){ (uint32_t)first, (uint32_t)second }, 2);
    }
}

static void
try_by_new_deps(struct trials *t)
{
    const struct depend_what_if *what = t->what;

    for (uint32_t i = 0; i < t->n_workers; i++) {
        failure_deps_open(&t->workers[i].deps, what->topo, what->traffic, t->links,
                          (uint32_t)t->n_links);
    }
    work_together(t, t->workers[0].deps.n_parts, find_new_deps);
    gather_new_deps(t);
    work_together(t, t->n_links, what->n_links == 1 ? ask_link : ask_pairs);
    for (uint32_t i = 0; i < t->n_workers; i++) {
        failure_deps_close(&t->workers[i].deps);
        free(t->workers[i].more);
    }
    free(t->alone.items);
    free(t->paired.items);
    free(t->first_alone);
}

/* These functions choose the links and run all trials. */

/* Whether one end of a link is a host that also has another live link. */
static bool
is_of_multi(const struct topo *t, const struct topo_link *l)
{
    uint32_t n_live = 0;

    for (int end = 0; end < 2; end++) {
        const struct topo_node *n = &t->nodes[l->node[end]];
        for (uint32_t p = n->first_port; n->kind == TOPO_NIC && p < n->first_port + n->n_ports;
             p++) {
            n_live += topo_is_live(t, p);
        }
    }
    return n_live > 1;
}

/* If each failure is tried as a whole, links of hosts are left out: there are too many. */
static void
list_links(struct trials *t)
{
    const struct topo *topo = t->what->topo;
    bool with_hosts =
        failure_deps_apply(topo, t->what->traffic) || failure_deps_never(topo, t->what->traffic);

    for (uint32_t i = 0; i < topo->n_links; i++) {
        const struct topo_link *l = &topo->links[i];
        if (!l->failed && (topo_joins_switches(topo, l) || (with_hosts && is_of_multi(topo, l)))) {
            ARRAY_PUSH(t->links, t->n_links, t->max_links) = i;
        }
    }
    t->n = t->what->n_links == 1 ? t->n_links : t->n_links ? failure_deps_pair(0, t->n_links) : 0;
}

static void
open_workers(struct trials *t)
{
    const struct topo *topo = t->what->topo;

    t->n_workers = t->what->n_threads ? t->what->n_threads : 1;
    t->workers = array_new(t->n_workers, sizeof *t->workers);
    for (uint32_t i = 0; i < t->n_workers; i++) {
        struct worker *w = &t->workers[i];
        w->t = t;
        w->topo = *topo;
        w->topo.links = array_new(topo->n_links, sizeof *topo->links);
        memcpy(w->topo.links, topo->links, topo->n_links * sizeof *topo->links);
    }
}

static void
close_workers(struct trials *t)
{
    for (uint32_t i = 0; i < t->n_workers; i++) {
        free(t->workers[i].topo.links);
    }
    free(t->workers);
}

void
depend_try_failures(const struct depend_what_if *what, struct depend_failures *found)
{
    struct trials t = { .what = what };

    list_links(&t);
    t.is_cyclic = array_new(t.n, sizeof *t.is_cyclic);
    open_workers(&t);
    if (failure_deps_apply(what->topo, what->traffic)) {
        try_by_new_deps(&t);
    } else if (!failure_deps_never(what->topo, what->traffic)) {
        work_together(&t, t.n, try_whole);
    }
    close_workers(&t);
    *found = (struct depend_failures){ .n_trials = t.n,
                                       .n_with_new_deps = t.n_with_new_deps,
                                       .n_whole = t.n_whole };
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
