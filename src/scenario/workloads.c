/* Workloads: their keys in a file, and the flows that are drawn from them. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "scenario/resolver.h"
#include "scenario/study.h"
#include "workload/job.h"

/* Sizes: a name, a file, or points. */

static bool
read_point(struct resolver *r, const struct scn_node *n, struct wl_sizes *sizes)
{
    struct weir_text why = { 0 };
    struct err err;
    uint64_t bytes;

    if (n->kind != SCN_LIST || n->n_children != 2 || n->children[0]->kind != SCN_WORD ||
        n->children[1]->kind != SCN_WORD) {
        return scn_fail(n, r->err, "expected a size and a percentage, as in [30KB, 70]");
    }
    if (!weir_value_parse(WEIR_BYTES, n->children[0]->word, &bytes, &why)) {
        return scn_fail(n->children[0], r->err, "%s", why.s);
    }
    return wl_sizes_add(sizes, bytes, n->children[1]->word, &err) ||
           scn_fail(n, r->err, "%s", err.text);
}

static bool
read_points(struct resolver *r, const struct scn_node *list, struct wl_sizes *sizes)
{
    struct err err;

    for (size_t i = 0; i < list->n_children; i++) {
        if (!read_point(r, list->children[i], sizes)) {
            return false;
        }
    }
    return wl_sizes_finish(sizes, &err) || scn_fail(list, r->err, "%s", err.text);
}

static bool
read_sizes_file(struct resolver *r, const struct scn_node *word, struct wl_sizes *sizes)
{
    const struct scn_source *source = scn_load_other(r, word);
    struct err err;
    size_t line;

    return source && (wl_sizes_parse(sizes, source->text, &line, &err) ||
                      scn_fail_in(source, line, 1, r->err, "%s", err.text));
}

static size_t
count_named(void)
{
    size_t n = 0;
    while (wl_named_sizes[n].name) {
        n++;
    }
    return n;
}

/* Reads sizes. A word with a dot or a slash is a file; any other word is a name. */
static bool
read_sizes(struct resolver *r, const struct scn_node *n, struct scn_workload *w)
{
    struct err err;
    char offer[200];
    size_t line;

    if (n->kind == SCN_LIST) {
        return read_points(r, n, &w->sizes);
    }
    if (n->kind != SCN_WORD) {
        return scn_fail(
            n, r->err,
            "expected a name, a file, or a list of points as in [[30KB, 70], [1MB, 100]]");
    }
    for (const struct wl_named *named = wl_named_sizes; named->name; named++) {
        if (!strcmp(named->name, n->word)) {
            w->sizes_name = named->name;
            return wl_sizes_parse(&w->sizes, named->text, &line, &err) ||
                   scn_fail(n, r->err, "%s", err.text);
        }
    }
    if (strpbrk(n->word, "./")) {
        return read_sizes_file(r, n, &w->sizes);
    }
    text_offer(n->word, &wl_named_sizes[0].name, sizeof wl_named_sizes[0], count_named(), offer,
               sizeof offer);
    return scn_fail(n, r->err, "there is no distribution of sizes '%s'%s", n->word, offer);
}

static bool
read_sizes_or_bytes(struct resolver *r, const struct scn_node *n, struct scn_workload *w)
{
    const char *instead = wl_pattern_at(w->kind)->instead_of_sizes;

    if (!instead) {
        return true;
    }
    const struct scn_node *sizes = scn_child(n, "sizes"), *bytes = scn_child(n, instead);
    if (!sizes && !bytes) {
        return scn_fail(n, r->err, "a workload of this kind needs 'sizes', or '%s' for each flow",
                        instead);
    }
    if (sizes && bytes) {
        return scn_fail_key(bytes, r->err, "'sizes' already gives the size of the flows");
    }
    return !sizes || read_sizes(r, sizes, w);
}

/* The rest of the map. */

