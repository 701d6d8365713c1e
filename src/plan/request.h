/* A request for a plan: its numbers, the ones that the user gave, which take precedence over a
 * file, the schemes, and the switch. */

#ifndef PLAN_REQUEST_H
#define PLAN_REQUEST_H

#include "plan/plan.h"

enum { PLAN_MAX_FIELDS = 32, PLAN_MAX_SCHEMES = 16 };

struct plan_request {
    struct plan_input in;
    bool is_given[PLAN_MAX_FIELDS]; /* [field] */
    const struct plan_scheme
        *schemes[PLAN_MAX_SCHEMES]; /* The chosen schemes; none: all that the switch may have. */
    size_t n_schemes;
    bool wants_all;          /* Includes schemes that switches with SONiC do not have. */
    bool may_lower;          /* Written profiles may have less headroom than is configured. */
    const char *switch_name; /* The switch of a scenario or folder; null: not chosen. */
};

/* Sets the error that no switch has this name; always returns false. */
bool plan_refuse_switch(const char *name, const char *const *names, size_t n, struct err *);

bool plan_is_given(const struct plan_request *, const char *field);

/* Whether only PFC is planned, since SONiC has nothing else and the user named no scheme. */
bool plan_leaves_out(const struct plan_request *, const struct plan *);

/* Whether a scheme was chosen and applies to the plan. */
bool plan_is_wanted(const struct plan_request *, const struct plan *, const struct plan_scheme *);

/* Overrides a profile from a file by options. */
void plan_override_profile(struct plan_profile *, const struct plan_request *);

/* Overrides ports and inputs from a file by options, and completes the plan. */
bool plan_override(struct plan *, const struct plan_request *, struct err *);

#endif
