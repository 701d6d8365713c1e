/* Writes which nodes of an imported file count as switches and which as hosts. */

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "check/findings.h"
#include "plan/verdict.h"

/* Writes the names of nodes of one kind, with ranges: "leaf1-4, spine1, spine2". */
static void
write_names(FILE *out, const struct topo *t, enum topo_kind kind)
{
    struct plan_name *names = array_new(t->n_nodes, sizeof *names);
    struct weir_text text = { 0 };

    for (size_t i = 0; i < t->n_nodes; i++) {
        names[i] = (struct plan_name){ t->nodes[i].name, t->nodes[i].kind == kind };
    }
    plan_fold_names(names, t->n_nodes, &text);
    fprintf(out, "%s%s", text.s, text.len + 1 >= sizeof text.s ? "..." : "");
    free(names);
}

void
check_write_imported(FILE *out, const struct scenario *s)
{
    const struct scn_imported *from = &s->imported;

    if (!from->format) {
        return;
    }
    fprintf(out, "switches  ");
    write_names(out, &s->topo, TOPO_SWITCH);
    fprintf(out, "\nhosts     ");
    write_names(out, &s->topo, TOPO_NIC);
    fprintf(out, "\n          as %s's file has them", from->format);
    if (from->n_split) {
        fprintf(out, "; %u host%s several links, and each of these links is a host here",
                from->n_split, from->n_split > 1 ? "s have" : " has");
    }
    if (from->n_left_out) {
        fprintf(out, "; %u node%s without links left out", from->n_left_out,
                from->n_left_out > 1 ? "s" : "");
    }
    fprintf(out, "\n");
}

static void
json_names(struct json *j, const struct topo *t, const char *key, enum topo_kind kind)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < t->n_nodes; i++) {
        if (t->nodes[i].kind == kind) {
            json_text(j, NULL, t->nodes[i].name);
        }
    }
    json_close(j, ']');
}

void
check_json_imported(struct json *j, const struct scenario *s)
{
    if (!s->imported.format) {
        json_null(j, "taken");
        return;
    }
    json_open(j, "taken", '{');
    json_text(j, "format", s->imported.format);
    json_names(j, &s->topo, "switches", TOPO_SWITCH);
    json_names(j, &s->topo, "hosts", TOPO_NIC);
    json_number(j, "split", s->imported.n_split);
    json_number(j, "left_out", s->imported.n_left_out);
    json_close(j, '}');
}