static bool
check_hosts(struct resolver *r, const struct scn_node *list, const struct scn_workload *w)
{
    uint32_t *sorted = array_new(w->n_hosts, sizeof *sorted);
    bool good = true;

    memcpy(sorted, w->hosts, w->n_hosts * sizeof *sorted);
    array_sort_u32(sorted, w->n_hosts);
    for (uint32_t i = 1; good && i < w->n_hosts; i++) {
        good = sorted[i] != sorted[i - 1] ||
               scn_fail(list, r->err, "%s is listed twice", r->s->topo.nodes[sorted[i]].name);
    }
    free(sorted);
    return good;
}

static bool
read_hosts(struct resolver *r, const struct scn_node *list, struct scn_workload *w)
{
    if (!list) {
        return true;
    }
    if (list->kind != SCN_LIST || !list->n_children) {
        return scn_fail(list, r->err, "expected hosts, as in [H1, H2]");
    }
    struct scn_nics nics = { 0 };
    bool good = true;
    for (size_t i = 0; i < list->n_children && good; i++) {
        good = scn_add_nics(r, list->children[i], &nics);
    }
    w->hosts = nics.items;
    w->n_hosts = (uint32_t)nics.n;
    return good && check_hosts(r, list, w);
}

static bool
read_receiver(struct resolver *r, const struct scn_node *n, struct scn_workload *w)
{
    const struct scn_node *to = wl_pattern_at(w->kind)->takes_receiver ? scn_child(n, "to") : NULL;

    w->to = TOPO_NONE;
    return !to || scn_find_host(r, to, &w->to);
}

static bool
read_groups(struct resolver *r, const struct scn_node *n, struct scn_workload *w)
{
    const struct scn_node *groups =
        wl_pattern_at(w->kind)->takes_groups ? scn_child(n, "groups") : NULL;

    weir_fields_default(scn_groups_table.fields, &w->groups);
    if (!groups) {
        return true;
    }
    return scn_expect_kind(r, groups, SCN_MAP, "expected groups, as in {size: 8, stride: 1}") &&
           scn_read_map(r, groups, &scn_groups_table, &w->groups);
}

static bool
read_kind(struct resolver *r, const struct scn_node *n)
{
    const struct weir_field *kind = scn_workload_table.fields;
    uint64_t value;
    const struct scn_node *word = n->kind == SCN_MAP ? scn_child(n, "kind") : NULL;

    if (!word && n->kind == SCN_MAP && scn_implied(n, &scn_workload_table)) {
        return true;
    }
    if (!word) {
        return scn_fail(n, r->err, "expected a workload, as in {kind: poisson, load: 0.5, ...}");
    }
    return scn_read_value(r, word, kind, &value);
}

static bool
is_called(const struct scenario *s, const struct scn_workload *but, const char *name)
{
    const struct scn_workload *w = s->workloads;

    while (w < but && strcmp(w->name, name)) {
        w++;
    }
    return w < but;
}

static bool
read_workload_name(struct resolver *r, const struct scn_node *n, struct scn_workload *w)
{
    const struct scn_node *name = scn_child(n, "name");
    const char *kind = wl_pattern_at(w->kind)->about.name;

    if (name && !scn_read_text(r, name, "a name of a workload", w->name, sizeof w->name)) {
        return false;
    }
    if (!strcmp(w->name, SCN_ALL_WORKLOADS)) {
        return scn_fail(name, r->err,
                        "no workload may be called '" SCN_ALL_WORKLOADS
                        "': in results that is all flows together");
    }
    if (!name) {
        snprintf(w->name, sizeof w->name, is_called(r->s, w, kind) ? "%s#%zu" : "%s", kind,
                 r->s->n_workloads);
    }
    return !is_called(r->s, w, w->name) ||
           scn_fail(name ? name : n, r->err,
                    "two workloads are called '%s': give one another 'name'", w->name);
}

