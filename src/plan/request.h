/* A request for a plan: the inputs and which of them the user gave, which take precedence over a
 * file; the schemes, and the switch. */

#ifndef PLAN_REQUEST_H
#define PLAN_REQUEST_H

#include "plan/plan.h"

enum { PLAN_MAX_FIELDS = 32, PLAN_MAX_SCHEMES = 16 };

struct plan_request {
    struct plan_input in;
    bool is_given[PLAN_MAX_FIELDS]; /* [field]. */
    /* The chosen schemes; none: all that the switch may have. */
    const struct plan_scheme *schemes[PLAN_MAX_SCHEMES];
    size_t n_schemes;
    bool wants_all;          /* Includes schemes that switches with SONiC do not have. */
    bool may_lower;          /* Written profiles may have less headroom than is configured. */
    const char *switch_name; /* The switch of a scenario or folder; null: not chosen. */
};

/* Sets the error that no switch has this name. Always returns false. */
bool plan_refuse_switch(const char *name, const char *const *names, size_t n, struct err *);

bool plan_is_given(const struct plan_request *, const char *field);

/* Whether only PFC is planned, because SONiC has no other scheme and the user named none. */
bool plan_leaves_out(const struct plan_request *, const struct plan *);

/* Whether a scheme was chosen and applies to the plan. */
bool plan_is_wanted(const struct plan_request *, const struct plan *, const struct plan_scheme *);

/* Overrides the values of a file's profile by options. */
void plan_override_profile(struct plan_profile *, const struct plan_request *);

/* Overrides the ports and inputs of a file by options, and completes the plan. */
bool plan_override(struct plan *, const struct plan_request *, struct err *);

#endif
