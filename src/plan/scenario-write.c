/* Writes a plan as a scenario: an incast at a switch with the plan's links, buffer and
 * thresholds. */

#include <string.h>

#include "plan/files.h"
#include "plan/verdict.h"

static void
write_engine(FILE *out, const struct plan *p, const struct plan_scheme *s)
{
    struct weir_stack stack;
    struct weir_text line = { 0 }, why = { 0 };

    if (!plan_resolve(p, s, p->kinds, p->n_kinds, &stack, &why)) {
        fprintf(out, "  # %s: %s\n", s->engine, why.s);
        return;
    }
    for (const struct weir_field *f = stack.layers[0].engine->about.params; f->name; f++) {
        bool is_reading = s->has_outputs && (!strcmp(f->name, "stop") || !strcmp(f->name, "cut"));
        if (is_reading ||
            (f->derived && f->fallback == WEIR_AUTO && strcmp(f->name, "xon_offset"))) {
            weir_text_add(&line, "%s%s: %F", line.len ? ", " : "", f->name, f,
                          weir_field_get(f, stack.layers[0].params));
        }
    }
    fprintf(out, "  %s: {%s}\n", s->engine, line.s);
}

/* Whether a scheme stands for the configured SONiC profiles. Headroom that a scenario sets has no
 * profile with an xon, so its scheme is written like the others. */
static bool
is_configured(const struct plan *p, const struct plan_scheme *s)
{
    return p->knows_groups && !strcmp(s->key, "pfc-configured");
}

/* The scheme that the written scenario uses: that of the verdict, unless the request has only one
 * scheme. */
static const struct plan_scheme *
first_scheme(const struct plan *p, const struct plan_request *r)
{
    struct plan_verdict v = plan_judge(p, r);

    if (r->n_schemes == 1 && r->schemes[0]->engine) {
        return r->schemes[0];
    }
    return v.use && v.use->engine ? v.use : plan_scheme_find("pfc");
}

/* The scheme for each engine: the scheme that the scenario uses, else one of the request, else the
 * first that has the engine. */
static const struct plan_scheme *
scheme_of(const struct plan_request *r, const struct plan_scheme *first, const char *engine)
{
    if (!strcmp(first->engine, engine)) {
        return first;
    }
    for (size_t i = 0; i < r->n_schemes; i++) {
        const struct plan_scheme *s = r->schemes[i];
        if (s->engine && !strcmp(s->engine, engine)) {
            return s;
        }
    }
    return plan_scheme_find(engine);
}

/* Writes the links that differ from the first. */
static void
write_links(FILE *out, const struct plan *p)
{
    const struct plan_kind *first = &p->kinds[0];
    uint64_t host = 0;
    bool any = false;

    for (size_t i = 0; i < p->n_ports; i++) {
        const struct plan_port *port = &p->ports[i];
        struct weir_text line = { 0 };
        host += port->lossless != 0;
        if (!port->lossless ||
            (port->rate_bps == first->link.rate_bps && port->cable_ps == first->link.cable_ps)) {
            continue;
        }
        weir_text_add(&line, "{ends: [S1, H%u], rate: %R, delay: %T}", host, port->rate_bps,
                      port->cable_ps);
        fprintf(out, "%s    - %s  # %s\n", any ? "" : "  links:\n", line.s, port->name);
        any = true;
    }
}

/* The response time of a peer. A configuration must also be sufficient for slow peers. */
static weir_ps
response_of(const struct plan *p, const struct plan_scheme *s, const struct plan_kind *k)
{
    return is_configured(p, s) ? plan_peer_response_ps(p, k) : k->link.response_ps;
}

struct widest {
    uint64_t n_ports, n_classes, mtu_bytes;
    weir_ps response_ps;
};

/* The maximum values over all kinds. The switch has the response time of its fastest peer: the
 * slower end of a link counts, so each port has the response time of its own kind. */
static struct widest
widest_of(const struct plan *p, const struct plan_scheme *s)
{
    struct widest w = { .n_ports = plan_n_ports(p),
                        .response_ps = response_of(p, s, &p->kinds[0]) };

    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        w.n_classes = k->n_classes > w.n_classes ? k->n_classes : w.n_classes;
        w.mtu_bytes = k->link.mtu_bytes > w.mtu_bytes ? k->link.mtu_bytes : w.mtu_bytes;
        weir_ps response = response_of(p, s, k);
        w.response_ps = response < w.response_ps ? response : w.response_ps;
    }
    w.n_ports = w.n_ports < 2 ? 2 : w.n_ports;
    return w;
}

/* Writes the names of the peers with this response time, such as "H1, H2". */
static void
write_peers(FILE *out, const struct plan *p, const struct plan_scheme *s, weir_ps response_ps)
{
    unsigned long long host = 0;
    const char *before = "";

    for (size_t i = 0; i < p->n_ports; i++) {
        const struct plan_port *port = &p->ports[i];
        host += port->lossless != 0;
        if (port->lossless && response_of(p, s, &p->kinds[port->kind]) == response_ps) {
            fprintf(out, "%sH%llu", before, host);
            before = ", ";
        }
    }
}

/* Writes roles for peers whose response time differs from the switch's. If the headroom is the
 * switch's configuration, peers get enough headroom of their own. */
