/* Writes the partition of a run: the load of its parts, the links between them, and how often they
 * synchronize. */

#include <stdlib.h>

#include "base/array.h"
#include "base/json.h"
#include "explain/explain.h"
#include "sim/sim.h"
#include "topo/cut.h"
#include "topo/port-names.h"

struct cut_summary {
    const struct model *model;
    const char *way;
    struct topo_cut_sum sum;
    uint64_t all_load; /* The sum over all links, each of which counts once. */
    weir_ps shortest_ps;
    weir_ps window_ps;  /* The interval at which threads synchronize. */
    uint64_t n_windows; /* The number of such intervals after which ranks synchronize. */
};

static void
find_windows(struct cut_summary *c, const uint32_t *part)
{
    const struct topo *t = c->model->topo;
    int bits = sim_window_bits(c->model);

    c->window_ps = (weir_ps)1 << bits;
    c->n_windows = sim_epoch_windows(c->model, bits, part);
    c->shortest_ps = WEIR_NEVER;
    for (size_t i = 0; i < t->n_links; i++) {
        weir_ps delay = t->links[i].delay_ps;
        c->shortest_ps = delay < c->shortest_ps ? delay : c->shortest_ps;
    }
}

static bool
sum_up_cut(struct cut_summary *c, uint32_t n_parts, struct err *err)
{
    const struct topo *t = c->model->topo;
    uint32_t *part = array_new(t->n_nodes, sizeof *part);
    uint64_t *load = model_expect(c->model);
    bool good = topo_cut_part(t, load, NULL, 0, n_parts, part, &c->way, err);

    if (good) {
        topo_cut_sum_up(t, load, n_parts, part, &c->sum);
        find_windows(c, part);
    }
    for (size_t i = 0; i < t->n_links; i++) {
        c->all_load += load[i];
    }
    free(part);
    free(load);
    return good;
}

static double
ratio(uint64_t a, uint64_t b)
{
    return b ? (double)a / (double)b : 0;
}

/* The load of a part, divided by the mean load. */
static double
of_mean(const struct cut_summary *c, uint64_t load)
{
    return c->sum.total ? ratio(load, c->sum.total) * c->sum.n_parts : 1;
}

static void
write_table(FILE *out, const struct cut_summary *c)
{
    fprintf(out, "part  switches  hosts  expected packets  of the mean  links across\n");
    for (uint32_t i = 0; i < c->sum.n_parts; i++) {
        const struct topo_cut_share *p = &c->sum.parts[i];
        fprintf(out, "%4u  %8u  %5u  %16llu  %9.1f %%  %12u\n", i, p->n_switches, p->n_hosts,
                (unsigned long long)p->load, 100 * of_mean(c, p->load), p->n_across);
    }
}

static void
write_windows(FILE *out, const struct cut_summary *c)
{
    const struct topo *t = c->model->topo;
    struct weir_text threads = { 0 }, ranks = { 0 };

    weir_text_add(&threads, "The shortest link has a delay of %t: threads synchronise every %t.",
                  c->shortest_ps, c->window_ps);
    fprintf(out, "%s\n", threads.s);
    if (c->sum.shortest == TOPO_NONE) {
        return;
    }
    const struct topo_link *l = &t->links[c->sum.shortest];
    struct topo_ends ends = topo_name_ends(t, l->port[0]);
    weir_text_add(
        &ranks,
        "The shortest link across the cut, %s-%s, has a delay of %t: ranks synchronise every %t.",
        ends.here, ends.there, l->delay_ps, c->window_ps * (weir_ps)c->n_windows);
    fprintf(out, "%s\n", ranks.s);
}

static void
write_text(FILE *out, const struct cut_summary *c)
{
    fprintf(out, "%u part%s, %s\n\n", c->sum.n_parts, c->sum.n_parts > 1 ? "s" : "", c->way);
    write_table(out, c);
    fprintf(out,
            "\nThe heaviest part has %.2f times the load of the mean. %zu of %zu links cross the "
            "cut,\nand %.1f %% of all hops of packets do.\n",
            of_mean(c, c->sum.most), c->sum.n_across, c->model->topo->n_links,
            100 * ratio(c->sum.across, c->all_load));
    write_windows(out, c);
}

static void
json_parts(struct json *j, const struct cut_summary *c)
{
    json_open(j, "parts", '[');
    for (uint32_t i = 0; i < c->sum.n_parts; i++) {
        const struct topo_cut_share *p = &c->sum.parts[i];
        json_open(j, NULL, '{');
        json_number(j, "switches", p->n_switches);
        json_number(j, "hosts", p->n_hosts);
        json_number(j, "expected_packets", p->load);
        json_fixed(j, "of_mean", of_mean(c, p->load), 4);
        json_number(j, "links_across", p->n_across);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
write_json(FILE *out, const struct cut_summary *c)
{
    struct json j = { .out = out, .lines = 2 };
    const struct topo_link *l =
        c->sum.shortest == TOPO_NONE ? NULL : &c->model->topo->links[c->sum.shortest];

    json_open(&j, NULL, '{');
    json_text(&j, "way", c->way);
    json_parts(&j, c);
    json_number(&j, "links_across", c->sum.n_across);
    json_fixed(&j, "packets_across", ratio(c->sum.across, c->all_load), 4);
    json_number(&j, "shortest_delay_ps", (uint64_t)c->shortest_ps);
    json_number(&j, "window_ps", (uint64_t)c->window_ps);
    if (l) {
        json_number(&j, "shortest_delay_across_ps", (uint64_t)l->delay_ps);
        json_number(&j, "windows_between_ranks", c->n_windows);
    }
    json_close(&j, '}');
}

bool
explain_write_cut(FILE *out, const struct model *model, uint32_t n_parts, bool json,
                  struct err *err)
{
    struct cut_summary c = { .model = model };
    bool good = sum_up_cut(&c, n_parts, err);

    if (good) {
        (json ? write_json : write_text)(out, &c);
    }
    topo_cut_sum_free(&c.sum);
    return good;
}
