/* Writes the plan of a lab: its processes, namespaces and interfaces, and the resources they
 * need. */

#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/core-count.h"
#include "base/json.h"
#include "base/out-of-memory.h"
#include "dataplane/dpdk.h"
#include "lab/capacity.h"
#include "lab/lab.h"
#include "lab/namespace.h"
#include "lab/veth.h"
#include "output/form-table.h"

/* Rows of the table of processes, and of the table of interfaces. */

struct process_row {
    const char *node, *kind;
    char name[LAB_NAME_BYTES];
    uint64_t n_interfaces;
};

struct interface_row {
    const char *node, *peer;
    char name[IF_NAMESIZE], address[VETH_ADDRESS_BYTES], peer_name[IF_NAMESIZE];
    uint64_t rate_bps, is_up;
    double delay_ps;
};

COLUMN_GET(process_row, get_process, cell_text(cell, r->name))
COLUMN_GET(process_row, get_namespace, (void)r; cell_text(cell, "its own, without a name"))
COLUMN_GET(interface_row, get_interface, cell_text(cell, r->name))
COLUMN_GET(interface_row, get_address, cell_text(cell, r->address))
COLUMN_GET(interface_row, get_peer_interface, cell_text(cell, r->peer_name))

#define PROCESS(MEMBER)   .offset = offsetof(struct process_row, MEMBER)
#define INTERFACE(MEMBER) .offset = offsetof(struct interface_row, MEMBER)

static const struct column process_columns[] = {
    { "node", COLUMN_TEXT, PROCESS(node), .head = "node" },
    { "kind", COLUMN_TEXT, PROCESS(kind), .head = "kind" },
    { "process", COLUMN_TEXT, .get = get_process, .head = "process" },
    { NULL, COLUMN_TEXT, .get = get_namespace, .head = "namespace" },
    { "interfaces", COLUMN_COUNT, PROCESS(n_interfaces), .head = "interfaces" },
    { 0 },
};

static const struct column interface_columns[] = {
    { "node", COLUMN_TEXT, INTERFACE(node), .head = "node" },
    { "interface", COLUMN_TEXT, .get = get_interface, .head = "interface" },
    { "address", COLUMN_TEXT, .get = get_address, .head = "address" },
    { "peer", COLUMN_TEXT, INTERFACE(peer), .head = "leads to" },
    { "peer_interface", COLUMN_TEXT, .get = get_peer_interface, .head = "interface" },
    { "rate_bps", COLUMN_RATE, INTERFACE(rate_bps), .head = "rate" },
    { "delay_ps", COLUMN_REAL_TIME, INTERFACE(delay_ps), .head = "delay" },
    { "is_up", COLUMN_YES, INTERFACE(is_up), .head = "up" },
    { 0 },
};

static const char *const kinds[] = { [TOPO_SWITCH] = "switch", [TOPO_NIC] = "host" };

static struct form_table
list_processes(const struct topo *t)
{
    struct process_row *rows = array_new(t->n_nodes, sizeof *rows);

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        const struct topo_node *node = &t->nodes[i];
        rows[i].node = node->name;
        rows[i].kind = kinds[node->kind];
        rows[i].n_interfaces = node->n_ports;
        lab_process_name(node->name, rows[i].name);
    }
    return (struct form_table){ NULL, process_columns, rows, t->n_nodes, sizeof *rows };
}

static struct form_table
list_interfaces(const struct topo *t)
{
    struct interface_row *rows = array_new(t->n_ports, sizeof *rows);

    for (uint32_t i = 0; i < t->n_ports; i++) {
        const struct topo_port *port = &t->ports[i], *peer = &t->ports[port->peer];
        const struct topo_link *link = &t->links[port->link];
        struct interface_row *r = &rows[i];
        r->node = t->nodes[port->node].name;
        r->peer = t->nodes[peer->node].name;
        r->rate_bps = link->rate_bps;
        r->delay_ps = (double)link->delay_ps;
        r->is_up = !link->failed;
        veth_name(port->number, r->name);
        veth_name(peer->number, r->peer_name);
        veth_address(port, r->address);
    }
    return (struct form_table){ NULL, interface_columns, rows, t->n_ports, sizeof *rows };
}

/* The requirements of a lab, and whether this machine meets them. */

enum { FAST_LINKS, LITTLE_MEMORY, N_WARNINGS };

struct needs {
    enum namespace_right right;
    bool has_dpdk;
    struct err dpdk; /* Names the missing part of DPDK. */
    uint64_t n_cores;
    uint64_t memory_bytes, memory_there_bytes;
    struct weir_text warnings[N_WARNINGS]; /* Empty texts are no warnings. */
};

