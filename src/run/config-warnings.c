/* Warnings before a run, about settings that will have no effect or an unintended one. */

#include <stdio.h>
#include <string.h>

#include "run/config-warnings.h"

/* Writes a stack with the first engine that marks packets appended, such as "[pfc, ecn]". */
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
warn_of_marks(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    const struct transport *deaf = NULL; /* A transport that waits for marks that no engine sets. */

    for (size_t i = 0; i < s->n_flows && !deaf; i++) {
        const struct transport *t = transport_at(scn_flow_at(s, i).transport);
        deaf = t->wants_marks ? t : NULL;
    }
    if (deaf && !model_marks(p)) {
        weir_text_add(text, "transport %s has no effect: no switch marks ECN. Use engine: ",
                      deaf->about.name);
        write_marking_stack(&s->stack, text);
    }
}

static void
warn_of_recovery(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    (void)p;
    bool is_reliable = false;

    for (size_t i = 0; i < s->n_flows; i++) {
        is_reliable |= transport_at(scn_flow_at(s, i).transport)->recovery->is_reliable;
    }
    if (s->transport.recovery != WEIR_AUTO && !is_reliable) {
        weir_text_add(
            text, "transport.recovery has no effect: every sender is raw, and retransmits nothing");
    }
}

/* Keys of the section `transport` that a transport may ignore, because it determines the value
 * itself or has no use for it. */
enum own_choice { OWN_TIMEOUT, OWN_ACK, NO_ANSWERS, NO_CNPS, N_OWN_CHOICES };

static const struct {
    const char *key, *because;
} own_choices[N_OWN_CHOICES] = {
    [OWN_TIMEOUT] = { "timeout", "has a timeout of its own, which follows the round trips" },
    [OWN_ACK] = { "ack", "acknowledges every packet at once" },
    [NO_ANSWERS] = { "answers", "receives no answers" },
    [NO_CNPS] = { "cnp_delay", "receives no CNPs" },
};

/* A key set to its default needs no warning: a recorded scenario spells out every key. */
static bool
is_asked_for(const struct scenario *s, const char *key)
{
    const struct weir_field *f = weir_field_find(scn_section_fields("transport"), key);

    return !warnings_is_left_out(s, f) && weir_field_get(f, &s->transport) != f->fallback;
}

static void
warn_of_own_choices(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    const struct transport *t = NULL;
    size_t n_own[N_OWN_CHOICES] = { 0 };

    (void)p;
    for (size_t i = 0; i < s->n_flows; i++) {
        t = transport_at(scn_flow_at(s, i).transport);
        n_own[OWN_TIMEOUT] += t->timeout != NULL;
        n_own[OWN_ACK] += t->acks_each;
        n_own[NO_ANSWERS] += !transport_is_answered(t, NULL);
        n_own[NO_CNPS] += !t->notify_ps;
    }
    for (enum own_choice c = 0; t && c < N_OWN_CHOICES; c++) {
        if (n_own[c] == s->n_flows && is_asked_for(s, own_choices[c].key)) {
            weir_text_add(text, "%stransport.%s has no effect: %s %s", text->len ? "; " : "",
                          own_choices[c].key, t->about.name, own_choices[c].because);
        }
    }
}

static void
warn_of_flows(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    (void)p;
    size_t n_late = 0;

    for (size_t i = 0; i < s->n_flows; i++) {
        n_late += scn_flow_at(s, i).start_ps >= s->run.time_ps;
    }
    if (n_late) {
        weir_text_add(text,
                      "%u flow%s after the end of the run. Use a longer run.time, or an "
                      "earlier start.",
                      (uint64_t)n_late, n_late == 1 ? " starts" : "s start");
    }
}

static void
warn_of_inside(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    (void)p;
    const struct weir_stack *stack = &s->stack;
    bool is_said = false, is_used = false;

    for (uint32_t i = 0; i < stack->n; i++) {
        is_said |= stack->layers[i].scope == WEIR_AT_INNER_PORTS;
    }
    for (size_t i = 0; i < s->topo.n_links; i++) {
        is_used |= s->topo.links[i].is_inner;
    }
    if (is_said && !is_used) {
        weir_text_add(text, "inside has no effect: no link of this network is inside a fabric. "
                            "Use topology: {kind: fabric}, or inner: yes for links.");
    }
}

static void
warn_of_watchdog(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    weir_ps detection_ps = model_detection_ps(p);

    if (!model_asks_for_watchdog(p)) {
        return;
    }
    if (detection_ps == WEIR_NEVER) {
        weir_text_add(text, "the watchdog has no effect: it acts on pauses, and none of these "
                            "engines pauses a sender");
    } else if (detection_ps >= (weir_ps)s->run.time_ps) {
        weir_text_add(text, "the watchdog has no effect: its detection time is as long as the "
                            "run. Use a longer run.time, or a shorter switch.watchdog_detection.");
    }
}

