/* Finds the published values of figures, in figures.yaml or in a statement of the paper. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "report/paper-parts.h"

/* The kinds of published values, with the names and dashes of their marks. */
static const struct {
    char sign;
    const char *words;
    size_t dash;
} signs[] = {
    { '=', "published", 0 },
    { '<', "published: less than", 2 },
    { '>', "published: more than", 1 },
    { REP_SAID_IMPLIED, "published ratio, times its measured reference", 3 },
};

enum { N_SIGNS = sizeof signs / sizeof *signs };

struct rep_said
rep_said_by_hand(const struct rec_figure *figure, const char *x, const char *line)
{
    char parts[3][REP_PART_BYTES];
    const char *at = figure->published;
    struct rep_said said = { 0 };

    while (text_next_row(&at, 3, sizeof *parts, *parts)) {
        bool is_it = parts[0][0] ? !strcmp(parts[0], x) && !strcmp(parts[1], line)
                                 : !strcmp(parts[1], *line ? line : x);
        double value;
        if (is_it && text_real(parts[2], &value)) {
            said = (struct rep_said){ .sign = '=', .value = value };
        }
    }
    return said;
}

/* Statements. */

/* The value of a key that all these runs share; null: they have several values, or may have any. */
static const char *
value_of(const struct rep_keys *keys, const char *key)
{
    const char *value = NULL;
    size_t n = 0;

    for (size_t i = 0; i < keys->n; i++) {
        bool is_it = !strcmp(keys->all[i].key, key);
        value = is_it ? keys->all[i].value : value;
        n += is_it;
    }
    return n == 1 ? value : NULL;
}

/* Whether a statement is about the runs of a point: it names all axes of the figure, and the runs
 * have all settings that it names. Sets 'axis' to the first of these settings. */
static bool
is_about(const struct rec_statement *s, const struct rep_keys *keys, char axis[REP_PART_BYTES])
{
    char key[REP_PART_BYTES], wanted[REP_PART_BYTES];
    size_t n_named = 0;
    bool is = true;

    axis[0] = '\0';
    for (const char *at = s->runs; *at && is; at += strcspn(at, "\t"), at += *at == '\t') {
        size_t len = strcspn(at, "=\t"), after = at[len] == '=' ? len + 1 : len;
        snprintf(key, sizeof key, "%.*s", (int)len, at);
        snprintf(wanted, sizeof wanted, "%.*s", (int)strcspn(at + after, "\t"), at + after);
        const char *value = value_of(keys, key);
        is = value && !strcmp(value, wanted);
        for (size_t i = 0; i < keys->n_axes; i++) {
            n_named += !strcmp(keys->all[i].key, key);
        }
        if (!axis[0]) {
            strcpy(axis, key);
        }
    }
    return is && n_named == keys->n_axes;
}

static struct rep_said
said_by(const struct rec_statement *s)
{
    bool is_ratio = s->against[0];
    bool is_number =
        s->published >= 0 && strcmp(s->unit, "yes") && (!is_ratio || s->sign[0] == '=');

    return is_number ? (struct rep_said){ .sign = is_ratio ? REP_SAID_IMPLIED : s->sign[0],
                                          .value = s->published,
                                          .against = s->against }
                     : (struct rep_said){ 0 };
}

/* Finds the best published value. Values that the paper gives in this figure take precedence over
 * values from other parts of the paper, and values over ratios. */
struct rep_said
rep_said_by_paper(const struct rep_paper *p, const struct rec_figure *figure, const char *study,
                  const char *metric, const struct rep_keys *keys)
{
    struct rep_said best = { 0 };
    int rank = 0;

    for (size_t i = 0; i < p->scorecard.n; i++) {
        const struct rec_statement *s = rec_row(&p->scorecard, REC_STATEMENT, i);
        struct rep_said said = said_by(s);
        char axis[REP_PART_BYTES];
        int own = 1 + (said.sign != REP_SAID_IMPLIED) + 2 * !strcmp(s->name, figure->name);
        if (said.sign && own > rank && !strcmp(s->study, figure->study) && !strcmp(s->in, study) &&
            !strcmp(s->metric, metric) && is_about(s, keys, axis)) {
            best = said;
            strcpy(best.axis, axis);
            rank = own;
        }
    }
    return best;
}

/* Marks. */

static struct plot_line *
find_marks(struct plot *p, size_t sign)
{
    for (size_t i = 0; i < p->n_lines; i++) {
        if (p->lines[i].kind == PLOT_LEVELS && !strcmp(p->lines[i].label, signs[sign].words)) {
            return &p->lines[i];
        }
    }
    struct plot_line *line = plot_add(p, 0, "%s", signs[sign].words);
    line->kind = PLOT_LEVELS;
    line->dash = signs[sign].dash;
    return line;
}

void
rep_said_mark(struct plot *p, struct rep_said said, double x, size_t line, double y)
{
    size_t sign = 0;

    while (sign < N_SIGNS && signs[sign].sign != said.sign) {
        sign++;
    }
    if (sign == N_SIGNS || isnan(y)) {
        return;
    }
    struct plot_line *marks = find_marks(p, sign);
    size_t n = marks->n++;
    marks->x = realloc(marks->x, marks->n * sizeof *marks->x);
    marks->y = realloc(marks->y, marks->n * sizeof *marks->y);
    marks->of = realloc(marks->of, marks->n * sizeof *marks->of);
    marks->x[n] = x;
    marks->y[n] = y;
    marks->of[n] = line;
}
