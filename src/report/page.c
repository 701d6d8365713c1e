/* Writes the page with its data as one file. */

#include <stdlib.h>
#include <string.h>

#include "answer/facts.h"
#include "record/claims.h"
#include "report/gz-script.h"
#include "report/paper.h"
#include "report/report.h"

extern const char rep_page[]; /* The page, built from web/; empty if it could not be built. */

/* The mark in the page at which the runs are inserted. */
static const char mark[] = "<!--runs-->";

bool
rep_has_page(void)
{
    return rep_page[0] != '\0';
}

static void
write_facts(struct json *j, const char *key, const struct column *facts, size_t n)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", facts[i].name);
        json_text(j, "head", facts[i].head);
        json_text(j, "help", facts[i].help);
        json_text(j, "unit", facts_unit(facts[i].name));
        if (facts_least_flows(&facts[i])) {
            json_number(j, "least_flows", facts_least_flows(&facts[i]));
        }
        if (facts[i].words) {
            json_text(j, "words", facts[i].words);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
rep_page_begin(FILE *out)
{
    struct json j = { .out = out };

    fwrite(rep_page, 1, (size_t)(strstr(rep_page, mark) - rep_page), out);
    fputs("<script type=\"application/json\" class=\"facts\">", out);
    json_open(&j, NULL, '{');
    write_facts(&j, "facts", run_facts, N_RUN_FACTS);
    write_facts(&j, "workload_facts", workload_facts, N_WORKLOAD_FACTS);
    json_close(&j, '}');
    fputs("</script>\n", out);
}

void
rep_page_end(FILE *out)
{
    fputs(strstr(rep_page, mark) + sizeof mark - 1, out);
}

void
rep_page_policy(FILE *out)
{
    static const char before[] = "http-equiv=\"Content-Security-Policy\" content=\"";
    const char *policy = strstr(rep_page, before) + sizeof before - 1;

    fwrite(policy, 1, strcspn(policy, "\""), out);
}

/* A script element in memory, so that its size is known before it is written. */
struct script_text {
    char *text;
    size_t n;
    FILE *room, *script;
};

static FILE *
script_begin(struct script_text *t, const char *class_name)
{
    t->room = open_memstream(&t->text, &t->n);
    t->script = gz_script_open(t->room, class_name);
    return t->script;
}

static void
script_end(struct script_text *t)
{
    fclose(t->script);
    fclose(t->room);
}

static void
script_write(FILE *out, struct script_text *t)
{
    fwrite(t->text, 1, t->n, out);
    free(t->text);
}

/* Reduces the samples until they fit into 'room' characters. */
static void
fit_samples(struct script_text *t, size_t room, const struct rep_run *r,
            const struct rep_want *want, struct rep_samples *samples)
{
    for (;;) {
        rep_write_samples(script_begin(t, "samples"), r, want, samples);
        script_end(t);
        if (t->n <= room || samples->n_rows <= REP_FEW_ROWS) {
            return;
        }
        free(t->text);
        rep_samples_halve(samples, want);
    }
}

/* Writes a run. Its samples are a separate script, which the page reads on demand. */
bool
rep_page_run(FILE *out, struct rec_file *file, const struct rep_run *r, struct err *err)
{
    const struct rep_want want = rep_run_want(r, 0, INT64_MAX);
    struct script_text run, rows;
    struct rep_samples samples;

    if (!rep_samples_read(&samples, file, &want, err)) {
        return false;
    }
    rep_write_run(script_begin(&run, "run"), r);
    script_end(&run);
    size_t room = run.n < REP_MAX_RUN_CHARS ? REP_MAX_RUN_CHARS - run.n : 0;
    fit_samples(&rows, room, r, &want, &samples);
    script_write(out, &run);
    script_write(out, &rows);
    rep_samples_free(&samples);
    return true;
}

bool
rep_page_sweep(FILE *out, struct rec_file *file, const char *name, uint64_t id, struct err *err)
{
    struct rep_sweep sweep;

    if (!rep_sweep_read(&sweep, file, id, REP_SWEEP_ROWS, err)) {
        return false;
    }
    FILE *script = gz_script_open(out, "sweep");
    rep_sweep_write(script, name, &sweep);
    fclose(script);
    rep_sweep_free(&sweep);
    return true;
}

bool
rep_page_claims(FILE *out, struct rec_file *file, const char *name, struct err *err)
{
    uint64_t n;
    bool good = rec_claims_count(file, &n, err);

    if (good && n) {
        FILE *script = gz_script_open(out, "paper");
        good = rep_paper_write(script, name, file, err);
        fclose(script);
    }
    return good;
}