static uint64_t
brought_bps(const struct weir_shape *shape)
{
    uint64_t bps = 0;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        bps += shape->ports[port].rate_bps;
    }
    return bps;
}

/* Warns of a pipeline that is slower than its links by default.  A speed set in the scenario is
 * intended; the default comes from a paper with slow links. */
static void
warn_of_pipelines(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    for (uint32_t i = 0; i < p->topo->n_nodes && !text->len; i++) {
        const struct weir_shape *shape = model_shape_like(p, i);
        const struct sim_kind *kind = p->roles[p->nodes[i].role].kind;
        uint64_t taken = shape->pipeline_pps * 8 * (p->mtu_bytes + p->gap_bytes);
        if (shape->pipeline_pps && taken < brought_bps(shape) &&
            warnings_is_left_out(s, weir_field_find(kind->about.params, "pps"))) {
            weir_text_add(text,
                          "the pipeline of %s takes %r of full packets, and its ports bring up to "
                          "%r: its speed is a default for links of 1 Gb/s. Use switch.pps.",
                          p->topo->nodes[i].name, taken, brought_bps(shape));
        }
    }
}

/* The size of the pool that inputs, pipeline and outputs share, and the maximum that each of them
 * can hold. */
struct pool {
    uint64_t size, outputs, inside, inputs;
};

/* An input queue has its dedicated bytes, and can take more up to its limit, regardless of the
 * other queues of that input.  Packets that have left the inputs may use only the pool.  They take
 * at most the maximum of all outputs and a full pipeline of packets, which fills if it is blocked
 * for long. */
static struct pool
pool_of(const struct weir_shape *shape)
{
    uint64_t most = shape->buffer.port_limit_bytes, all = shape->buffer.outputs_limit_bytes;
    uint64_t outputs = 0;
    struct pool pool = { .size = shape->buffer.size_bytes };

    WEIR_EACH_PORT (shape, port) {
        uint64_t limits = 0, own = 0;
        for (uint8_t cls = 0; cls < shape->n_classes; cls++) {
            const struct weir_buffer_class *c =
                weir_plan_class(&shape->buffer, shape->n_classes, port, cls);
            limits += c->limit_bytes;
            own += c->reserve_bytes;
        }
        limits = most && most < limits ? most : limits;
        pool.size -= own;
        outputs += limits;
        pool.outputs += own;
        pool.inputs += limits;
    }
    pool.outputs += all && all < outputs ? all : outputs;
    uint64_t n_inside = (uint64_t)(shape->pipeline_ps / weir_period_ps(shape->pipeline_pps)) + 1;
    pool.inside = n_inside * shape->mtu_bytes;
    return pool;
}

static void
warn_of_pool(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    (void)s;
    for (uint32_t i = 0; i < p->topo->n_nodes && !text->len; i++) {
        const struct weir_shape *shape = model_shape_like(p, i);
        if (!shape->buffer.is_one_memory || !shape->lossless) {
            continue;
        }
        struct pool pool = pool_of(shape);
        if (pool.outputs + pool.inside + pool.inputs > pool.size) {
            weir_text_add(text,
                          "outputs of %s may hold %B, its pipeline %B, and its inputs %B beyond "
                          "their dedicated buffers, but its pool is %B: if they fill it, packets "
                          "are dropped on arrival, even those of lossless classes. Use a larger "
                          "switch.shared, or a lower switch.limit, switch.port_limit, "
                          "switch.outputs_limit or switch.pps.",
                          p->topo->nodes[i].name, pool.outputs, pool.inside, pool.inputs,
                          pool.size);
        }
    }
}

/* HPCC's simulator does not read these lines either, but the user may have meant them. */
static void
warn_of_lines(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    (void)p;

    for (size_t i = 0; i < s->n_ignored; i++) {
        const struct scn_ignored *g = &s->ignored[i];
        weir_text_add(text, "%s%u line%s of %s from line %u on", i ? ", and " : "",
                      (uint64_t)g->n_lines, g->n_lines == 1 ? "" : "s", s->sources[g->place.source],
                      (uint64_t)g->place.line);
    }
    if (s->n_ignored) {
        bool is_one = s->n_ignored == 1 && s->ignored[0].n_lines == 1;
        weir_text_add(text, is_one
                                ? " is ignored: the first line of the file announces fewer entries"
                                : " are ignored: the first line of a file announces fewer entries");
    }
}

