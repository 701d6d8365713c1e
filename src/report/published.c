/* Finds the claims that go with a drawing. */

#include "report/published.h"

#include <string.h>

#include "answer/figure-name.h"
#include "base/array.h"

/* How a claim calls what is drawn over time; a sweep has one name for both. */
static const struct {
    const char *quantity, *what;
} names[] = { { "queue", "queue" }, { "received", "goodput" }, { "rate", "rate" } };

static bool
begins(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static bool
is_quantity(const struct rec_figure *figure, const struct rec_claim *claim)
{
    bool is = !strcmp(figure->object, "sweep") && !strcmp(claim->what, figure->quantity);

    for (size_t i = 0; i < sizeof names / sizeof *names && !is; i++) {
        is = strcmp(figure->object, "sweep") && !strcmp(names[i].quantity, figure->quantity) &&
             begins(claim->what, names[i].what);
    }
    return is;
}

/* A claim says which runs of a study it is about: "five, switch.transfer=held". */
static bool
is_scenario(const struct rec_figure *figure, const struct rec_claim *claim)
{
    char after =
        begins(claim->scenario, figure->scenario) ? claim->scenario[strlen(figure->scenario)] : '?';

    return !after || after == ',';
}

static bool
is_figure(const struct rec_figure *figure, const struct rec_claim *claim)
{
    char name[FIGURE_NAME_BYTES];

    figure_name(claim->source, name);
    return !strcmp(claim->study, figure->study) && !strcmp(name, figure->name);
}

static bool
is_there(const struct rep_published *all, size_t n, const struct rep_published *new)
{
    bool is = false;

    for (size_t i = 0; i < n && !is; i++) {
        is = !strcmp(all[i].engine, new->engine) &&
             all[i].sign == new->sign &&all[i].value == new->value;
    }
    return is;
}

struct rep_published *
rep_paper_published(const struct rep_paper *p, size_t i, const char *unit, size_t *n)
{
    const struct rec_figure *figure = rep_paper_figure(p, i);
    struct rep_published *all = NULL;
    size_t max = 0;

    *n = 0;
    for (size_t k = 0; k < p->claims.n; k++) {
        const struct rec_claim *claim = rec_row(&p->claims, REC_CLAIM, k);
        struct rep_published new = { claim->engine, claim->sign[0], claim->published };
        if (is_figure(figure, claim) && is_scenario(figure, claim) && is_quantity(figure, claim) &&
            (!unit[0] || !strcmp(claim->unit, unit)) && !is_there(all, *n, &new)) {
            ARRAY_PUSH(all, *n, max) = new;
        }
    }
    return all;
}
