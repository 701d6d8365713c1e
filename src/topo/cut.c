/* Cuts a network into parts: tries the methods one after the other, and computes the load of each
 * cut. */

#include "topo/cut.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "topo/cut-graph.h"

static const struct {
    const char *name;
    cut_method *cut;
    bool keeps_together; /* The method keeps nodes together that exchange much traffic. */
} methods[] = {
    { "by pods", cut_by_pods, true },
#ifdef TOPO_HAS_METIS
    { "by METIS", cut_by_metis, true },
#endif
    { "in order", cut_in_order, false },
};

enum { N_METHODS = sizeof methods / sizeof *methods };

bool
topo_cut_has_metis(void)
{
    return N_METHODS > 2;
}

uint32_t
topo_cut_max(const struct topo *t)
{
    return t->n_switches;
}

static uint64_t
load_of(const struct topo *t, const uint64_t *load, size_t link)
{
    return load ? load[link] : !t->links[link].failed;
}

uint64_t
cut_load(const struct cut *c, size_t link)
{
    return load_of(c->t, c->load, link);
}

uint64_t
cut_percent(const struct cut *c, const uint32_t *part)
{
    uint64_t *sums = array_new(c->n_parts, sizeof *sums), total = 0, most = 0;
    bool is_empty = false;

    for (uint32_t v = 0; v < c->n; v++) {
        sums[part[v]] += c->weight[v];
        total += c->weight[v];
    }
    for (uint32_t i = 0; i < c->n_parts; i++) {
        is_empty |= !sums[i];
        most = sums[i] > most ? sums[i] : most;
    }
    free(sums);
    return is_empty ? UINT64_MAX
                    : (uint64_t)(100.0 * (double)most * c->n_parts / (double)total + 0.999);
}

/* These functions divide vertices or pods, in their order, into runs. */

/* The number of runs if no run is heavier than 'limit'. */
static uint32_t
count_runs(const uint64_t *weight, uint32_t n, uint64_t limit)
{
    uint32_t n_runs = 1;
    uint64_t sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        n_runs += sum + weight[i] > limit;
        sum = sum + weight[i] > limit ? weight[i] : sum + weight[i];
    }
    return n_runs;
}

/* The minimum weight that the heaviest of 'n_runs' runs can have. */
static uint64_t
lightest_limit(const uint64_t *weight, uint32_t n, uint32_t n_runs)
{
    uint64_t low = 0, high = 0;

    for (uint32_t i = 0; i < n; i++) {
        low = weight[i] > low ? weight[i] : low;
        high += weight[i];
    }
    ARRAY_SEARCH(low, high, count_runs(weight, n, middle) > n_runs);
    return low;
}

/* Makes the requested number of nonempty runs, with the heaviest one as light as possible. */
static void
cut_runs(const uint64_t *weight, uint32_t n, uint32_t n_runs, uint32_t *run_of)
{
    uint64_t limit = lightest_limit(weight, n, n_runs), sum = 0;
    uint32_t run = 0;

    for (uint32_t i = 0; i < n; i++) {
        bool starts = i && (sum + weight[i] > limit || n - i == n_runs - 1 - run);
        run += starts;
        sum = starts ? weight[i] : sum + weight[i];
        run_of[i] = run;
    }
}

bool
cut_in_order(const struct cut *c, uint32_t *part)
{
    cut_runs(c->weight, c->n, c->n_parts, part);
    return true;
}

bool
cut_by_pods(const struct cut *c, uint32_t *part)
{
    uint32_t max = c->t->n_parts, n = 0;
    uint64_t *by_pod = array_new(max, sizeof *by_pod);
    uint32_t *run_of = array_new(max, sizeof *run_of), *index = array_new(max, sizeof *index);

    for (uint32_t v = 0; v < c->n; v++) {
        by_pod[c->t->nodes[c->nodes[v]].part] += c->weight[v];
    }
    for (uint32_t pod = 0; pod < max; pod++) { /* Removes nodes that are not divided from the
                                                * numbers. */
        index[pod] = n;
        by_pod[n] = by_pod[pod];
        n += by_pod[n] > 0;
    }
    bool has_enough = n >= c->n_parts;
    if (has_enough) {
        cut_runs(by_pod, n, c->n_parts, run_of);
    }
    for (uint32_t v = 0; v < c->n && has_enough; v++) {
        part[v] = run_of[index[c->t->nodes[c->nodes[v]].part]];
    }
    free(by_pod);
    free(run_of);
    free(index);
    return has_enough;
}

/* These functions choose among the methods. */

