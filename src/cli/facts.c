/* `weir facts`: lists the facts of runs and of workloads, which have the same names in all
 * commands. */

#include <stdio.h>

#include "answer/facts.h"
#include "cli/cli.h"
#include "output/form-table.h"

static const char *const over_runs[] = {
    [REDUCE_MEAN] = "mean",   [REDUCE_MEDIAN] = "median", [REDUCE_MIN] = "minimum",
    [REDUCE_MAX] = "maximum", [REDUCE_SUM] = "sum",       [REDUCE_RUNS] = "number of runs",
};

COLUMN_GET(column, get_unit, cell_text(cell, facts_unit(r->name)))
COLUMN_GET(column, get_of, cell_text(cell, facts_is_of_workload(r) ? "workload" : "run"))
COLUMN_GET(
    column, get_over, if (r->over_runs) { cell_text(cell, over_runs[r->over_runs]); })

#define AT(MEMBER) .offset = offsetof(struct column, MEMBER)

/* The columns of the list. A row of the list is a fact, which is a struct column itself. */
static const struct column columns[] = {
    { "name", COLUMN_TEXT, AT(name), .head = "fact" },
    { "of", COLUMN_TEXT, .get = get_of },
    { "unit", COLUMN_TEXT, .get = get_unit, .head = "unit" },
    { "over_runs", COLUMN_TEXT, .get = get_over, .head = "over runs" },
    { "claim", COLUMN_TEXT, AT(claim), .head = "in claims" },
    { "head", COLUMN_TEXT, AT(head) },
    { "help", COLUMN_TEXT, AT(help), .head = "meaning" },
    { 0 },
};

static const struct verb_option options[] = {
    /* The options are alternatives: each sets the output format. */
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, .min = FORM_JSON },
    { "--csv", NULL, "Writes the result as CSV.", VERB_ONE_OF, .min = FORM_CSV },
    { "--markdown", NULL, "Writes the result as Markdown tables, like those in doc/.", VERB_ONE_OF,
      .min = FORM_MARKDOWN },
    { 0 },
};

static int
run_facts_verb(void *given)
{
    enum table_form form = (enum table_form) * (const int *)given;
    const struct form_table tables[] = {
        { "Facts of a run", columns, run_facts, N_RUN_FACTS, sizeof *run_facts },
        { "Facts of a workload", columns, workload_facts, N_WORKLOAD_FACTS,
          sizeof *workload_facts },
    };
    struct json j = { .out = stdout, .lines = 2 };
    if (form == FORM_JSON) {
        json_open(&j, NULL, '{');
        form_table_json(&j, "run", &tables[0]);
        form_table_json(&j, "workload", &tables[1]);
        json_close(&j, '}');
        return EXIT_GOOD;
    }
    for (size_t i = 0; i < 2; i++) {
        printf(i ? "\n" : "");
        form_table_show(stdout, &tables[i], form);
    }
    return EXIT_GOOD;
}

const struct verb cli_facts = {
    .name = "facts",
    .group = VERB_UNDERSTAND,
    .run = run_facts_verb,
    .brief = "list the facts of a run: names, units and meanings",
    .operands = "",
    .about =
        "Lists the facts that `run --json`, `compare`, `report --json`, results files, sweeps, "
        "`export`, the page and the Python module report of a run and of a workload. Each fact has "
        "the same name, unit and value everywhere. `report --metric` takes these names, and "
        "so do claims of studies, which reduce a fact over runs as the table says.",
    .examples = "  weir facts\n"
                "  weir facts --json\n",
    .options = options,
    .options_bytes = sizeof(int),
};
