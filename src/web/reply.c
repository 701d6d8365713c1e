/* Answers to what a page asks for. */

#include "web/reply.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "report/paper.h"
#include "report/report.h"
#include "web/deadlines.h"
#include "web/guard.h"
#include "web/state.h"

enum { OK = 200, BAD = 400, NOT_FOUND = 404, BUSY = 503, BROKEN = 500 };
enum { MAX_IDS = 4096, MIN_ROWS = 2, MAX_ROWS = 4000, MAX_PATH = 4096, MAX_KEY = 100 };

static const char json_kind[] = "application/json";

/* A body, while it is written. */
struct body {
    FILE *out;
    char *text;
    size_t n;
};

static void
begin(struct body *b)
{
    *b = (struct body){ 0 };
    b->out = open_memstream(&b->text, &b->n);
}

static struct reply
sent(struct body *b, unsigned status, const char *kind)
{
    fclose(b->out);
    return (struct reply){ .status = status, .kind = kind, .body = b->text, .n = b->n };
}

void
reply_free(struct reply *r)
{
    free(r->body);
    free(r->policy);
    *r = (struct reply){ 0 };
}

struct reply
reply_error(unsigned status, const char *format, ...)
{
    char text[1024];
    struct body b;
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    begin(&b);
    struct json j = { .out = b.out };
    json_open(&j, NULL, '{');
    json_text(&j, "error", text);
    json_close(&j, '}');
    return sent(&b, status, json_kind);
}

struct reply
reply_page(const struct ask *a)
{
    struct body b;

    (void)a;
    begin(&b);
    rep_page_begin(b.out);
    rep_page_end(b.out);
    struct reply page = sent(&b, OK, "text/html; charset=utf-8");
    begin(&b);
    rep_page_policy(b.out);
    fputs("; frame-ancestors 'none'", b.out);
    fclose(b.out);
    page.policy = b.text;
    return page;
}

struct reply
reply_state(const struct ask *a)
{
    struct body b;

    begin(&b);
    state_write(b.out, a->config, a->jobs);
    return sent(&b, OK, json_kind);
}

/* Results. */

static bool
read_number(const struct ask *a, const char *key, uint64_t fallback, uint64_t *number)
{
    const char *text = call_value(a->call, key);
    char *end;

    *number = fallback;
    if (!text) {
        return true;
    }
    if (!*text || strspn(text, "0123456789") != strlen(text) || strlen(text) > 18) {
        return false;
    }
    *number = strtoull(text, &end, 10);
    return true;
}

/* The subject of a request: a file that is open, and a run of it. */
struct subject {
    struct rec_file *file;
    struct deadline patience;
    struct rep_run run;
};

typedef bool read_run(struct rep_run *, struct rec_file *, uint64_t id, struct err *);

static bool
open_file(const struct ask *a, struct subject *s, struct reply *refusal)
{
    const char *name = call_value(a->call, "file");
    char path[MAX_PATH];
    struct err err;

    if (!state_has(a->config, name, SAFE_RESULTS)) {
        *refusal = reply_error(NOT_FOUND, "there is no such results file in this folder");
        return false;
    }
    snprintf(path, sizeof path, "%s/%s", a->config->folder, name);
    s->patience = deadline_start(a->jobs);
    s->file = rec_read_open_nofollow(path, deadline_until(&s->patience), &err);
    if (!s->file) {
        *refusal = reply_error(BAD, "%s", err.text);
    }
    return s->file;
}

/* The file, and the value of 'key': the number of a run or a sweep. */
static bool
open_subject(const struct ask *a, const char *key, struct subject *s, uint64_t *id,
             struct reply *refusal)
{
    if (!read_number(a, key, 0, id)) {
        *refusal = reply_error(BAD, "'%s' must be the number of a %s", key, key);
        return false;
    }
    return open_file(a, s, refusal);
}

static bool
find_subject(const struct ask *a, read_run *read, struct subject *s, struct reply *refusal)
{
    const char *name = call_value(a->call, "file");
    uint64_t id;
    struct err err;

    if (!open_subject(a, "run", s, &id, refusal)) {
        return false;
    }
    if (!read(&s->run, s->file, id, &err)) {
        rec_read_close(s->file);
        *refusal = reply_error(NOT_FOUND, "%s: %s", name, err.text);
        return false;
    }
    s->run.file = name;
    return true;
}

static void
release(struct subject *s)
{
    rep_run_free(&s->run);
    rec_read_close(s->file);
}

