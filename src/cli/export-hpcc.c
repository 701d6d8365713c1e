/* Writes the files that HPCC's simulator writes and its scripts read, and the flow file that the
 * simulator reads. Nodes have the numbers of the network's file, from which addresses are made. The
 * flows from one node to another have source ports from 10000 on, in the order of their start.
 * Destination ports are those of the flow file; by them HPCC's scripts distinguish an incast (200)
 * from other flows (100). Sizes are without the headers that `flows: {headers: ...}` has added.
 * Times are in whole nanoseconds.
 *
 * Deviates: a flow of HPCC ends when its sender has the last acknowledgement; here it ends when the
 * last byte has arrived. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "cli/cli.h"
#include "cli/export.h"

enum { PS_PER_NS = 1000, NS_PER_S = 1000000000, FIRST_SPORT = 10000, USUAL_DPORT = 100 };

static uint32_t
number(const struct export_names *names, uint32_t node)
{
    const struct rec_node *n = export_node(names, node);
    return n ? n->number : node;
}

static uint32_t
address(const struct export_names *names, uint32_t node)
{
    uint32_t n = number(names, node);
    return 0x0b000001 + n / 256 * 0x00010000 + n % 256 * 0x00000100;
}

struct numbered {
    const struct rec_flow *flow;
    uint32_t sport;
};

static int
order(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int
by_pair(const struct rec_flow *x, const struct rec_flow *y)
{
    int from = order(x->from, y->from);
    return from ? from : order(x->to, y->to);
}

static int
by_pair_and_start(const void *a, const void *b)
{
    const struct rec_flow *x = ((const struct numbered *)a)->flow;
    const struct rec_flow *y = ((const struct numbered *)b)->flow;
    int pair = by_pair(x, y), start = order(x->start_ps, y->start_ps);

    return pair ? pair : start ? start : order((int64_t)x->id, (int64_t)y->id);
}

static int
by_end(const void *a, const void *b)
{
    const struct rec_flow *x = ((const struct numbered *)a)->flow;
    const struct rec_flow *y = ((const struct numbered *)b)->flow;
    int end = order(x->finished_ps, y->finished_ps);

    return end ? end : order((int64_t)x->id, (int64_t)y->id);
}

static void
number_ports(struct numbered *list, size_t n)
{
    qsort(list, n, sizeof *list, by_pair_and_start);
    for (size_t i = 0; i < n; i++) {
        bool is_next = i && !by_pair(list[i - 1].flow, list[i].flow);
        list[i].sport = is_next ? list[i - 1].sport + 1 : FIRST_SPORT;
    }
}

static uint32_t
dport_of(const struct rec_flow *f)
{
    return f->dport == REC_NO_ID ? USUAL_DPORT : f->dport;
}

static uint64_t
bytes_of(const struct rec_flow *f)
{
    return f->bytes - f->header_bytes;
}

static void
write_finished(FILE *out, const struct export_names *names, const struct numbered *n)
{
    const struct rec_flow *f = n->flow;
    weir_ps ideal_ps = f->ideal_ps < 0 ? 0 : f->ideal_ps;

    fprintf(out, "%08x %08x %u %u %" PRIu64 " %" PRId64 " %" PRId64 " %" PRId64 "\n",
            address(names, f->from), address(names, f->to), n->sport, dport_of(f), bytes_of(f),
            f->start_ps / PS_PER_NS, (f->finished_ps - f->start_ps) / PS_PER_NS,
            ideal_ps / PS_PER_NS);
}

int
export_fct(const struct export_job *j)
{
    struct export_names names;
    int code = export_names_read(&names, j);
    size_t n = names.flows.n;
    struct numbered *list = array_new(n, sizeof *list);

    for (size_t i = 0; i < n; i++) {
        list[i].flow = rec_row(&names.flows, REC_FLOW, i);
    }
    number_ports(list, n);
    qsort(list, n, sizeof *list, by_end);
    for (size_t i = 0; i < n && code == EXIT_GOOD; i++) {
        if (list[i].flow->finished_ps >= 0) {
            write_finished(j->out, &names, &list[i]);
        }
    }
    free(list);
    export_names_free(&names);
    return code;
}

static void
write_pause(FILE *out, const void *row, const void *names)
{
    const struct rec_event *e = row;
    const struct rec_port *port = export_port(names, e->port);
    const struct rec_node *node = port ? export_node(names, port->node) : NULL;
    bool is_pause = !strcmp(e->kind, "pause");

    if (node && (is_pause || !strcmp(e->kind, "resume"))) {
        fprintf(out, "%" PRId64 " %u %d %u %d\n", e->at_ps / PS_PER_NS, number(names, port->node),
                !strcmp(node->kind, "switch"), port->number + 1, is_pause);
    }
}

int
export_pfc(const struct export_job *j)
{
    struct export_names names;
    int code = export_names_read(&names, j);

    if (code == EXIT_GOOD) {
        code = export_each(j, REC_EVENT, write_pause, &names);
    }
    export_names_free(&names);
    return code;
}

/* The flow file, which HPCC's simulator reads. */

static int
by_start(const void *a, const void *b)
{
    const struct rec_flow *x = *(const struct rec_flow *const *)a;
    const struct rec_flow *y = *(const struct rec_flow *const *)b;
    int start = order(x->start_ps, y->start_ps);

    return start ? start : order((int64_t)x->id, (int64_t)y->id);
}

static void
write_flow(FILE *out, const struct export_names *names, const struct rec_flow *f)
{
    int64_t start_ns = f->start_ps / PS_PER_NS;

    fprintf(out, "%u %u %u %u %" PRIu64 " %" PRId64 ".%09" PRId64 "\n", number(names, f->from),
            number(names, f->to), (unsigned)f->cls, dport_of(f), bytes_of(f), start_ns / NS_PER_S,
            start_ns % NS_PER_S);
}

int
export_flow_file(const struct export_job *j)
{
    struct export_names names;
    int code = export_names_read(&names, j);
    size_t n = names.flows.n;
    const struct rec_flow **list = array_new(n, sizeof *list);

    for (size_t i = 0; i < n; i++) {
        list[i] = rec_row(&names.flows, REC_FLOW, i);
        if (code == EXIT_GOOD && list[i]->bytes == REC_NONE) {
            code = cli_fail(EXIT_USER,
                            "export: flow %s has no size, but every flow of a flow file needs one",
                            list[i]->name);
        }
    }
    if (code == EXIT_GOOD) {
        qsort(list, n, sizeof *list, by_start);
        fprintf(j->out, "%zu\n", n);
        for (size_t i = 0; i < n; i++) {
            write_flow(j->out, &names, list[i]);
        }
    }
    free(list);
    export_names_free(&names);
    return code;
}
