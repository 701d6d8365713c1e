/* At which instants a results file has samples: at multiples of their period.
 *
 * The simulator can be sampled between two windows only, so a sample is taken at the end of the
 * window in which its instant falls, less than a window later.  A queue or a rate is written as
 * sampled.  A counter has grown meanwhile, and rates computed from it would jump by a window's
 * worth.  So it is interpolated back to the instant, at its average growth since the previous
 * sample. */

#include "base/array.h"
#include "run/recorder.h"

/* How much less it was, so long before. */
static uint64_t
set_back(uint64_t before, uint64_t now, weir_ps late_ps, weir_ps since_ps)
{
    return now > before ? weir_mul_div(now - before, (uint64_t)late_ps, (uint64_t)since_ps) : 0;
}

weir_ps
recorder_settle_instant(struct recorder *k, weir_ps now)
{
    weir_ps late_ps = now % (weir_ps)k->o->s.record.every_ps, since_ps = now - k->before_ps;

    for (size_t i = 0; i < k->n_series; i++) {
        uint64_t value = k->values[i];
        if (k->grows[i] && late_ps && since_ps > 0) {
            k->values[i] -= set_back(k->before[i], value, late_ps, since_ps);
        }
        k->before[i] = value;
    }
    k->before_ps = now;
    return now - late_ps;
}
