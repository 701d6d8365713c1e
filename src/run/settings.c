/* Lists of settings that a scenario is run over. */

#include "run/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/installed.h"
#include "base/json.h"
#include "base/text.h"
#include "run/listing.h"
#include "run/outcome.h"

/* Settings of runs. */

char *
study_settings_json(const struct scn_study *study, uint64_t run)
{
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    struct json j = { .out = out };
    json_open(&j, NULL, '{');
    for (size_t a = 0; a < study->n_axes; a++) {
        char *value = scn_study_value(study, run, a);
        json_text(&j, study->axes[a].key, value);
        free(value);
    }
    json_close(&j, '}');
    fclose(out);
    return text;
}

/* Checks. */

/* The beginning of errors about a value, before its setting. All other errors are about the
 * scenario, or about a combination of values: for example a network that failures have cut. */
static const char set_mark[] = "--set ";

static int
try_run(const struct scn_study *study, uint64_t run, struct scenario *s, struct err *err)
{
    struct scn_sets sets = scn_study_sets(study, run);
    int code = outcome_read(s, study->base, (const char *const *)sets.items, sets.n, err);

    scn_sets_free(&sets);
    return code;
}

static bool
is_of_value(const struct err *err)
{
    return !strncmp(err->text, set_mark, sizeof set_mark - 1);
}

/* Whether an error begins with this key, which a value may follow. */
static bool
is_about(const struct err *why, const char *key)
{
    const char *set = why->text + sizeof set_mark - 1;
    size_t len = strcspn(key, "=");

    return !strncmp(set, key, len) && strchr("=:", set[len]);
}

/* The part of an item that an error is about, whose location is reported: for a variant, the
 * setting that is wrong, if the variant has it. */
static const struct scn_node *
culprit(const struct scn_study_item *item, const struct err *why)
{
    for (size_t i = 0; item->settings && i < item->settings->n_children; i++) {
        if (is_about(why, item->settings->children[i]->key)) {
            return item->settings->children[i];
        }
    }
    return item->node;
}

/* The text of an error without its beginning "--set KEY=VALUE: ", where VALUE may have colons, or
 * "--set KEY: ". */
static const char *
reason_of(const struct scn_study *study, uint64_t run, const struct err *why)
{
    struct scn_sets sets = scn_study_sets(study, run);
    const char *set = why->text + sizeof set_mark - 1, *end = strstr(set, ": ");

    for (size_t i = 0; i < sets.n; i++) {
        size_t len = strlen(sets.items[i]);
        if (!strncmp(set, sets.items[i], len) && !strncmp(set + len, ": ", 2)) {
            end = set + len;
        }
    }
    scn_sets_free(&sets);
    return end ? end + 2 : why->text;
}

/* Refuses an item of the study with the reason of an error. The location shows the setting, so the
 * reason is without it. */
static int
refuse(const struct scn_study *study, uint64_t run, const struct scn_study_item *item,
       const struct err *why, struct err *err)
{
    scn_fail(culprit(item, why), err, "%s", reason_of(study, run, why));
    return EXIT_USER;
}

/* Whether an error is about a setting of all runs. */
static bool
is_about_fixed(const struct scn_study *study, const struct err *why)
{
    bool is = false;

    for (size_t i = 0; i < study->fixed.n; i++) {
        is |= is_about(why, study->fixed.items[i]);
    }
    return is;
}

/* Refuses the axis that an error is about. All axes have their first value. */
static int
refuse_first(const struct scn_study *study, const struct err *why, struct err *err)
{
    size_t a = 0;

    while (a + 1 < study->n_axes && !is_about(why, study->axes[a].key) &&
           culprit(&study->axes[a].items[0], why) == study->axes[a].items[0].node) {
        a++;
    }
    return refuse(study, 0, &study->axes[a].items[0], why, err);
}

static int
check_value(const struct scn_study *study, uint64_t run, const struct scn_study_item *item,
            struct err *err)
{
    struct scenario s;
    struct err why;
    int code = try_run(study, run, &s, &why);