/* A run whose process was killed does not go on, even if its file says so. */
static void
settle_status(const struct ask *a, struct rep_run *run)
{
    struct rec_run *row = run->tables[REC_RUN].items;
    const char *status =
        jobs_run_status(a->jobs, call_value(a->call, "file"), row->status, row->command_ns);

    if (status != row->status) {
        free((char *)row->status);
        row->status = strdup(status);
    }
}

struct reply
reply_run(const struct ask *a)
{
    struct subject s;
    struct reply refusal;
    struct body b;

    if (!find_subject(a, rep_run_read, &s, &refusal)) {
        return refusal;
    }
    settle_status(a, &s.run);
    begin(&b);
    rep_write_run(b.out, &s.run);
    release(&s);
    return sent(&b, OK, json_kind);
}

struct reply
reply_sweep(const struct ask *a)
{
    const char *name = call_value(a->call, "file");
    struct subject s;
    struct rep_sweep sweep;
    struct reply refusal;
    struct body b;
    struct err err;
    uint64_t id;

    if (!open_subject(a, "sweep", &s, &id, &refusal)) {
        return refusal;
    }
    bool good = rep_sweep_read(&sweep, s.file, id, REP_SWEEP_ROWS, &err);
    rec_read_close(s.file);
    if (!good) {
        return reply_error(NOT_FOUND, "%s: %s", name, err.text);
    }
    begin(&b);
    rep_sweep_write(b.out, name, &sweep);
    rep_sweep_free(&sweep);
    return sent(&b, OK, json_kind);
}

struct reply
reply_claims(const struct ask *a)
{
    struct subject s;
    struct reply refusal;
    struct body b;
    struct err err;

    if (!open_file(a, &s, &refusal)) {
        return refusal;
    }
    begin(&b);
    bool good = rep_paper_write(b.out, call_value(a->call, "file"), s.file, &err);
    struct reply answer = sent(&b, OK, json_kind);
    rec_read_close(s.file);
    if (!good) {
        reply_free(&answer);
        return reply_error(BROKEN, "%s", err.text);
    }
    return answer;
}

/* "0,4,7" into ids that there are. */
static bool
read_ids(const char *text, size_t n_series, uint32_t *ids, uint32_t *n)
{
    for (*n = 0; *text && *n < MAX_IDS; text += *text == ',') {
        char *end;
        unsigned long id = strtoul(text, &end, 10);
        if (end == text || id >= n_series || (*end && *end != ',')) {
            return false;
        }
        ids[(*n)++] = (uint32_t)id;
        text = end;
    }
    return !*text && *n;
}

static bool
read_want(const struct ask *a, const struct subject *s, struct rep_want *want, uint32_t *ids)
{
    const char *list = call_value(a->call, "ids");
    uint64_t from, to, rows;

    if (!read_number(a, "from", 0, &from) || !read_number(a, "to", INT64_MAX, &to) ||
        !read_number(a, "rows", REP_MAX_ROWS, &rows) || rows < MIN_ROWS || rows > MAX_ROWS) {
        return false;
    }
    *want = (struct rep_want){ .run = rep_run_row(&s->run)->id,
                               .series = &s->run.tables[REC_SERIES],
                               .from_ps = (weir_ps)from,
                               .to_ps = (weir_ps)to,
                               .max_rows = (uint32_t)rows & ~1u };
    want->ids = list ? ids : NULL;
    return !list || read_ids(list, s->run.tables[REC_SERIES].n, ids, &want->n_ids);
}

static struct reply
samples_of(const struct ask *a, struct subject *s, uint32_t *ids)
{
    struct rep_want want;
    struct rep_samples samples;
    struct err err;
    struct body b;

    if (!read_want(a, s, &want, ids)) {
        return reply_error(BAD,
                           "'ids' must be numbers of series, as in 0,4,7, 'from' and 'to' times in "
                           "ps, and 'rows' from %d to %d",
                           MIN_ROWS, MAX_ROWS);
    }
    if (!rep_samples_read(&samples, s->file, &want, &err)) {
        return reply_error(BROKEN, "%s", err.text);
    }
    begin(&b);
    rep_write_samples(b.out, &s->run, &want, &samples);
    rep_samples_free(&samples);
    return sent(&b, OK, json_kind);
}

struct reply
reply_samples(const struct ask *a)
{
    struct subject s;
    struct reply answer;

    if (find_subject(a, rep_run_read_series, &s, &answer)) {
        uint32_t *ids = array_new(MAX_IDS, sizeof *ids);
        answer = samples_of(a, &s, ids);
        free(ids);
        release(&s);
    }
    return answer;
}

/* Runs that are started here. */