static struct needs
ask_needs(const struct scenario *s)
{
    struct needs n = { .right = namespace_ask(),
                       .n_cores = core_count(),
                       .memory_bytes = lab_memory_bytes(s),
                       .memory_there_bytes = oom_memory_there() };

    n.has_dpdk = dpdk_load(&n.dpdk);
    lab_pace_warn(&s->topo, n.n_cores, &n.warnings[FAST_LINKS]);
    lab_memory_warn(n.memory_bytes, n.memory_there_bytes, &n.warnings[LITTLE_MEMORY]);
    return n;
}

static const struct {
    const char *name; /* The name for programs. */
    const char *words;
} rights[] = {
    [NAMESPACE_BY_RIGHT] = { "yes", "this user has them" },
    [NAMESPACE_BY_USER] = { "user namespace",
                            "this user has them in a user namespace, which the lab makes first" },
    [NAMESPACE_REFUSED] = { "no", "this user does not have them; " },
};

/* Writes the memory that is needed and, if the system reports it, the free memory. */
static void
write_memory(FILE *out, const struct needs *n)
{
    fprintf(out, "memory    some %ju MB for all processes", (uintmax_t)n->memory_bytes / 1000000);
    if (n->memory_there_bytes != UINT64_MAX) {
        fprintf(out, ", and %ju MB are free", (uintmax_t)n->memory_there_bytes / 1000000);
    }
    fprintf(out, "\n");
}

static void
write_needs(FILE *out, const struct needs *n, size_t n_processes)
{
    fprintf(out,
            "\nrights    CAP_SYS_ADMIN, CAP_NET_ADMIN and CAP_NET_RAW over these namespaces;\n"
            "          %s%s\n",
            rights[n->right].words, n->right == NAMESPACE_REFUSED ? namespace_advice : "");
    fprintf(out, "DPDK      %s\n", n->has_dpdk ? "is there" : n->dpdk.text);
    fprintf(out, "cores     %ju for %zu processes%s\n", (uintmax_t)n->n_cores, n_processes,
            n->n_cores < n_processes
                ? ": those that wait for a core are late, often by milliseconds,\n"
                  "          so thresholds must leave room for that (switch.response)"
                : "");
    write_memory(out, n);
    for (size_t i = 0; i < N_WARNINGS; i++) {
        if (n->warnings[i].len) {
            fprintf(out, "warning   %s\n", n->warnings[i].s);
        }
    }
}

static void
write_text(FILE *out, const char *file, const struct topo *t, const struct form_table tables[2],
           const struct needs *n)
{
    fprintf(out,
            "A lab of %s would have %zu processes, one for each node,\nand %zu links between "
            "their network namespaces, as pairs of virtual interfaces (veth).\nNothing has been "
            "set up.\n\n",
            file, t->n_nodes, t->n_links);
    form_table_show(out, &tables[0], FORM_TEXT);
    fprintf(out, "\n");
    form_table_show(out, &tables[1], FORM_TEXT);
    write_needs(out, n, t->n_nodes);
}

static void
write_json(FILE *out, const char *file, const struct form_table tables[2], const struct needs *n)
{
    struct json j = { .out = out, .lines = 3 };

    json_open(&j, NULL, '{');
    json_text(&j, "file", file);
    json_text(&j, "may_run", rights[n->right].name);
    json_bool(&j, "has_dpdk", n->has_dpdk);
    json_number(&j, "cores", n->n_cores);
    json_number(&j, "memory_bytes", n->memory_bytes);
    json_maybe(&j, "memory_free_bytes", n->memory_there_bytes != UINT64_MAX, n->memory_there_bytes);
    json_open(&j, "warnings", '[');
    for (size_t i = 0; i < N_WARNINGS; i++) {
        if (n->warnings[i].len) {
            json_text(&j, NULL, n->warnings[i].s);
        }
    }
    json_close(&j, ']');
    form_table_json(&j, "processes", &tables[0]);
    form_table_json(&j, "interfaces", &tables[1]);
    json_close(&j, '}');
}

void
lab_plan_write(FILE *out, const char *file, const struct scenario *s, bool json)
{
    struct form_table tables[] = { list_processes(&s->topo), list_interfaces(&s->topo) };
    const struct needs needs = ask_needs(s);

    if (json) {
        write_json(out, file, tables, &needs);
    } else {
        write_text(out, file, &s->topo, tables, &needs);
    }
    free((void *)tables[0].rows);
    free((void *)tables[1].rows);
}
