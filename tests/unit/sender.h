/* One flow and its congestion control: the test calls the control for each event, and reads how
 * much the flow may send. */

#ifndef TESTS_UNIT_SENDER_H
#define TESTS_UNIT_SENDER_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "transport/transport.h"

#define LINE_BPS ((uint64_t)10000000000)
#define US       1000000

static const struct tp_env env = { LINE_BPS, 1500, 20 * US };

struct flow {
    const struct transport *t;
    uint64_t state[TP_STATE_MAX / 8], params[TP_PARAMS_MAX / 8];
    struct tp_limits limits;
};

static inline void
start(struct flow *f, const struct transport *t)
{
    *f = (struct flow){ .t = t };
    weir_fields_default(t->about.params, f->params);
    t->start(f->state, &env, f->params, &f->limits);
}

static inline void
set(struct flow *f, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(f->t->about.params, name), f->params, value);
    f->t->start(f->state, &env, f->params, &f->limits);
}

#endif
