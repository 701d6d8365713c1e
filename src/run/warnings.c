#include "run/warnings.h"

/* "[pfc, ecn]": the engines that there are, and the first that marks. */
static void
write_marking_stack(const struct weir_stack *stack, struct weir_text *text)
{
    const struct weir_engine *marks = weir_engine_at(0);

    for (uint32_t i = 0; marks && !marks->marks; i++) {
        marks = weir_engine_at(i);
    }
    weir_text_add(text, "[");
    for (uint32_t i = 0; i < stack->n; i++) {
        weir_text_add(text, "%s, ", stack->layers[i].engine->about.name);
    }
    weir_text_add(text, "%s].", marks ? marks->about.name : "?");
}

static void
warn_of_marks(const struct outcome *o, struct weir_text *text)
{
    const struct transport *deaf = NULL; /* It waits for marks that never come. */

    for (size_t i = 0; i < o->s.n_flows && !deaf; i++) {
        const struct transport *t = transport_at(o->s.flows[i].transport);
        deaf = t->wants_marks ? t : NULL;
    }
    if (deaf && !plant_marks(sim_plant(o->sim))) {
        weir_text_add(text, "transport %s has no effect: no switch marks ECN. Use engine: ",
                      deaf->about.name);
        write_marking_stack(&o->s.stack, text);
    }
}

static void
warn_of_recovery(const struct outcome *o, struct weir_text *text)
{
    bool is_reliable = false;

    for (size_t i = 0; i < o->s.n_flows; i++) {
        is_reliable |= transport_at(o->s.flows[i].transport)->recovery->is_reliable;
    }
    if (o->s.transport.recovery != WEIR_AUTO && !is_reliable) {
        weir_text_add(text, "transport.recovery has no effect: every sender is raw, and sends "
                            "nothing again");
    }
}

static void
warn_of_flows(const struct outcome *o, struct weir_text *text)
{
    size_t n_late = 0;

    for (size_t i = 0; i < o->s.n_flows; i++) {
        n_late += o->s.flows[i].start_ps >= o->s.run.time_ps;
    }
    if (n_late) {
        weir_text_add(text,
                      "%u flow%s after the end of the run. Use a longer run.time, or an "
                      "earlier start.",
                      (uint64_t)n_late, n_late == 1 ? " starts" : "s start");
    }
}

static void
warn_of_routes(const struct outcome *o, struct weir_text *text)
{
    uint64_t n_astray = 0;

    for (uint32_t i = 0; i < o->s.n_flows; i++) {
        n_astray += outcome_flow_is_astray(o, i);
    }
    if (n_astray) {
        weir_text_add(text,
                      "%u flow%s never arrive%s: the routes lead round in a loop, or cross more "
                      "switches than the hop limit",
                      n_astray, n_astray == 1 ? "" : "s", n_astray == 1 ? "s" : "");
    }
}

static void
warn_of_watchdog(const struct outcome *o, struct weir_text *text)
{
    const struct plant *p = sim_plant(o->sim);
    weir_ps detection_ps = plant_detection_ps(p);

    if (detection_ps == WEIR_NEVER) {
        return;
    }
    if (!(plant_limits(p) & WEIR_LIMIT_OPEN)) {
        weir_text_add(text, "the watchdog has no effect: it acts on pauses, and none of these "
                            "engines pauses a sender");
    } else if (detection_ps >= (weir_ps)o->s.run.time_ps) {
        weir_text_add(text, "the watchdog has no effect: its detection time is as long as the "
                            "run. Use a longer run.time, or a shorter switch.watchdog_detection.");
    }
}

static void
warn_of_plant(const struct outcome *o, struct weir_text *text)
{
    const char *warning = sim_plant(o->sim)->warning;

    weir_text_add(text, "%s", warning ? warning : "");
}

size_t
warnings_list(const struct outcome *o, struct weir_text warnings[WARNINGS_MAX])
{
    static void (*const warn[])(const struct outcome *, struct weir_text *) = {
        warn_of_plant, warn_of_marks,  warn_of_recovery,
        warn_of_flows, warn_of_routes, warn_of_watchdog,
    };
    _Static_assert(sizeof warn / sizeof *warn <= WARNINGS_MAX, "each may warn once");
    size_t n = 0;

    for (size_t i = 0; i < sizeof warn / sizeof *warn; i++) {
        warnings[n] = (struct weir_text){ 0 };
        warn[i](o, &warnings[n]);
        n += warnings[n].len > 0;
    }
    return n;
}
