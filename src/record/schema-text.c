/* Puts the facts of runs and workloads (answer/facts.h) into schema.sql. */

#include "record/schema-text.h"

#include <stdio.h>
#include <string.h>

#include "answer/facts.h"
#include "record/store.h"

static const char *
type_of(enum column_kind kind)
{
    switch (column_store(kind)) {
    case STORE_REAL:
        return "REAL";
    case STORE_TEXT:
    case STORE_NAME:
        return "TEXT";
    default:
        return kind == COLUMN_HASH ? "TEXT" : "INTEGER";
    }
}

/* Counts of flows and bytes of a workload are always known (rows.c). */
static bool
is_needed(const struct column *fact)
{
    return facts_is_of_workload(fact) && column_store(fact->kind) == STORE_NUMBER;
}

static void
write_facts(FILE *out, const struct column *facts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "    %-24s %s%s, -- %s\n", facts[i].name, type_of(facts[i].kind),
                is_needed(&facts[i]) ? " NOT NULL" : "", facts[i].help);
    }
}

static const struct {
    const char *mark;
    const struct column *facts;
    size_t n;
} marks[] = {
    { "    @run-facts@\n", run_facts, N_RUN_FACTS },
    { "    @workload-facts@\n", workload_facts, N_WORKLOAD_FACTS },
};

char *
schema_text(void)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    for (const char *line = rec_schema; *line;) {
        size_t n = strcspn(line, "\n") + 1, i = 0;
        while (i < 2 && strncmp(line, marks[i].mark, strlen(marks[i].mark))) {
            i++;
        }
        if (i < 2) {
            write_facts(out, marks[i].facts, marks[i].n);
        } else {
            fwrite(line, 1, n, out);
        }
        line += n;
    }
    fclose(out);
    return text;
}
