/* Measures the lateness of nodes, and response times of peers to pauses. */

#include "dataplane/lateness.h"

#define PS_PER_US 1000000

void
dp_was_late(struct dp_lateness *l, weir_ps late_ps)
{
    weir_ps late = late_ps > 0 ? late_ps : 0;
    uint64_t us = (uint64_t)late / PS_PER_US;
    uint32_t power = us ? 64 - (uint32_t)__builtin_clzll(us) : 0;

    l->n++;
    l->n_of[power < 31 ? power : 31]++;
    l->most_ps = late > l->most_ps ? late : l->most_ps;
}

void
dp_answered(const struct dp_asked *a, struct dp_lateness *answers)
{
    if (a->has_come) {
        dp_was_late(answers, a->took_ps);
    }
}

static void
end_pause(struct dp_asked *a, struct dp_lateness *answers)
{
    dp_answered(a, answers);
    *a = (struct dp_asked){ 0 };
}

/* Sets back the times of a pause. A pause that has ended is counted first; any other ends after
 * 'now'. */
void
dp_asked_rebase(struct dp_asked *a, weir_ps now, weir_ps by_ps, struct dp_lateness *answers)
{
    if (a->until_ps <= now) {
        end_pause(a, answers);
    } else {
        a->from_ps = weir_rebased(a->from_ps, by_ps);
        a->until_ps = weir_rebased(a->until_ps, by_ps);
    }
}

/* Records a pause. It replaces the previous pause or, if pauses add up, continues from its end. */
static void
ask(struct dp_asked *a, weir_ps pause_ps, bool adds_up, weir_ps now, struct dp_lateness *answers)
{
    if (a->until_ps <= now) {
        end_pause(a, answers);
        a->from_ps = now;
    }
    a->until_ps = weir_after(adds_up && a->until_ps ? a->until_ps : now, pause_ps);
}

/* Records a pause that a frame requests. A PFC pause of duration 0 ends the current one. */
void
dp_asked(struct dp_asked *asked, const struct weir_frame *frame, uint64_t rate_bps, weir_ps now,
         struct dp_lateness *answers)
{
    struct weir_class_frame pfc = { 0 };
    struct weir_fafc_pause fafc = { 0 };
    uint32_t id = weir_frame_id(frame);
    bool is_pfc = id == WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_PFC) &&
                  weir_class_frame_decode(frame, &pfc);
    bool is_fafc = id == WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_FAFC) &&
                   weir_fafc_pause_decode(frame, &fafc);
    uint32_t enable = is_pfc ? pfc.enable : is_fafc ? fafc.enable : 0;

    for (uint32_t c = 0; enable >> c; c++) {
        weir_ps pause_ps = is_pfc ? weir_wire_ps(64 * (uint64_t)pfc.values[c], rate_bps)
                                  : (weir_ps)fafc.pause_ns[c] * 1000;
        if (enable >> c & 1 && pause_ps) {
            ask(&asked[c], pause_ps, is_fafc, now, answers);
        } else if (enable >> c & 1 && is_pfc) {
            end_pause(&asked[c], answers);
        }
    }
}
