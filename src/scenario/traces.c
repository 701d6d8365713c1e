/* Traces that workloads name: their files are opened and checked.  Files stay open, or are opened
 * again, when the graph of a run is built. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "graph/trace.h"
#include "scenario/resolver.h"

/* A trace, and the functions that open its files. */
struct opened_trace {
    struct trace trace; /* First: the workload points to it. */
    int (*open)(const char *path, struct err *);
    bool (*exists)(const char *path);
};

static bool
open_file(void *context, const char *name, struct trace_file *f, struct err *err)
{
    const struct opened_trace *o = context;
    int file = o->open(name, err);

    return file >= 0 && trace_open(f, file, name, err);
}

static bool
exists(void *context, const char *name)
{
    return ((const struct opened_trace *)context)->exists(name);
}

/* One file. */
static bool
read_file(struct resolver *r, const struct scn_node *map, const struct scn_node *word,
          enum trace_kind kind, struct opened_trace *o)
{
    bool (*const openers[])(struct trace *, int, const char *, struct err *) = {
        [TRACE_GOAL] = trace_open_goal, [TRACE_SIMAI] = trace_open_simai
    };
    struct err why;
    char *path = scn_other_path(r, word);
    int file = o->open(path, &why);

    (void)map;
    bool good = file >= 0 && openers[kind](&o->trace, file, path, &why);
    free(path);
    return good || scn_fail(word, r->err, "%s", why.text);
}

/* One file for each rank, and perhaps one with groups. */
static bool
read_chakra(struct resolver *r, const struct scn_node *map, const struct scn_node *word,
            enum trace_kind kind, struct opened_trace *o)
{
    const struct scn_node *groups = scn_child(map, "process-groups");
    struct err why;

    (void)kind;
    if (groups && !scn_expect_kind(r, groups, SCN_WORD, "expected the name of a file")) {
        return false;
    }
    char *prefix = scn_other_path(r, word), *path = groups ? scn_other_path(r, groups) : NULL;
    const struct chakra_source source = {
        .prefix = prefix, .groups = path, .exists = exists, .open = open_file, .context = o
    };
    bool good = trace_open_chakra(&o->trace, &source, &why);
    free(prefix);
    free(path);
    return good || scn_fail(word, r->err, "%s", why.text);
}

static bool
read_trace(struct resolver *r, const struct scn_node *map, const struct scn_node *word,
           enum trace_kind kind, struct scn_workload *w)
{
    if (!scn_expect_kind(r, word, SCN_WORD, "expected the name of a file")) {
        return false;
    }
    if (!r->files || !r->files->open) {
        return scn_fail(
            word, r->err,
            "a scenario that is not a file cannot name other files: save it, and run the file");
    }
    struct opened_trace *o = array_new(1, sizeof *o);
    o->open = r->files->open;
    o->exists = r->files->exists;
    if (!(kind == TRACE_CHAKRA ? read_chakra : read_file)(r, map, word, kind, o)) {
        free(o);
        return false;
    }
    w->trace = &o->trace;
    return true;
}

bool
scn_read_trace(struct resolver *r, const struct scn_node *map, struct scn_workload *w)
{
    const struct wl_pattern *pattern = wl_pattern_at(w->kind);
    int kind = 0;

    if (!pattern->takes_trace) {
        return true;
    }
    while (strcmp(trace_kinds[kind], pattern->about.name)) {
        kind++;
    }
    const struct scn_node *word = scn_child(map, trace_kinds[kind]);
    return word ? read_trace(r, map, word, (enum trace_kind)kind, w)
                : scn_fail(map, r->err, "a workload of kind %s needs '%s', the name of a file",
                           trace_kinds[kind], trace_kinds[kind]);
}

void
scn_free_trace(struct scn_workload *w)
{
    if (w->trace) {
        trace_end(w->trace);
        free(w->trace);
    }
}