static void
write_roles(FILE *out, const struct plan *p, const struct plan_scheme *s, weir_ps response_ps)
{
    const char *before = "roles:\n";

    for (size_t i = 0; i < p->n_kinds; i++) {
        weir_ps own = response_of(p, s, &p->kinds[i]);
        struct weir_text keys = { 0 };
        size_t first = 0;
        while (response_of(p, s, &p->kinds[first]) != own) {
            first++;
        }
        if (first < i || (own == response_ps && !is_configured(p, s))) {
            continue;
        }
        weir_text_add(&keys, "response: %T%s", own, is_configured(p, s) ? ", headroom: 1MB" : "");
        fprintf(out, "%s  - {nodes: [", before);
        write_peers(out, p, s, own);
        fprintf(out, "], switch: {%s}}\n", keys.s);
        before = "";
    }
}

static void
add_switch(const struct plan *p, const struct widest *w, const struct plan_scheme *s,
           struct weir_text *line)
{
    uint64_t input = plan_capfc_input_bytes(p);

    if (is_configured(p, s)) {
        plan_add_configured_switch(line, p, w->response_ps);
    } else if (s->has_outputs) {
        weir_text_add(line,
                      "switch: {kind: pipeline, pps: %u, delay: %T, buffer: %uB, egress: %uB, "
                      "response: %T",
                      plan_pps(p), (weir_ps)p->in.pipeline_ps, input, plan_room_bytes(p) - input,
                      w->response_ps);
    } else {
        weir_text_add(line, "switch: {buffer: %uB, arbitration: rr, response: %T",
                      plan_room_bytes(p), w->response_ps);
    }
    plan_add_watchdog(line, p);
    weir_text_add(line, "}\n");
}

static void
write_network(FILE *out, const struct plan *p, const struct widest *w, const struct plan_scheme *s)
{
    const struct plan_kind *k = &p->kinds[0];
    struct weir_text line = { 0 };

    weir_text_add(&line, "  kind: incast\n  hosts: %u\n  rate: %R\n  delay: %T\n", w->n_ports - 1,
                  k->link.rate_bps, k->link.cable_ps);
    fprintf(out, "topology:\n%s", line.s);
    write_links(out, p);
    line = (struct weir_text){ 0 };
    add_switch(p, w, s, &line);
    weir_text_add(&line, "wire: {mtu: %uB, classes: %u, lossless: 0x%x}\n", w->mtu_bytes,
                  w->n_classes, (uint64_t)((1u << w->n_classes) - 1));
    fprintf(out, "%s", line.s);
}

/* Whether the scenario has only the scheme that it uses. With output buffers or the current
 * configuration, thresholds of other schemes would be for another switch. */
static bool
is_alone(const struct plan *p, const struct plan_scheme *s)
{
    return s->has_outputs || is_configured(p, s);
}

static void
write_engines(FILE *out, const struct plan *p, const struct plan_request *r,
              const struct plan_scheme *first)
{
    static const char *const engines[] = { "pfc", "cbfc", "gfc-buffer", "gfc-time",
                                           "gfc-conceptual" };
    size_t n = is_alone(p, first) ? 0 : sizeof engines / sizeof *engines;

    fprintf(out, "engine: %s\nengines:\n", first->engine);
    if (is_configured(p, first)) {
        plan_write_configured_engine(out, p);
    } else if (first->has_outputs) {
        write_engine(out, p, first);
    }
    for (size_t i = 0; i < n; i++) {
        write_engine(out, p, scheme_of(r, first, engines[i]));
    }
}

void
plan_write_scenario(FILE *out, const struct plan *p, const struct plan_request *r)
{
    const struct plan_scheme *first = first_scheme(p, r);
    struct widest w = widest_of(p, first);

    fprintf(out, "# Written by weir plan: every port of a switch sends to the last one.\n%s",
            is_alone(p, first)
                ? ""
                : "# --set engine=gfc-buffer runs it under another scheme, with its own "
                  "thresholds.\n");
    if (is_configured(p, first)) {
        plan_explain_configured(out, p);
    } else if (!first->has_outputs) {
        fprintf(out, "# Headroom by %s: what %s port needs.\n", first->title,
                first->threshold ? "the neediest" : "each");
    }
    fprintf(out, "name: plan\n");
    plan_explain_watchdog(out, p);
    write_network(out, p, &w, first);
    write_roles(out, p, first, w.response_ps);
    write_engines(out, p, r, first);
    fprintf(out, "flows:\n");
    for (uint64_t host = 1; host < w.n_ports; host++) {
        for (uint64_t cls = 0; cls < w.n_classes; cls++) {
            fprintf(out, "  - {from: H%llu, to: H%llu, class: %llu}\n", (unsigned long long)host,
                    (unsigned long long)w.n_ports, (unsigned long long)cls);
        }
    }
    fprintf(out, "run: {time: 2ms}\n");
}

/* Checks that at least the thresholds of the engine that the scenario uses fit into the buffer. */
bool
plan_can_write_scenario(const struct plan *p, const struct plan_request *r, struct err *err)
{
    const struct plan_scheme *s = first_scheme(p, r);
    struct weir_stack stack;
    struct weir_text why = { 0 };

    if (s->class_of) {
        return err_set(err, "--scenario cannot write TTL, whose classes depend on the network");
    }
    if (p->in.buffer_bytes == WEIR_AUTO) {
        return err_set(err, "--scenario needs --buffer, from which the thresholds follow");
    }
    return is_configured(p, s) || plan_resolve(p, s, p->kinds, p->n_kinds, &stack, &why) ||
           err_set(err, "--scenario divides the buffer evenly: %s %s", s->title, why.s);
}
