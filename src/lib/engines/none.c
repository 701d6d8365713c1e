/* No flow control: packets that do not fit are lost.
 *
 *     IDLE       its only state
 *
 * This is the baseline for comparisons, and the smallest engine. */

#include "weir/engine.h"

static const struct weir_field no_fields[] = { { 0 } };

static bool
none_check(const struct weir_shape *shape, const void *params, struct weir_needs *needs,
           struct weir_text *text)
{
    (void)shape, (void)params, (void)text;
    *needs = (struct weir_needs){ 0 };
    return true;
}

static void
none_init(void *state, struct weir_ctx *ctx, const void *params)
{
    (void)state, (void)ctx, (void)params;
}

const struct weir_engine weir_none = {
    .about = { .name = "none", .title = "No flow control", .source = "-", .params = no_fields },
    .counters = no_fields,
    .check = none_check,
    .init = none_init,
};
