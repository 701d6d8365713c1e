/* Checks whether the engines at both ends of each link of a scenario work together. */

#include "base/array.h"
#include "bind/bind.h"
#include "planner/planner.h"
#include "run/warnings.h"

static void
add_warnings(const struct scenario *s, const struct model *model, struct plan *p)
{
    for (size_t i = 0; i < model->n_warnings; i++) {
        if (model->warnings[i].is_of_link) {
            struct weir_text *said = &ARRAY_PUSH(p->warned, p->n_warned, p->max_warned);
            *said = (struct weir_text){ 0 };
            warnings_write(s, model, &model->warnings[i], said);
        }
    }
}

/* A scenario whose buffers are too small for its engines is what people plan for, so that is no
 * reason to refuse it. */
int
planner_check_links(struct plan *p, const struct scenario *s, struct err *err)
{
    struct model model;
    bool is_bound = bind_model(s, &model, err);
    int code = !is_bound && model.links_clash ? EXIT_USER : EXIT_GOOD;

    add_warnings(s, &model, p);
    model_free(&model);
    return code;
}
