/* Lists the keys of a scenario, from the tables that read them. */

#include "scenario/key-tables.h"

#include <string.h>

#include "scenario/field-tables.h"
#include "scenario/resolver.h"

static const struct weir_field no_fields[] = { { 0 } };

/* In the order of a scenario file.  A map without a table is the section of its name. */
static const struct keys {
    const char *name, *help;
    const struct scn_table *table;
} all[] = {
    { "topology", "Network: its shape, links and failures.", NULL },
    { "topology.links", "Links that differ from the others.", &scn_link_table },
    { "topology.links.slow", "Rates of a link during the run.", &scn_slowing_table },
    { "topology.failures", "Random failures of links.", &scn_failures_table },
    { "routing", "Paths of packets.", NULL },
    { "routing.static", "Routes set by hand.", &scn_static_table },
    { "switch", "Buffers, arbitration and watchdog of switches.", NULL },
    { "switch.speeds", "Buffers of faster ports.", &scn_speed_table },
    { "wire", "Packet size, gap and traffic classes.", NULL },
    { "roles", "Nodes that differ from the others.", &scn_role_table },
    { "flows", "Flows, one map each.", &scn_flow_table },
    { "flows.files", "Flows in a file of another simulator.", &scn_flow_files_table },
    { "workload", "Traffic pattern whose flows are drawn at random.", &scn_workload_table },
    { "stalls", "Hosts that stop draining what they receive.", &scn_stall_table },
    { "transport", "Senders: transport, recovery and acknowledgements.", NULL },
    { "run", "Length of the run, warm-up and seed.", NULL },
    { "record", "Samples and events that a results file keeps.", NULL },
    { "claims", "Results that a paper has published.", &scn_claim_table },
};

enum { N_ALL = sizeof all / sizeof *all };

static struct scn_fields
fields_of(const struct keys *k)
{
    const struct scn_table *t = k->table ? k->table : scn_section_find(k->name);

    return (struct scn_fields){ "key", t->fields, t->keys, t->needed_field };
}

static bool
is_section(const struct keys *k)
{
    return !k->table;
}

static const struct scn_fields top = { "key", no_fields, scn_top_keys, NULL };

size_t
scn_key_table_names(const char *names[SCN_MAX_KEY_TABLES])
{
    for (size_t i = 0; i < N_ALL; i++) {
        names[i] = all[i].name;
    }
    return N_ALL;
}

/* The keys at the top for a null name, else those of a table that has this name. */
static struct scn_fields
find_fields(const char *name)
{
    size_t i = 0;

    while (name && strcmp(all[i].name, name)) {
        i++;
    }
    return name ? fields_of(&all[i]) : top;
}

void
scn_key_table_text(FILE *out, const char *name)
{
    struct scn_fields fields = find_fields(name);

    scn_fields_text(out, &fields);
    if (!name) {
        fprintf(out, "\nSections:\n");
        for (size_t i = 0; i < N_ALL; i++) {
            fprintf(out, "  %-19s %s\n", all[i].name, all[i].help);
        }
        fprintf(out, "\n'weir keys SECTION' shows the keys of one.\n");
    }
}

void
scn_key_table_markdown(FILE *out, const char *name)
{
    struct scn_fields fields = find_fields(name);

    scn_fields_markdown(out, &fields);
    for (size_t i = 0; i < N_ALL && !name; i++) {
        if (is_section(&all[i])) {
            fprintf(out, "| `%s` | map | - | [its keys](#section-%s) | %s |\n", all[i].name,
                    all[i].name, all[i].help);
        }
    }
}

static void
json_table(struct json *j, const char *name, const char *help, const struct scn_fields *t)
{
    json_open(j, NULL, '{');
    json_text(j, "name", name);
    json_text(j, "help", help);
    scn_json_fields(j, "fields", t->fields);
    scn_json_keys(j, "keys", t->keys);
    json_close(j, '}');
}

void
scn_key_table_json(FILE *out, const char *name)
{
    struct json j = { .out = out, .lines = 3 };

    json_open(&j, NULL, '[');
    if (!name) {
        json_table(&j, NULL, "Keys at the top of a scenario.", &top);
    }
    for (size_t i = 0; i < N_ALL; i++) {
        if (!name || !strcmp(all[i].name, name)) {
            struct scn_fields fields = fields_of(&all[i]);
            json_table(&j, all[i].name, all[i].help, &fields);
        }
    }
    json_close(&j, ']');
}
