/* The server's view of a folder: results files and jobs. */

#include "web/state.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/json.h"
#include "record/claims.h"
#include "report/runs.h"
#include "web/deadlines.h"

enum { MAX_FILES = 500, MAX_RUNS = 1000, MAX_PATH = 4096 };

struct names {
    char *items[MAX_FILES];
    size_t n;
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static enum safe_found
find_file(const struct web_config *c, const char *name, enum safe_kind kind, struct stat *file)
{
    bool is_bare = name && !strchr(name, '/');
    bool is_other = kind == SAFE_RESULTS && c->only && name && strcmp(name, c->only);

    return is_bare && !is_other ? safe_find(c->folder, name, kind, file) : SAFE_FORBIDDEN;
}

bool
state_has(const struct web_config *c, const char *name, enum safe_kind kind)
{
    return find_file(c, name, kind, NULL) == SAFE_FILE;
}

bool
state_may_have(const struct web_config *c, const char *name, enum safe_kind kind)
{
    return find_file(c, name, kind, NULL) != SAFE_FORBIDDEN;
}

static struct names
list(const struct web_config *c, enum safe_kind kind)
{
    struct names names = { .n = 0 };
    DIR *folder = opendir(c->folder);

    for (struct dirent *e; folder && names.n < MAX_FILES && (e = readdir(folder));) {
        if (state_has(c, e->d_name, kind)) {
            names.items[names.n++] = strdup(e->d_name);
        }
    }
    if (folder) {
        closedir(folder);
    }
    qsort(names.items, names.n, sizeof *names.items, by_name);
    return names;
}

static void
forget(struct names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        free(names->items[i]);
    }
}

static uint64_t
mixed(uint64_t mark, uint64_t with)
{
    return (mark ^ with) * 0x100000001b3;
}

static uint64_t
mixed_file(uint64_t mark, const struct stat *st)
{
    mark = mixed(mark, (uint64_t)st->st_ino);
    mark = mixed(mark, (uint64_t)st->st_size);
    mark = mixed(mark, (uint64_t)st->st_mtim.tv_sec);
    return mixed(mark, (uint64_t)st->st_mtim.tv_nsec);
}

/* A results file, and the jobs that may write to it. */
struct listing {
    struct rec_file *file;
    const char *name;
    struct jobs *jobs;
};

static void
write_run(struct json *j, const struct listing *of, const struct rep_listed *listed)
{
    const struct rec_run *run = listed->row;

    json_open(j, NULL, '{');
    json_number(j, "id", run->id);
    json_text(j, "label", listed->name);
    json_text(j, "name", run->name);
    json_text(j, "engines", run->engines);
    json_text(j, "arbitration", run->arbitration);
    json_text(j, "status", jobs_run_status(of->jobs, of->name, run->status, run->command_ns));
    json_text(j, "started_at", run->started_at);
    json_close(j, '}');
}

/* Writes runs in the order of their commands. If there are too many, it writes only the newest. */
static bool
write_runs(struct json *j, const struct listing *of)
{
    struct rep_runs runs;
    struct err err;

    if (!rep_runs_read(&runs, of->file, &err)) {
        json_text(j, "error", err.text);
        return false;
    }
    json_open(j, "runs", '[');
    for (size_t i = runs.n > MAX_RUNS ? runs.n - MAX_RUNS : 0; i < runs.n; i++) {
        write_run(j, of, &runs.items[i]);
    }
    rep_runs_free(&runs);
    json_close(j, ']');
    return true;
}

/* Writes the number of claims and a fingerprint of the file, so that the page notices replaced
 * claims. */
static void
write_claims(struct json *j, struct rec_file *file, const struct stat *st)
{
    char mark[17];
    uint64_t n = 0;
    struct err err;

    if (!rec_claims_count(file, &n, &err)) {
        json_text(j, "error", err.text);
    }
    snprintf(mark, sizeof mark, "%016llx", (unsigned long long)mixed_file(0, st));
    json_number(j, "claims", n);
    json_text(j, "mark", mark);
}

/* Writes sweeps. The number of finished runs shows whether a sweep has grown. */
static bool
write_sweeps(struct json *j, struct rec_file *file)
{
    struct rec_rows sweeps = { 0 };
    struct err err;
    bool good = rec_read(file, REC_SWEEP, 0, 0, MAX_RUNS, &sweeps, &err);

    json_open(j, "sweeps", '[');
    for (size_t i = 0; i < sweeps.n && good; i++) {
        const struct rec_sweep *sweep = rec_row(&sweeps, REC_SWEEP, i);
        uint64_t n = 0;
        good = rec_read_count(file, REC_SUMMARY, sweep->id, &n, &err);
        json_open(j, NULL, '{');
        json_number(j, "id", sweep->id);
        json_text(j, "name", sweep->name);
        json_number(j, "done", n);
        json_close(j, '}');
    }
    json_close(j, ']');
    if (!good) {
        json_text(j, "error", err.text);
    }
    rec_rows_free(&sweeps, REC_SWEEP);
    return good;
}

static void
write_file(struct json *j, const struct web_config *c, const char *name, struct jobs *jobs,
           const struct deadline *list)
{
    struct deadline deadline = deadline_for_file(list);
    char path[MAX_PATH];
    struct stat st = { 0 };
    struct err err;

    /* The fingerprint is taken before the file is read, so that later changes are noticed. */
    find_file(c, name, SAFE_RESULTS, &st);
    snprintf(path, sizeof path, "%s/%s", c->folder, name);
    struct rec_file *file = rec_read_open_nofollow(path, deadline_until(&deadline), &err);
    json_open(j, NULL, '{');
    json_text(j, "name", name);
    if (file) {
        const struct listing listing = { file, name, jobs };
        if (write_runs(j, &listing) && write_sweeps(j, file)) {
            write_claims(j, file, &st);
        }
        rec_read_close(file);
    } else {
        json_text(j, "error", err.text);
    }
    json_close(j, '}');
}

void
state_write(FILE *out, const struct web_config *c, struct jobs *jobs)
{
    struct json j = { .out = out };
    struct names results = list(c, SAFE_RESULTS), scenarios = list(c, SAFE_SCENARIOS);
    struct deadline deadline = deadline_start(jobs);

    json_open(&j, NULL, '{');
    /* Jobs are written before files, so that the files of ended jobs are complete. */
    jobs_write(jobs, &j);
    json_open(&j, "files", '[');
    for (size_t i = 0; i < results.n; i++) {
        write_file(&j, c, results.items[i], jobs, &deadline);
    }
    json_close(&j, ']');
    json_texts(&j, "scenarios", (const char *const *)scenarios.items, scenarios.n);
    json_close(&j, '}');
    forget(&results);
    forget(&scenarios);
}

static uint64_t
mark_of(const struct web_config *c, enum safe_kind kind)
{
    struct names names = list(c, kind);
    uint64_t mark = 0xcbf29ce484222325;

    for (size_t i = 0; i < names.n; i++) {
        struct stat st = { 0 };
        find_file(c, names.items[i], kind, &st);
        mark = mixed_file(mark, &st);
    }
    forget(&names);
    return mark;
}

uint64_t
state_mark(const struct web_config *c)
{
    return mixed(mark_of(c, SAFE_RESULTS), mark_of(c, SAFE_SCENARIOS));
}
