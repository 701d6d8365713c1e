/* Tables of statements: published and measured values of plans, and of quantities of several runs.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/paper-parts.h"

enum { MAX_COLUMNS = 32 };

struct columns {
    char names[MAX_COLUMNS][REP_PART_BYTES];
    size_t n;
};

/* Writes the name of a column: the study and the quantity, such as "gfc-ring, networks dead". */
static void
name_column(const struct rec_statement *s, char out[REP_PART_BYTES])
{
    snprintf(out, REP_PART_BYTES, "%.90s, %.90s", s->in, s->what);
}

static size_t
find_column(struct columns *c, const char *name)
{
    size_t i = 0;

    while (i < c->n && strcmp(c->names[i], name)) {
        i++;
    }
    if (i == c->n && c->n < MAX_COLUMNS) {
        strcpy(c->names[c->n++], name);
    }
    return i;
}

static struct plot_line *
find_line(struct plot *p, const char *name)
{
    for (size_t i = 0; i < p->n_lines; i++) {
        if (!strcmp(p->lines[i].label, name)) {
            return &p->lines[i];
        }
    }
    struct plot_line *line = plot_add(p, MAX_COLUMNS, "%s", name);
    line->words = array_new(MAX_COLUMNS, sizeof *line->words);
    for (size_t i = 0; i < MAX_COLUMNS; i++) {
        line->x[i] = (double)i + 1;
        line->y[i] = NAN;
    }
    return line;
}

static void
add_statement(struct plot *p, struct columns *columns, const struct rec_statement *s)
{
    char name[REP_PART_BYTES], measured[REP_VALUE_BYTES], published[REP_VALUE_BYTES], words[120];

    name_column(s, name);
    size_t column = find_column(columns, name);
    if (column == MAX_COLUMNS) {
        return;
    }
    struct plot_line *line = find_line(p, s->engine);
    rep_write_value(s->unit, s->measured, measured);
    rep_write_value(s->unit, s->published, published);
    snprintf(words, sizeof words, "%s (%s%s)", measured, s->sign[0] == '=' ? "" : s->sign,
             published);
    free(line->words[column]);
    line->words[column] = strdup(words);
    line->y[column] = s->measured < 0 ? NAN : s->measured;
}

/* Removes the study, or the quantity, from the names of columns if all columns share it. */
static void
shorten(struct columns *c)
{
    bool is_one_study = true, is_one_what = true;

    for (size_t i = 1; i < c->n; i++) {
        size_t len = strcspn(c->names[0], ",");
        is_one_study &= !strncmp(c->names[0], c->names[i], len + 1);
        is_one_what &= !strcmp(strchr(c->names[0], ','), strchr(c->names[i], ','));
    }
    for (size_t i = 0; i < c->n; i++) {
        char *comma = strchr(c->names[i], ',');
        if (is_one_study) {
            memmove(c->names[i], comma + 2, strlen(comma + 2) + 1);
        } else if (is_one_what) {
            *comma = '\0';
        }
    }
}

void
rep_draw_statements(const struct rep_paper *p, const struct rec_figure *figure,
                    struct rep_panels *panels)
{
    struct plot *plot = rep_panel(panels, figure, "");
    struct columns columns = { .n = 0 };

    for (size_t i = 0; i < p->scorecard.n; i++) {
        const struct rec_statement *s = rec_row(&p->scorecard, REC_STATEMENT, i);
        if (!strcmp(s->study, figure->study) && !strcmp(s->name, figure->name) && s->in[0]) {
            add_statement(plot, &columns, s);
        }
    }
    shorten(&columns);
    char **names = array_new(columns.n, sizeof *names);
    for (size_t i = 0; i < columns.n; i++) {
        names[i] = strdup(columns.names[i]);
    }
    plot->x_names = names;
    plot->n_x_names = columns.n;
    plot->is_table = true;
    rep_panels_finish(panels, figure,
                      (struct rep_panel_axes){ "", "", "", "measured (published)" });
}