    if (code == EXIT_GOOD) {
        scn_free(&s);
    }
    return code == EXIT_GOOD || !is_of_value(&why) ? EXIT_GOOD
                                                   : refuse(study, run, item, &why, err);
}

static int
check_axis(const struct scn_study *study, const struct scn_study_axis *axis, uint64_t step,
           struct err *err)
{
    uint64_t at = 0;
    int code = EXIT_GOOD;

    for (size_t i = 0; i < axis->n_items && code == EXIT_GOOD; i++) {
        const struct scn_study_item *item = &axis->items[i];
        code = check_value(study, at * step, item, err);
        at += item->n;
        if (code == EXIT_GOOD && item->n > 1) {
            code = check_value(study, (at - 1) * step, item, err);
        }
    }
    return code;
}

/* Checks that the flows and ports that measures name exist. */
static int
check_measures(const struct scn_study *study, const struct scenario *s, struct err *err)
{
    struct scn_study_subject subject;
    bool good = true;

    for (size_t i = 0; good && i < study->n_measures; i++) {
        good = scn_study_bind(&study->measures[i], s, &subject, err);
    }
    return good ? EXIT_GOOD : EXIT_USER;
}

/* Checks that the workloads that claims name exist. */
static int
check_workloads(const struct scn_study *study, const struct scenario *s, struct err *err)
{
    for (size_t i = 0; i < study->n_claims; i++) {
        const struct scn_node *name = study->claims[i].workload;
        uint32_t group;
        if (name && !scn_find_workload(s, name, &group, err)) {
            return EXIT_USER;
        }
    }
    return EXIT_GOOD;
}

enum { MAX_TRIES = 100, MAX_STUDY_BYTES = 1 << 20 };

int
study_check(const struct scn_study *study, uint64_t *sample, struct err *err)
{
    struct scenario s;
    struct err first, other;
    uint64_t step = 1;
    int code = try_run(study, *sample = 0, &s, &first);

    if (code == EXIT_USER && is_of_value(&first) && !is_about_fixed(study, &first)) {
        return refuse_first(study, &first, err);
    }
    while (code == EXIT_USER && ++*sample < study->n_runs && *sample < MAX_TRIES) {
        code = try_run(study, *sample, &s, &other);
    }
    if (code != EXIT_GOOD) {
        return run_fail(err, code, "%s", first.text);
    }
    code = check_workloads(study, &s, err);
    code = code == EXIT_GOOD ? check_measures(study, &s, err) : code;
    scn_free(&s);
    for (size_t a = study->n_axes; a-- > 0 && code == EXIT_GOOD; step *= study->axes[a].n) {
        code = check_axis(study, &study->axes[a], step, err);
    }
    return code;
}

int
study_read(struct scn_study *study, const char *file, enum scn_study_part part,
           const struct scn_statements *statements, const struct scn_study_options *options,
           uint64_t *sample, struct err *err)
{
    size_t len;
    char *text = installed_read(file, MAX_STUDY_BYTES, &len, err);

    *study = (struct scn_study){ 0 };
    if (!text) {
        return EXIT_WORLD;
    }
    bool good = text_expect(file, text, len, err) &&
                scn_study_read(study, file, text, part, statements, options, err);
    free(text);
    return good ? study_check(study, sample, err) : EXIT_USER;
}

char *
study_identity(const struct scn_study *study, uint64_t sample)
{
    char *text = NULL, *axes = scn_study_text(study);
    size_t len;
    FILE *out = open_memstream(&text, &len);
    struct scenario s;
    struct err err;

    fprintf(out, "# weir " WEIR_VERSION "\n%s# Run %llu:\n", axes, (unsigned long long)sample);
    if (try_run(study, sample, &s, &err) == EXIT_GOOD) {
        listing_print(out, &s, NULL, 0);
        scn_free(&s);
    }
    fclose(out);
    free(axes);
    return text;
}