/* The scenario to run: one of the folder, or that of a run which is there, as results.db#3. */
static bool
has_scenario(const struct ask *a, const char *name)
{
    const char *mark = name ? strrchr(name, '#') : NULL;
    char file[MAX_PATH];

    if (!mark) {
        return state_has(a->config, name, SAFE_SCENARIOS);
    }
    snprintf(file, sizeof file, "%.*s", (int)(mark - name), name);
    return mark[1] && strspn(mark + 1, "0123456789") == strlen(mark + 1) &&
           state_has(a->config, file, SAFE_RESULTS);
}

/* False: one of them is no setting, or there are too many. */
static bool
read_settings(const struct call *r, struct jobs_start *start, struct reply *refusal)
{
    for (size_t i = 0; i < r->n_values; i++) {
        const char *set = r->values[i].value;
        if (strcmp(r->values[i].key, "set")) {
            continue;
        }
        if (!guard_is_setting(set)) {
            *refusal =
                reply_error(BAD, "'%.100s' is not a setting as in engines.pfc.xoff=800KB", set);
            return false;
        }
        if (start->n_sets == JOBS_MAX_SETS) {
            *refusal = reply_error(BAD, "a run may have at most %d settings", JOBS_MAX_SETS);
            return false;
        }
        start->sets[start->n_sets++] = set;
    }
    return true;
}

static struct reply
number_answer(const char *key, uint64_t number)
{
    struct body b;

    begin(&b);
    struct json j = { .out = b.out };
    json_open(&j, NULL, '{');
    json_number(&j, key, number);
    json_close(&j, '}');
    return sent(&b, OK, json_kind);
}

/* The field of the form next to which to show it: "--set run.time=soon: ..." is about run.time. */
static void
write_key(struct json *j, const char *said)
{
    static const char mark[] = "--set ";
    const char *at = strstr(said, mark);
    char key[MAX_KEY];

    if (at) {
        at += sizeof mark - 1;
        snprintf(key, sizeof key, "%.*s", (int)strcspn(at, "=: \n"), at);
        json_text(j, "key", key);
    }
}

static struct reply
refused(const char *said)
{
    struct body b;

    begin(&b);
    struct json j = { .out = b.out };
    json_open(&j, NULL, '{');
    json_text(&j, "error", said);
    write_key(&j, said);
    json_close(&j, '}');
    return sent(&b, BAD, json_kind);
}

/* The run that a request asks for; false: it cannot be, and the refusal says why. */
static bool
read_start(const struct ask *a, struct jobs_start *start, struct reply *refusal)
{
    *start = (struct jobs_start){ .folder = a->config->folder,
                                  .scenario = call_value(a->call, "scenario"),
                                  .results = call_value(a->call, "results") };
    if (!has_scenario(a, start->scenario)) {
        *refusal = reply_error(NOT_FOUND, "there is no such scenario in this folder");
        return false;
    }
    return read_settings(a->call, start, refusal);
}

struct reply
reply_form(const struct ask *a)
{
    struct jobs_start start;
    struct reply refusal;
    struct err err;
    int code;

    if (!read_start(a, &start, &refusal)) {
        return refusal;
    }
    char *text = jobs_explain(a->jobs, &start, true, &code, &err);
    if (text && code == 0) {
        return (struct reply){ OK, json_kind, text, strlen(text), NULL };
    }
    refusal = text ? refused(text) : reply_error(BAD, "%s", err.text);
    free(text);
    return refusal;
}

/* Asked before it is started, so that the form can say what is wrong.  A run that takes too long to
 * check is started, and fails later. */
static bool
is_refused(const struct ask *a, const struct jobs_start *start, struct reply *refusal)
{
    struct err err;
    int code = 0;
    char *text = jobs_explain(a->jobs, start, false, &code, &err);
    bool is = text && code != 0;

    if (is) {
        *refusal = refused(text);
    }
    free(text);
    return is;
}

struct reply
reply_start(const struct ask *a)
{
    struct jobs_start start;
    struct reply refusal;
    struct err err;

    if (!read_start(a, &start, &refusal)) {
        return refusal;
    }
    if (!state_may_have(a->config, start.results, SAFE_RESULTS)) {
        return reply_error(BAD, "'results' must be the name of a file in this folder, ending in "
                                ".db, and no link");
    }
    if (is_refused(a, &start, &refusal)) {
        return refusal;
    }
    uint64_t number = jobs_start(a->jobs, &start, &err);
    return number ? number_answer("job", number) : reply_error(BUSY, "%s", err.text);
}

struct reply
reply_stop(const struct ask *a)
{
    uint64_t number;

    if (!read_number(a, "job", 0, &number) || !number || !jobs_stop(a->jobs, number)) {
        return reply_error(NOT_FOUND, "no job of this number is running");
    }
    return number_answer("job", number);
}
