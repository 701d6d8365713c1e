/* Writes the page with its data as one file. */

#include <stdlib.h>
#include <string.h>

#include "answer/facts.h"
#include "record/claims.h"
#include "report/gz-script.h"
#include "report/paper.h"
#include "report/report.h"

extern const char rep_page[]; /* Made from web/; empty if it could not be. */

/* Where the runs go. */
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

/* As many samples as fit, as text that is the caller's. */
static char *
fitting_samples(const struct rep_run *r, const struct rep_want *want, struct rep_samples *samples)
{
    for (;;) {
        char *text;
        size_t n;
        FILE *room = open_memstream(&text, &n), *script = gz_script_open(room, "samples");
        rep_write_samples(script, r, want, samples);
        fclose(script);
        fclose(room);
        if (n <= REP_MAX_SAMPLE_CHARS || samples->n_rows <= REP_FEW_ROWS) {
            return text;
        }
        free(text);
        rep_samples_halve(samples, want);
    }
}

/* The page reads the samples when it needs them. */
bool
rep_page_run(FILE *out, struct rec_file *file, const struct rep_run *r, struct err *err)
{
    const struct rep_want want = rep_run_want(r, 0, INT64_MAX);
    struct rep_samples samples;

    if (!rep_samples_read(&samples, file, &want, err)) {
        return false;
    }
    FILE *script = gz_script_open(out, "run");
    rep_write_run(script, r);
    fclose(script);
    char *text = fitting_samples(r, &want, &samples);
    fputs(text, out);
    free(text);
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