static struct wl_spec
spec_of(const struct scenario *s, size_t i, const uint32_t *all_hosts)
{
    const struct scn_workload *w = &s->workloads[i];

    return (struct wl_spec){ .topo = &s->topo,
                             .hosts = w->hosts ? w->hosts : all_hosts,
                             .n_hosts = w->hosts ? w->n_hosts : s->topo.n_nics,
                             .to = w->to,
                             .sizes = w->sizes.n ? &w->sizes : NULL,
                             .params = w->params,
                             .trace = w->trace,
                             .group_size = w->groups.size == WEIR_AUTO ? 0 : w->groups.size,
                             .group_stride = w->groups.stride,
                             .start_ps = (weir_ps)w->start_ps,
                             .end_ps = (weir_ps)s->run.time_ps,
                             .max_flows = WL_MAX_FLOWS > s->n_flows ? WL_MAX_FLOWS - s->n_flows : 0,
                             .seed = s->run.seed,
                             .number = (uint32_t)i };
}

/* The error is at the wrong parameter, if the scenario sets it. */
static bool
check_pattern(struct resolver *r, const struct scn_node *n, size_t i)
{
    const struct scn_workload *w = &r->s->workloads[i];
    struct wl_spec spec = spec_of(r->s, i, NULL);
    const char *at = NULL;
    struct err err;

    if (w->start_ps >= r->s->run.time_ps) {
        return scn_fail(scn_child(n, "start"), r->err,
                        "the workload starts after the end of the run");
    }
    return wl_check(wl_pattern_at(w->kind), &spec, &at, &err) ||
           scn_fail(scn_child_or_map(n, at), r->err, "%s", err.text);
}

bool
scn_read_workload(struct resolver *r, const struct scn_node *n)
{
    if (!read_kind(r, n)) {
        return false;
    }
    if (r->s->n_workloads == SCN_MAX_WORKLOADS) {
        return scn_fail(n, r->err, "there are over %d workloads; at most that many are allowed",
                        SCN_MAX_WORKLOADS);
    }
    ARRAY_PUSH(r->s->workloads, r->s->n_workloads, r->s->max_workloads) =
        (struct scn_workload){ .place = scn_place_of(r, n), .column = (uint32_t)n->column };
    struct scn_workload *w = &r->s->workloads[r->s->n_workloads - 1];

    scn_default_map(&scn_workload_table, w);
    return scn_read_map(r, n, &scn_workload_table, w) && read_workload_name(r, n, w) &&
           read_sizes_or_bytes(r, n, w) && read_hosts(r, scn_child(n, "hosts"), w) &&
           read_receiver(r, n, w) && read_groups(r, n, w) && scn_read_trace(r, n, w) &&
           scn_check_class(r, n, "class", w->cls) && check_pattern(r, n, r->s->n_workloads - 1);
}

/* Drawing. */

/* The workload that drew a flow. */
static const struct scn_workload *
workload_of(const struct scenario *s, size_t flow)
{
    size_t i = s->n_workloads - 1;

    while (s->workloads[i].first_flow > flow) {
        i--;
    }
    return &s->workloads[i];
}

void
scn_leave_flows_to(struct scenario *s, struct scn_keeper keeper)
{
    s->keeper = keeper;
    for (size_t i = 0; i < s->n_workloads; i++) {
        wl_flows_free(&s->workloads[i].drawn);
    }
}

static struct wl_flow
drawn_at(const struct scenario *s, const struct scn_workload *w, size_t flow)
{
    if (s->keeper.flow_at) {
        return s->keeper.flow_at(s->keeper.arg, flow);
    }
    struct wl_flow f = w->drawn.items[flow - w->first_flow];
    f.after += f.after == WL_NONE ? 0 : w->first_flow;
    return f;
}

struct scn_flow
scn_flow_at(const struct scenario *s, size_t flow)
{
    if (flow < s->n_listed_flows) {
        return s->listed[flow];
    }
    const struct scn_workload *w = workload_of(s, flow);
    const struct wl_flow f = drawn_at(s, w, flow);
    return (struct scn_flow){
        .from = f.from,
        .to = f.to,
        .bytes = f.bytes,
        .rate_bps = WEIR_UNLIMITED,
        .start_ps = (uint64_t)f.start_ps,
        .stop_ps = UINT64_MAX,
        .cls = w->cls,
        .transport = w->transport == WEIR_AUTO ? s->transport.kind : w->transport,
        .dport = w->dport,
        .after = f.after,
        .group = 1 + (uint32_t)(w - s->workloads),
        .place = w->place,
    };
}

