/* Lists the keys of a scenario, from the tables that read them, and the parameters of plug-ins. */

#include "scenario/key-tables.h"

#include <string.h>

#include "scenario/plugin-tables.h"
#include "scenario/resolver.h"

static const struct weir_field no_fields[] = { { 0 } };

/* All maps, in the order of a scenario file.  A map without a table has that of the section with
 * its name. */
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
    { "workload.groups", "Groups of ranks that each run the collective.", &scn_groups_table },
    { "stalls", "Hosts that stop draining what they receive.", &scn_stall_table },
    { "transport", "Senders: transport, recovery and acknowledgements.", NULL },
    { "run", "Length of the run, warm-up and seed.", NULL },
    { "record", "Samples and events that a results file keeps.", NULL },
    { "claims", "Results that a paper has published.", &scn_claim_table },
};

enum { N_ALL = sizeof all / sizeof *all };

static struct scn_key_table
table_at(size_t i)
{
    const struct keys *k = &all[i];
    const struct scn_table *t = k->table ? k->table : scn_section_find(k->name);

    struct scn_key_table table = { .help = k->help,
                                   .is_section = true,
                                   .is_single = !k->table,
                                   .fields = { "key", t->fields, t->keys, t->needed_field } };

    snprintf(table.name, sizeof table.name, "%s", k->name);
    return table;
}

static const struct scn_key_table top = { .help = "Keys at the top of a scenario.",
                                          .fields = { "key", no_fields, scn_top_keys, NULL } };

static void
each_plugin(const struct scn_registry *r, scn_each_key_table *each, void *arg)
{
    for (const struct weir_plugin *const *p = r->registry->plugins; *p; p++) {
        struct scn_key_table t = { .help = (*p)->title,
                                   .plugin = r->has_own_map ? NULL : (*p)->name,
                                   .fields = scn_fields_of_plugin(r->registry, *p) };
        snprintf(t.name, sizeof t.name, "%s%s%s", r->section,
                 *r->section && r->has_own_map ? "." : "", r->has_own_map ? (*p)->name : "");
        each(arg, &t);
    }
}

void
scn_key_tables_each(scn_each_key_table *each, void *arg)
{
    each(arg, &top);
    for (size_t i = 0; i < N_ALL; i++) {
        struct scn_key_table t = table_at(i);
        each(arg, &t);
    }
    for (const struct scn_registry *r = scn_registries; r->registry; r++) {
        each_plugin(r, each, arg);
    }
}

static void
text_table(FILE *out, const struct scn_key_table *t)
{
    if (t->is_part) {
        if (t->plugin) {
            fprintf(out, "%s (%s): ", t->name, t->plugin);
        } else if (*t->name) {
            fprintf(out, "%s: ", t->name);
        }
        fprintf(out, "%s\n", t->help);
    }
    scn_fields_text(out, &t->fields);
}

static void
json_table(struct json *j, const struct scn_key_table *t)
{
    json_open(j, NULL, '{');
    json_text(j, "name", *t->name ? t->name : NULL);
    json_text(j, "help", t->help);
    scn_json_fields(j, "fields", t->fields.fields);
    scn_json_keys(j, "keys", t->fields.keys);
    json_close(j, '}');
}

void
scn_key_tables_write(FILE *out, const struct scn_key_table *tables, size_t n,
                     enum scn_list_form form)
{
    struct json j = { .out = out, .lines = 3 };

    if (form == SCN_LIST_JSON) {
        json_open(&j, NULL, '[');
    }
    for (size_t i = 0; i < n; i++) {
        if (form == SCN_LIST_JSON) {
            json_table(&j, &tables[i]);
        } else if (form == SCN_LIST_TEXT) {
            text_table(out, &tables[i]);
        } else {
            scn_fields_markdown(out, &tables[i].fields);
        }
    }
    if (form == SCN_LIST_JSON) {
        json_close(&j, ']');
    }
}

static void
list_sections_text(FILE *out)
{
    fprintf(out, "\nSections:\n");
    for (size_t i = 0; i < N_ALL; i++) {
        fprintf(out, "  %-19s %s\n", all[i].name, all[i].help);
    }
    fprintf(out, "\n'weir keys SECTION' shows the keys of one, 'weir keys SECTION.KEY' one key.\n");
}

static void
list_sections_markdown(FILE *out)
{
    for (size_t i = 0; i < N_ALL; i++) {
        if (!all[i].table) {
            fprintf(out, "| `%s` | map | - | [its keys](#section-%s) | %s |\n", all[i].name,
                    all[i].name, all[i].help);
        }
    }
}

void
scn_key_tables_list(FILE *out, enum scn_list_form form)
{
    struct scn_key_table tables[1 + N_ALL] = { top };

    for (size_t i = 0; i < N_ALL; i++) {
        tables[1 + i] = table_at(i);
    }
    scn_key_tables_write(out, tables, form == SCN_LIST_JSON ? 1 + N_ALL : 1, form);
    if (form == SCN_LIST_TEXT) {
        list_sections_text(out);
    } else if (form == SCN_LIST_MARKDOWN) {
        list_sections_markdown(out);
    }
}
