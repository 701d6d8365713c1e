/* A transport for check-plugins: a fixed rate. */

#include "transport/transport.h"

struct params {
    uint64_t pace_bps;
};

static const struct weir_field fields[] = {
    WEIR_FIELD(struct params, pace_bps, "pace", WEIR_RATE, .fallback = 1000000000, .min = 1000000,
               .max = 1000000000000, .help = "Rate of every flow.", .source = "-"),
    { 0 },
};

static void
start(void *state, const struct tp_env *env, const void *params, struct tp_limits *limits)
{
    const struct params *p = params;

    (void)state, (void)env;
    *limits = (struct tp_limits){ .rate_bps = p->pace_bps,
                                  .window_bytes = WEIR_UNLIMITED,
                                  .timer_ps = WEIR_NEVER };
}

const struct transport tp_throwaway = {
    .about = { .name = "throwaway-transport",
               .title = "A fixed rate",
               .source = "-",
               .params = fields,
               .params_bytes = sizeof(struct params) },
    .recovery = &rc_none,
    .start = start,
};