static const struct scn_node *
node_of(const struct resolver *r, size_t workload)
{
    const struct scn_node *n = scn_child(r->root, scn_top_keys[TOP_WORKLOAD].name);
    return n->kind == SCN_LIST ? n->children[workload] : n;
}

/* Freed by the caller. */
static uint32_t *
list_hosts(const struct topo *t)
{
    uint32_t *all = array_new(t->n_nics, sizeof *all);

    for (uint32_t i = 0; i < t->n_nics; i++) {
        all[i] = t->n_switches + i; /* Switches come first. */
    }
    return all;
}

bool
scn_workload_is_one_job(const struct scenario *s, size_t workload)
{
    return wl_pattern_at(s->workloads[workload].kind)->is_one_job;
}

bool
scn_job_of(const struct scenario *s, size_t workload, struct wl_job *job)
{
    struct wl_spec spec = spec_of(s, workload, NULL);

    return wl_job_of(wl_pattern_at(s->workloads[workload].kind), &spec, job);
}

bool
scn_build_job(const struct scenario *s, size_t workload, struct graph *graph, uint32_t *nodes,
              struct err *err)
{
    uint32_t *all_hosts = list_hosts(&s->topo);
    struct wl_spec spec = spec_of(s, workload, all_hosts);
    struct wl_job job;

    wl_job_of(wl_pattern_at(s->workloads[workload].kind), &spec, &job);
    wl_job_place(&spec, &job, nodes);
    bool good = wl_job_build(&spec, &job, graph, err);
    free(all_hosts);
    return good;
}

uint64_t
scn_workload_load(const struct scenario *s, size_t workload, weir_ps *until_ps)
{
    const struct scn_workload *w = &s->workloads[workload];
    const struct wl_pattern *pattern = wl_pattern_at(w->kind);
    uint64_t end_ps = wl_end_ps(pattern, w->params);
    uint32_t *all_hosts = list_hosts(&s->topo);
    struct wl_spec spec = spec_of(s, workload, all_hosts);

    *until_ps = (weir_ps)(end_ps < s->run.time_ps ? end_ps : s->run.time_ps);
    uint64_t load = pattern->load ? pattern->load(&spec) : 0;
    free(all_hosts);
    return load;
}

bool
scn_draw_flows(struct resolver *r)
{
    struct scenario *s = r->s;
    uint32_t *all_hosts = list_hosts(&s->topo);
    bool good = true;

    for (size_t i = 0; good && i < s->n_workloads; i++) {
        struct wl_spec spec = spec_of(s, i, all_hosts);
        struct wl_flows *drawn = &s->workloads[i].drawn;
        struct err err;
        good = wl_draw(wl_pattern_at(s->workloads[i].kind), &spec, drawn, &err) ||
               scn_fail(node_of(r, i), r->err, "%s", err.text);
        s->workloads[i].first_flow = (uint32_t)s->n_flows;
        s->n_flows += drawn->n;
        wl_flows_trim(drawn);
    }
    free(all_hosts);
    return good;
}

bool
scn_find_workload(const struct scenario *s, const struct scn_node *n, uint32_t *group,
                  struct err *err)
{
    const char *names[SCN_MAX_WORKLOADS];
    char offer[200];

    for (size_t i = 0; i < s->n_workloads; i++) {
        names[i] = s->workloads[i].name;
        if (!strcmp(names[i], n->word)) {
            *group = (uint32_t)i + 1;
            return true;
        }
    }
    text_offer(n->word, names, sizeof *names, s->n_workloads, offer, sizeof offer);
    return scn_fail(n, err, "the scenario has no workload '%s'%s", n->word, offer);
}
