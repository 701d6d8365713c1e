/* Makes the responses to requests of pages. */

#include "web/reply.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/paper.h"
#include "report/report.h"
#include "web/deadlines.h"
#include "web/guard.h"
#include "web/state.h"

enum { OK = 200, BAD = 400, NOT_FOUND = 404, BUSY = 503, BROKEN = 500 };
enum { MAX_IDS = 4096, MIN_ROWS = 2, MAX_ROWS = 4000, MAX_PATH = 4096, MAX_KEY = 100 };
enum { MAX_DIGITS = 18 }; /* Numbers with this many digits are less than 2^63. */

static const char json_kind[] = "application/json";

/* The body of a response while it is written. */
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

/* Makes an error response. 'key' is the setting that the error is about, or null. */
static struct reply
error_answer(unsigned status, const char *text, const char *key)
{
    struct body b;

    begin(&b);
    struct json j = { .out = b.out };
    json_open(&j, NULL, '{');
    json_text(&j, "error", text);
    if (key) {
        json_text(&j, "key", key);
    }
    json_close(&j, '}');
    return sent(&b, status, json_kind);
}

struct reply
reply_error(unsigned status, const char *format, ...)
{
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return error_answer(status, text, NULL);
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

/* Responses about results. */

static bool
read_number(const struct ask *a, const char *key, uint64_t fallback, uint64_t *number)
{
    const char *text = call_value(a->call, key);

    *number = fallback;
    return !text || (strlen(text) <= MAX_DIGITS && text_number(text, number));
}

/* Writes the requested data of an open file, or of a run or sweep in it. Returns an HTTP status; if
 * it is an error, its reason is in 'err'. */
typedef unsigned write_answer(const struct ask *, struct rec_file *, uint64_t id, FILE *,
                              struct err *);

static struct reply
answer_from(const struct ask *a, struct rec_file *file, uint64_t id, write_answer *write)
{
    struct body b;
    struct err err;

    begin(&b);
    unsigned status = write(a, file, id, b.out, &err);
    struct reply answer = sent(&b, status, json_kind);
    if (status == OK) {
        return answer;
    }
    reply_free(&answer);
    return status == NOT_FOUND
               ? reply_error(status, "%s: %s", call_value(a->call, "file"), err.text)
               : reply_error(status, "%s", err.text);
}

/* Responds to a request about a results file. The value of 'key' is the number of the run or sweep;
 * null: the request is about the whole file. */
static struct reply
reply_of_file(const struct ask *a, const char *key, write_answer *write)
{
    const char *name = call_value(a->call, "file");
    char path[MAX_PATH];
    uint64_t id = 0;
    struct err err;

    if (key && !read_number(a, key, 0, &id)) {
        return reply_error(BAD, "'%s' must be the number of a %s", key, key);
    }
    if (!state_has(a->config, name, SAFE_RESULTS)) {
        return reply_error(NOT_FOUND, "there is no such results file in this folder");
    }
    snprintf(path, sizeof path, "%s/%s", a->config->folder, name);
    struct deadline deadline = deadline_start(a->jobs);
    struct rec_file *file = rec_read_open_nofollow(path, deadline_until(&deadline), &err);
    if (!file) {
        return reply_error(BAD, "%s", err.text);
    }
    struct reply answer = answer_from(a, file, id, write);
    rec_read_close(file);
    return answer;
}

/* Corrects the status of a run if its process was killed, because its file still has `running`. */
static void
settle_status(const struct ask *a, struct rep_run *run)
{
    struct rec_run *row = run->tables[REC_RUN].items;
    const char *status = jobs_run_status(a->jobs, run->file, row->status, row->command_ns);

    if (status != row->status) {
        free((char *)row->status);
        row->status = strdup(status);
    }
}

static unsigned
write_run(const struct ask *a, struct rec_file *file, uint64_t id, FILE *out, struct err *err)
{
    struct rep_run run;

    if (!rep_run_read(&run, file, id, err)) {
        return NOT_FOUND;
    }
    run.file = call_value(a->call, "file");
    settle_status(a, &run);
    rep_write_run(out, &run);
    rep_run_free(&run);
    return OK;
}

struct reply
reply_run(const struct ask *a)
{
    return reply_of_file(a, "run", write_run);
}

static unsigned
write_sweep(const struct ask *a, struct rec_file *file, uint64_t id, FILE *out, struct err *err)
{
    struct rep_sweep sweep;

    if (!rep_sweep_read(&sweep, file, id, REP_SWEEP_ROWS, err)) {
        return NOT_FOUND;
    }
    rep_sweep_write(out, call_value(a->call, "file"), &sweep);
    rep_sweep_free(&sweep);
    return OK;
}

struct reply
reply_sweep(const struct ask *a)
{
    return reply_of_file(a, "sweep", write_sweep);
}

static unsigned
write_claims(const struct ask *a, struct rec_file *file, uint64_t id, FILE *out, struct err *err)
{
    (void)id;
    return rep_paper_write(out, call_value(a->call, "file"), file, err) ? OK : BROKEN;
}

struct reply
reply_claims(const struct ask *a)
{
    return reply_of_file(a, NULL, write_claims);
}

/* Reads a list of ids such as "0,4,7". All of them must exist. */
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
read_want(const struct ask *a, const struct rep_run *run, struct rep_want *want, uint32_t *ids)
{
    const char *list = call_value(a->call, "ids");
    uint64_t from, to, rows;

    if (!read_number(a, "from", 0, &from) || !read_number(a, "to", INT64_MAX, &to) ||
        !read_number(a, "rows", REP_MAX_ROWS, &rows) || rows < MIN_ROWS || rows > MAX_ROWS) {
        return false;
    }
    *want = rep_run_want(run, (weir_ps)from, (weir_ps)to);
    want->max_rows = (uint32_t)rows & ~1u;
    want->ids = list ? ids : NULL;
    return !list || read_ids(list, run->tables[REC_SERIES].n, ids, &want->n_ids);
}

static unsigned
write_samples_of(const struct ask *a, struct rec_file *file, const struct rep_run *run, FILE *out,
                 struct err *err)
{
    struct rep_want want;
    struct rep_samples samples;
    uint32_t ids[MAX_IDS];

    if (!read_want(a, run, &want, ids)) {
        err_set(err,
                "'ids' must be numbers of series, as in 0,4,7, 'from' and 'to' times in ps, and "
                "'rows' from %d to %d",
                MIN_ROWS, MAX_ROWS);
        return BAD;
    }
    if (!rep_samples_read(&samples, file, &want, err)) {
        return BROKEN;
    }
    rep_write_samples(out, run, &want, &samples);
    rep_samples_free(&samples);
    return OK;
}

static unsigned
write_samples(const struct ask *a, struct rec_file *file, uint64_t id, FILE *out, struct err *err)
{
    struct rep_run run;

    if (!rep_run_read_series(&run, file, id, err)) {
        return NOT_FOUND;
    }
    unsigned status = write_samples_of(a, file, &run, out, err);
    rep_run_free(&run);
    return status;
}

struct reply
reply_samples(const struct ask *a)
{
    return reply_of_file(a, "run", write_samples);
}

/* Responses about starting runs. */

/* Whether the scenario to run exists: a file of the folder, or the scenario of a recorded run, such
 * as results.db#3. */
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

/* Reads the settings; returns false if one is invalid, or there are too many. */
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
job_answer(uint64_t number)
{
    struct body b;

    begin(&b);
    struct json j = { .out = b.out };
    json_open(&j, NULL, '{');
    json_number(&j, "job", number);
    json_close(&j, '}');
    return sent(&b, OK, json_kind);
}

/* Responds with an error and the field of the form that it is about: an error that has "--set
 * run.time=soon: ..." is about run.time. */
static struct reply
refused(const char *said)
{
    static const char mark[] = "--set ";
    const char *at = strstr(said, mark);
    char key[MAX_KEY] = "";

    if (at) {
        at += sizeof mark - 1;
        snprintf(key, sizeof key, "%.*s", (int)strcspn(at, "=: \n"), at);
    }
    return error_answer(BAD, said, at ? key : NULL);
}

/* Reads the run that a request wants to start. If the request is invalid, returns false with the
 * reason in 'refusal'. */
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

/* Checks a run before it starts, so that the form can show the error. If the check takes too long,
 * the run is started without it. */
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
    return number ? job_answer(number) : reply_error(BUSY, "%s", err.text);
}

struct reply
reply_stop(const struct ask *a)
{
    uint64_t number;

    if (!read_number(a, "job", 0, &number) || !number || !jobs_stop(a->jobs, number)) {
        return reply_error(NOT_FOUND, "no job of this number is running");
    }
    return job_answer(number);
}