/* Adds the names of the knobs that Weir treats in one way, such as "; ignored: A, B". */
static void
add_knobs(const struct scenario *s, enum scn_knob_use use, struct weir_text *text)
{
    uint64_t n = 0;

    for (size_t i = 0; i < s->n_knobs; i++) {
        const struct scn_knob_taken *k = &s->knobs[i];
        if (k->use == use && (k->is_given || use == SCN_KNOB_NEAR)) {
            weir_text_add(text, "%s%s%s%s",
                          n           ? ", "
                          : text->len ? "; "
                                      : "",
                          n ? "" : scn_knob_uses[use], n ? "" : ": ", k->knob->name);
            n++;
        }
    }
}

/* Warns of knobs of HPCC's simulator that Weir ignores or treats differently. */
static void
warn_of_knobs(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    struct weir_text list = { 0 };

    (void)p;
    add_knobs(s, SCN_KNOB_NEAR, &list);
    add_knobs(s, SCN_KNOB_IGNORED, &list);
    if (list.len) {
        weir_text_add(text,
                      "knobs of the config of HPCC's simulator are %s. `weir explain` says "
                      "how.",
                      list.s);
    }
}

static void
warn_of_aim_at(const struct model *p, const struct model_engines *e, uint16_t port,
               struct weir_text *text)
{
    uint64_t qeq = warnings_param(&e->stack, &e->shape, port, "qeq");
    uint64_t xon = warnings_param(&e->stack, &e->shape, port, "xon");

    if (xon && qeq > xon) {
        weir_text_add(text,
                      "%s: qeq is %B, above xon, which is %B: pauses keep the queue around it, "
                      "and few of its packets see congestion. Set qeq below %B, or xon higher",
                      p->topo->nodes[e->first_node].name, qeq, xon, xon);
    }
}

/* Compares QCN's target queue at switch inputs with PFC's resume threshold: no engine sees both. */
static void
warn_of_aim(const struct scenario *s, const struct model *p, struct weir_text *text)
{
    (void)s;
    for (size_t i = 0; i < p->n_engines; i++) {
        const struct model_engines *e = &p->engines[i];
        bool is_at_inputs = e->shape.tier && warnings_param(&e->stack, &e->shape, 0, "qeq") &&
                            !warnings_param(&e->stack, &e->shape, 0, "place");
        for (uint16_t port = 0; is_at_inputs && port < e->shape.n_ports && !text->len; port++) {
            warn_of_aim_at(p, e, port, text);
        }
    }
}

/* Writes the location of the parameter that a warning is about; for a link, that of the choice of
 * engines. */
static void
write_place(const struct scenario *s, const struct model_warning *w, char place[SCN_PLACE_BYTES])
{
    uint32_t role = w->node != MODEL_NO_NODE ? s->role_of[w->node] : 0;

    if (w->is_of_link && !w->field) {
        scn_write_engine_place(s, role, place);
    } else {
        scn_write_place(s, w->field, role, place);
    }
}

void
warnings_write(const struct scenario *s, const struct model *p, const struct model_warning *w,
               struct weir_text *text)
{
    bool is_of_node = w->node != MODEL_NO_NODE;
    char place[SCN_PLACE_BYTES];

    write_place(s, w, place);
    weir_text_add(text, "%s%s%s%s", place, is_of_node ? p->topo->nodes[w->node].name : "",
                  is_of_node ? ": " : "", w->text);
}

/* Copies the warnings that the model collected while its parameters were derived. */
static size_t
warn_of_parameters(const struct scenario *s, const struct model *p, struct weir_text *warnings,
                   size_t max)
{
    size_t n = p->n_warnings < max ? p->n_warnings : max;

    for (size_t i = 0; i < n; i++) {
        warnings[i] = (struct weir_text){ 0 };
        warnings_write(s, p, &p->warnings[i], &warnings[i]);
    }
    return n;
}

size_t
warnings_of_config(const struct scenario *s, const struct model *p,
                   struct weir_text warnings[WARNINGS_CONFIG_MAX])
{
    static config_warning *const warn[] = {
        warn_of_marks,           warn_of_own_choices,
        warn_of_recovery,        warn_of_flows,
        warn_of_watchdog,        warn_of_lines,
        warn_of_pipelines,       warn_of_pool,
        warn_of_inside,          warn_of_aim,
        warnings_of_last_resort, warnings_of_marks_twice,
        warnings_of_slowing,     warnings_of_idle_workloads,
        warnings_of_load,        warn_of_knobs,
    };
    const size_t n_warn = sizeof warn / sizeof *warn;
    size_t n = warn_of_parameters(s, p, warnings, WARNINGS_CONFIG_MAX - n_warn);

    for (size_t i = 0; i < n_warn; i++) {
        warnings[n] = (struct weir_text){ 0 };
        warn[i](s, p, &warnings[n]);
        n += warnings[n].len > 0;
    }
    return n;
}
