/* Completes schema.sql with the facts of runs and workloads (answer/facts.h), and compares the
 * schema of a file with it. */

#include "record/schema.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/facts.h"
#include "base/array.h"
#include "record/sqlite-hardening.h"
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
    return facts_is_of_workload(fact) && column_store(fact->kind) == STORE_NUMBER &&
           fact->kind != COLUMN_RATE;
}

/* Columns that are not in files of earlier versions. */
static const struct {
    const char *column;
    int64_t since;
} added[] = {
    { "done_ps", 15 },
    { "paper", 15 },
    { "link", 15 },
    { "is_connection", 15 },
    { "n_ranks", 15 },
    { "n_waiting_ranks", 15 },
    { "n_connections", 15 },
    { "n_rank_messages", 15 },
    { "n_rank_messages_arrived", 15 },
    { "n_relayed_messages", 15 },
    { "relayed_bytes", 15 },
    { "job_ps", 15 },
    { "iteration_min_ps", 15 },
    { "iteration_p50_ps", 15 },
    { "iteration_max_ps", 15 },
    { "algbw_bps", 15 },
    { "busbw_bps", 15 },
    { "job_slowdown", 15 },
    { "computing_mean_ps", 15 },
    { "computing_max_ps", 15 },
    { "network_mean_ps", 15 },
    { "network_max_ps", 15 },
    { "peer_mean_ps", 15 },
    { "peer_max_ps", 15 },
};

bool
schema_has(const char *column, int64_t version)
{
    for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
        if (!strcmp(added[i].column, column)) {
            return version >= added[i].since;
        }
    }
    return true;
}

static void
write_facts(FILE *out, const struct column *facts, size_t n, int64_t version)
{
    for (size_t i = 0; i < n; i++) {
        if (!schema_has(facts[i].name, version)) {
            continue;
        }
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

/* Whether files of a version have the column that this line of schema.sql defines. Other lines are
 * in all versions. */
static bool
has_line(const char *line, int64_t version)
{
    char name[40];

    return sscanf(line, " %39[a-z_]", name) != 1 || schema_has(name, version);
}

char *
schema_text(int64_t version)
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
            write_facts(out, marks[i].facts, marks[i].n, version);
        } else if (has_line(line, version)) {
            fwrite(line, 1, n, out);
        }
        line += n;
    }
    fclose(out);
    return text;
}

/* Checks of a file's schema. */

enum { MAX_TABLES = 32, NAME_BYTES = 64 };

/* The tables of schema.sql, in normalized form. */
struct tables {
    char *text;
    const char *sql[MAX_TABLES];
    bool is_seen[MAX_TABLES];
    size_t n;
};

static const char create[] = "CREATE TABLE ";

/* Normalized form: texts are unchanged, comments are removed, and spaces are collapsed to one.
 * Quoted identifiers are not handled, because schema.sql has none. */

static const char *
skip_blank(const char *s)
{
    for (const char *before = NULL; s != before;) {
        before = s;
        s += strspn(s, " \t\r\n\f");
        if (!strncmp(s, "--", 2)) {
            s += strcspn(s, "\n");
        } else if (!strncmp(s, "/*", 2)) {
            const char *end = strstr(s + 2, "*/");
            s = end ? end + 2 : s + strlen(s);
        }
    }
    return s;
}

static char *
plain(const char *sql)
{
    char *text = array_new(strlen(sql) + 2, 1), *out = text;
    bool is_quoted = false;

    for (const char *s = skip_blank(sql); *s;) {
        const char *next = is_quoted ? s : skip_blank(s);
        if (next != s) {
            *out++ = ' ';
            s = next;
        } else {
            is_quoted = is_quoted != (*s == '\'');
            *out++ = *s++;
        }
    }
    return text;
}

static void
split(struct tables *t)
{
    char *rest = t->text, *sql;

    while ((sql = strtok_r(rest, ";", &rest))) {
        sql += strspn(sql, " ");
        if (*sql) {
            assert(t->n < MAX_TABLES && !strncmp(sql, create, sizeof create - 1));
            t->sql[t->n++] = sql;
        }
    }
}

/* The name of a table: "run" in "CREATE TABLE run (...". */
static const char *
name_of(const char *sql, char room[NAME_BYTES])
{
    const char *name = sql + sizeof create - 1;

    snprintf(room, NAME_BYTES, "%.*s", (int)strcspn(name, " "), name);
    return room;
}

/* One object of a file's schema. */
struct object {
    const char *type, *name, *sql;
};

static const char *
text_at(sqlite3_stmt *s, int place)
{
    const char *text = (const char *)sqlite3_column_text(s, place);
    return text ? text : "";
}

/* Whether an object is an index that SQLite itself creates for the key of a table. */
static bool
is_key(const struct object *o)
{
    static const char prefix[] = "sqlite_autoindex_";

    return !strcmp(o->type, "index") && !*o->sql && !strncmp(o->name, prefix, sizeof prefix - 1);
}

static bool
check_object(struct rec_file *s, struct tables *ours, const struct object *found, struct err *err)
{
    char name[NAME_BYTES];
    size_t i = 0;

    if (is_key(found)) {
        return true;
    }
    while (i < ours->n && strcmp(name_of(ours->sql[i], name), found->name) != 0) {
        i++;
    }
    if (i == ours->n) {
        return store_refuse(s, err, "it has %s %.*s named '%.*s', which Weir does not make",
                            strchr("aeiou", found->type[0]) ? "an" : "a", NAME_BYTES, found->type,
                            NAME_BYTES, found->name);
    }
    if (strcmp(found->type, "table") != 0) {
        return store_refuse(s, err, "it has a %.*s named %s where a table should be", NAME_BYTES,
                            found->type, name);
    }
    char *sql = plain(found->sql);
    bool is_same = !ours->is_seen[i] && !strcmp(sql, ours->sql[i]);
    free(sql);
    ours->is_seen[i] = true;
    return is_same || store_refuse(s, err, "its table %s is not defined as Weir defines it", name);
}

static bool
check_objects(struct rec_file *s, struct tables *ours, struct err *err)
{
    sqlite3_stmt *all;
    bool good = true;

    hardening_limit(s);
    if (sqlite3_prepare_v2(s->db, "SELECT type, name, sql FROM sqlite_schema", -1, &all, NULL)) {
        return store_fail(s, "read", err);
    }
    while (good && sqlite3_step(all) == SQLITE_ROW) {
        struct object found = { text_at(all, 0), text_at(all, 1), text_at(all, 2) };
        good = check_object(s, ours, &found, err);
    }
    return (sqlite3_finalize(all) == SQLITE_OK || !good || store_fail(s, "read", err)) && good;
}

bool
schema_check(struct rec_file *s, struct err *err)
{
    char *schema = schema_text(s->version), name[NAME_BYTES];
    struct tables ours = { .text = plain(schema) };

    free(schema);
    split(&ours);
    bool good = check_objects(s, &ours, err);
    for (size_t i = 0; i < ours.n && good; i++) {
        good = ours.is_seen[i] ||
               store_refuse(s, err, "it has no table %s", name_of(ours.sql[i], name));
    }
    free(ours.text);
    return good;
}