static void
find_vertices(struct cut *c, const uint32_t *of, uint32_t which)
{
    const struct topo *t = c->t;

    c->nodes = array_new(t->n_switches, sizeof *c->nodes);
    c->vertex_of = array_new(t->n_nodes, sizeof *c->vertex_of);
    c->weight = array_new(t->n_switches, sizeof *c->weight);
    for (uint32_t id = 0; id < t->n_nodes; id++) {
        c->vertex_of[id] = TOPO_NONE;
        if (t->nodes[id].kind == TOPO_SWITCH && (!of || of[id] == which)) {
            c->vertex_of[id] = c->n;
            c->weight[c->n] = 1;
            c->nodes[c->n++] = id;
        }
    }
    for (uint32_t id = 0; id < t->n_nodes; id++) {
        if (t->nodes[id].kind == TOPO_NIC) {
            c->vertex_of[id] = c->vertex_of[topo_switch_of(t, id)];
        }
    }
    for (size_t i = 0; i < 2 * t->n_links; i++) {
        uint32_t vertex = c->vertex_of[t->links[i / 2].node[i % 2]];
        if (vertex != TOPO_NONE) {
            c->weight[vertex] += cut_load(c, i / 2);
        }
    }
}

/* The percentage of the load that crosses the cut. */
static uint64_t
crossing_percent(const struct cut *c, const uint32_t *part)
{
    uint64_t across = 0, all = 1;

    for (size_t i = 0; i < c->t->n_links; i++) {
        uint32_t a = c->vertex_of[c->t->links[i].node[0]];
        uint32_t b = c->vertex_of[c->t->links[i].node[1]];
        if (a != TOPO_NONE && b != TOPO_NONE) {
            all += cut_load(c, i);
            across += part[a] != part[b] ? cut_load(c, i) : 0;
        }
    }
    return (uint64_t)(100.0 * (double)across / (double)all);
}

/* Chooses the first method that is even enough.  If there is none, chooses the cheapest cut, where
 * a hop across the cut costs 50 % more. */
static const char *
choose(const struct cut *c, uint32_t *best)
{
    uint32_t *part = array_new(c->n, sizeof *part);
    uint64_t percent = UINT64_MAX, least = UINT64_MAX;
    const char *method = NULL;

    for (size_t i = 0; i < N_METHODS && percent > TOPO_CUT_EVEN_PERCENT; i++) {
        percent = methods[i].cut(c, part) ? cut_percent(c, part) : UINT64_MAX;
        bool is_taken = percent <= TOPO_CUT_EVEN_PERCENT && methods[i].keeps_together;
        uint64_t cost = is_taken                ? 0
                        : percent == UINT64_MAX ? percent
                                                : percent + crossing_percent(c, part) / 2;
        if (cost < least) {
            least = cost;
            method = methods[i].name;
            memcpy(best, part, c->n * sizeof *part);
        }
    }
    free(part);
    return method;
}

bool
topo_cut_part(const struct topo *t, const uint64_t *load, const uint32_t *of, uint32_t which,
              uint32_t n_parts, uint32_t *part, const char **method, struct err *err)
{
    struct cut c = { .t = t, .load = load, .n_parts = n_parts };
    bool fits;

    find_vertices(&c, of, which);
    fits = n_parts >= 1 && n_parts <= c.n;
    if (fits) {
        uint32_t *best = array_new(c.n, sizeof *best);
        const char *chosen = choose(&c, best);
        if (method) {
            *method = chosen;
        }
        for (uint32_t id = 0; id < t->n_nodes; id++) {
            part[id] = c.vertex_of[id] == TOPO_NONE ? part[id] : best[c.vertex_of[id]];
        }
        free(best);
    }
    free(c.nodes);
    free(c.vertex_of);
    free(c.weight);
    return fits || err_set(err,
                           "a network of %u switch%s cannot be cut into %u parts: each needs a "
                           "switch",
                           c.n, c.n == 1 ? "" : "es", n_parts);
}

bool
topo_cut(const struct topo *t, const uint64_t *load, uint32_t n_parts, uint32_t *part,
         struct err *err)
{
    return topo_cut_part(t, load, NULL, 0, n_parts, part, NULL, err);
}

/* These functions compute the loads of a cut. */

void
topo_cut_sum_up(const struct topo *t, const uint64_t *load, uint32_t n_parts, const uint32_t *part,
                struct topo_cut_sum *s)
{
    *s = (struct topo_cut_sum){ .n_parts = n_parts, .shortest = TOPO_NONE };
    s->parts = array_new(n_parts, sizeof *s->parts);
    for (uint32_t id = 0; id < t->n_nodes; id++) {
        s->parts[part[id]].n_switches += t->nodes[id].kind == TOPO_SWITCH;
        s->parts[part[id]].n_hosts += t->nodes[id].kind == TOPO_NIC;
    }
    for (uint32_t i = 0; i < t->n_links; i++) {
        const struct topo_link *l = &t->links[i];
        uint32_t a = part[l->node[0]], b = part[l->node[1]];
        s->parts[a].load += load_of(t, load, i);
        s->parts[b].load += load_of(t, load, i);
        if (a != b) {
            s->n_across++;
            s->across += load_of(t, load, i);
            s->parts[a].n_across++;
            s->parts[b].n_across++;
            if (s->shortest == TOPO_NONE || l->delay_ps < t->links[s->shortest].delay_ps) {
                s->shortest = i;
            }
        }
    }
    for (uint32_t i = 0; i < n_parts; i++) {
        s->total += s->parts[i].load;
        s->most = s->parts[i].load > s->most ? s->parts[i].load : s->most;
    }
}

void
topo_cut_sum_free(struct topo_cut_sum *s)
{
    free(s->parts);
}
