/* The choices of a plan, in addition to its numbers: which of them were given, and so take
 * precedence over those of a file; which schemes; which switch. */

#ifndef PLAN_REQUEST_H
#define PLAN_REQUEST_H

#include "plan/plan.h"

enum { PLAN_MAX_FIELDS = 32, PLAN_MAX_SCHEMES = 16 };

struct plan_request {
    struct plan_input in;
    bool is_given[PLAN_MAX_FIELDS];                      /* [field] */
    const struct plan_scheme *schemes[PLAN_MAX_SCHEMES]; /* None: all that the switch may have. */
    size_t n_schemes;
    bool wants_all;          /* Also schemes that switches with SONiC do not have. */
    bool may_lower;          /* Profiles that are written may have less than is configured. */
    const char *switch_name; /* The switch of a scenario or folder; null: no choice. */
};

/* Always false: the error of a switch that is none of these. */
bool plan_refuse_switch(const char *name, const char *const *names, size_t n, struct err *);

bool plan_is_given(const struct plan_request *, const char *field);

/* True if only PFC is planned, since SONiC has nothing else and the user named no scheme. */
bool plan_leaves_out(const struct plan_request *, const struct plan *);

/* Whether a scheme was chosen, and means something here. */
bool plan_is_wanted(const struct plan_request *, const struct plan *, const struct plan_scheme *);

/* An option takes precedence over a profile that was read. */
void plan_override_profile(struct plan_profile *, const struct plan_request *);

/* Ports and input that were read: options take precedence over them.  Then the plan is finished. */
bool plan_override(struct plan *, const struct plan_request *, struct err *);

#endif
