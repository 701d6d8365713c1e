/* Makes a model from the roles, flows and events of a scenario, and settles it. */

#include "bind/bind.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/out-of-memory.h"

const struct recovery *
bind_recovery_of(const struct scenario *s, const struct scn_flow *f)
{
    bool is_chosen = s->transport.recovery != WEIR_AUTO;

    return transport_recovery(transport_at(f->transport),
                              is_chosen ? recovery_at(s->transport.recovery) : NULL);
}

static struct model_terms
terms_of(const struct scenario *s, const struct scn_flow *f)
{
    const struct recovery *recovery = bind_recovery_of(s, f);
    uint64_t number = 0;

    while (recovery_at(number) != recovery) {
        number++;
    }
    return (struct model_terms){ .rate_bps = f->rate_bps,
                                 .stop_ps = f->stop_ps == UINT64_MAX ? 0 : (weir_ps)f->stop_ps,
                                 .path = f->path,
                                 .n_path = (uint16_t)f->n_path,
                                 .from_port = f->from_port,
                                 .transport = transport_at(f->transport),
                                 .transport_params = s->transport_params[f->transport],
                                 .recovery = recovery,
                                 .recovery_params = s->recovery_params[number] };
}

/* Binds the flows.  Each listed flow has its own terms; flows of a workload share theirs. */
static struct model_flow *
bind_flows(const struct scenario *s, struct model *p)
{
    oom_check(s->n_flows * sizeof(struct model_flow), "%zu flows", s->n_flows);
    struct model_flow *flows = array_new(s->n_flows, sizeof *flows);
    struct model_terms *terms =
        model_own(p, array_new(s->n_listed_flows + s->n_workloads, sizeof *terms));

    for (size_t i = 0; i < s->n_flows; i++) {
        const struct scn_flow f_at = scn_flow_at(s, i), *f = &f_at;
        bool is_listed = i < s->n_listed_flows;
        size_t number = is_listed ? i : s->n_listed_flows + f->group - 1;
        if (is_listed || !terms[number].transport) {
            terms[number] = terms_of(s, f);
        }
        flows[i] = (struct model_flow){ .from = f->from,
                                        .to = f->to,
                                        .group = (uint8_t)f->group,
                                        .cls = (uint8_t)f->cls,
                                        .bytes = f->bytes,
                                        .start_ps = (weir_ps)f->start_ps,
                                        .after = f->after + 1, /* In a model, 0 means none. */
                                        .terms = &terms[number] };
    }
    return flows;
}

/* A control that needs acknowledgements needs a recovery that has them. */
static bool
recoveries_fit(const struct scenario *s, const struct model *p, struct err *err)
{
    for (uint32_t i = 0; i < p->n_flows; i++) {
        const struct model_flow *f = &p->flows[i];
        if (f->terms->transport->acked && !f->terms->recovery->is_reliable) {
            const struct weir_field *fields = scn_section_fields("transport");
            return scn_fail_parameter(s, weir_field_find(fields, "recovery"), 0, err,
                                      "%s needs acknowledgements, and recovery %s sends none: "
                                      "leave recovery out, or write %s",
                                      f->terms->transport->about.name,
                                      f->terms->recovery->about.name,
                                      f->terms->transport->recovery->about.name);
        }
    }
    return true;
}

static struct model_stall *
bind_stalls(const struct scenario *s)
{
    struct model_stall *stalls = array_new(s->n_stalls, sizeof *stalls);

    for (size_t i = 0; i < s->n_stalls; i++) {
        const struct scn_stall *stall = &s->stalls[i];
        bool is_of_all = stall->cls == UINT64_MAX, is_endless = stall->until_ps == UINT64_MAX;
        stalls[i] = (struct model_stall){
            .node = stall->node,
            .classes = (uint8_t)(is_of_all ? 0xff : 1u << stall->cls),
            .from_ps = (weir_ps)stall->from_ps,
            .until_ps = is_endless ? WEIR_NEVER : (weir_ps)stall->until_ps,
        };
    }
    return stalls;
}

/* These functions bind roles.  Each role of the scenario becomes two roles of the model: its
 * switches and its hosts. */

static void
bind_common(const struct scenario *s, const struct scn_switch *from, const struct weir_stack *stack,
            struct model_role *role)
{
    *role = (struct model_role){
        .scheduling = sim_scheduling_at(from->scheduling),
        .stack = *stack,
        .buffer = { .reserve_bytes = from->buffer_bytes,
                    .limit_bytes = from->limit_bytes,
                    .alpha = from->alpha,
                    .headroom_bytes = from->headroom_bytes,
                    .partition_bytes = from->partition_bytes },
        .response_ps = from->response_ps == WEIR_AUTO ? MODEL_BY_RATE : (weir_ps)from->response_ps,
    };
    memcpy(role->scheduling_params, from->scheduling_params, sizeof role->scheduling_params);
    for (uint64_t cls = 0; cls < s->wire.classes; cls++) {
        role->weights[cls] = (uint32_t)from->weights[cls];
    }
}

/* Binds the switches of a role.  The watchdog's actions are in the order of the scenario's
 * choices. */
static void
bind_switches(const struct scenario *s, const struct scn_switch *from,
              const struct weir_stack *stack, struct model_role *role)
{
    bind_common(s, from, stack, role);
    role->kind = sim_kind_at(from->kind);
    role->arbitration = sim_arbitration_at(from->arbitration);
    role->path_choice = sim_path_choice_at(s->routing.paths);
    memcpy(role->kind_params, from->kind_params, sizeof role->kind_params);
    memcpy(role->arbitration_params, from->arbitration_params, sizeof role->arbitration_params);
    memcpy(role->path_params, s->routing.path_params, sizeof role->path_params);
    role->shared_bytes = from->shared_bytes;
    role->watchdog = (struct model_watchdog){
        .action = (enum model_watchdog_action)from->watchdog,
        .detection_ps = (weir_ps)from->detection_ps,
        .restoration_ps = (weir_ps)from->restoration_ps,
    };
}

static void
bind_hosts(const struct scenario *s, const struct scn_switch *from, const struct weir_stack *stack,
           struct model_role *role)
{
    bind_common(s, from, stack, role);
    role->kind = &sim_end_kind;
    role->buffer = model_nic_buffer(&role->buffer, (uint32_t)s->wire.mtu_bytes);
}

_Static_assert((int)SCN_MAX_PARAMS == (int)MODEL_MAX_PARAMS, "parameters");

static void
bind_speeds(const struct scenario *s, const struct scn_switch *from, struct model *p,
            struct model_role *role)
{
    struct model_speed *speeds = array_new(from->n_speeds, sizeof *speeds);

    for (size_t i = 0; i < from->n_speeds; i++) {
        struct scn_speed speed = scn_speed_filled(from, &s->speeds[from->first_speed + i]);
        speeds[i] = (struct model_speed){ .from_bps = speed.rate_bps,
                                          .buffer = { .reserve_bytes = speed.buffer_bytes,
                                                      .limit_bytes = speed.limit_bytes,
                                                      .alpha = speed.alpha,
                                                      .headroom_bytes = speed.headroom_bytes } };
    }
    role->speeds = model_own(p, speeds);
    role->n_speeds = (uint32_t)from->n_speeds;
}

enum { SWITCHES, HOSTS, N_ROLES };

/* Binds a role of the scenario; role 0 is for all nodes without another role. */
static void
bind_role(const struct scenario *s, uint32_t number, struct model *p)
{
    const struct scn_role *of = number ? &s->roles[number - 1] : NULL;
    const struct scn_switch *switches = of ? &of->switches : &s->switches;
    const struct weir_stack *stack = of ? &of->stack : &s->stack;
    struct model_role *roles = &p->roles[N_ROLES * number];

    bind_switches(s, switches, stack, &roles[SWITCHES]);
    bind_speeds(s, switches, p, &roles[SWITCHES]);
    bind_hosts(s, switches, stack, &roles[HOSTS]);
    snprintf(roles[SWITCHES].name, MODEL_NAME_BYTES, "%s", of ? of->name : "switches");
    snprintf(roles[HOSTS].name, MODEL_NAME_BYTES, of ? "%s (hosts)" : "hosts", of ? of->name : "");
}

static void
bind_roles(const struct scenario *s, struct model *p)
{
    p->n_roles = (uint32_t)(N_ROLES * (1 + s->n_roles));
    p->roles = model_own(p, array_new(p->n_roles, sizeof *p->roles));
    for (uint32_t i = 0; i <= s->n_roles; i++) {
        bind_role(s, i, p);
    }
    p->role_of = model_own(p, array_new(s->topo.n_nodes, sizeof *p->role_of));
    for (uint32_t id = 0; id < s->topo.n_nodes; id++) {
        bool is_host = s->topo.nodes[id].kind == TOPO_NIC;
        p->role_of[id] = N_ROLES * s->role_of[id] + (is_host ? HOSTS : SWITCHES);
    }
}

/* Returns the reason for a refusal, which is the last line of the messages; warnings may come
 * before it. */
static const char *
reason_of(const struct weir_text *said)
{
    const char *last = strrchr(said->s, '\n');

    return last ? last + 1 : said->s;
}

static uint32_t
line_of_reason(const struct weir_text *said)
{
    return said->n_breaks < WEIR_TEXT_LINES ? said->n_breaks : WEIR_TEXT_LINES - 1;
}

/* The field that causes a refusal: a parameter of an engine or a kind, or a part chosen with a
 * kind. */
static const struct weir_field *
field_of(const struct weir_text *said)
{
    const struct weir_field *beside = scn_section_fields("switch");
    const struct weir_field *field = said->fields[line_of_reason(said)];

    return field ? field : weir_field_find(beside, said->params[line_of_reason(said)]);
}

/* Sets an error about a node, with the location of the wrong value in the scenario: in the settings
 * of a speed, or in those of all ports. */
static bool
refuse_node(const struct scenario *s, const struct model *p, uint32_t node,
            const struct weir_text *said, struct err *err)
{
    const struct model_role *role = &p->roles[p->role_of[node]];
    struct weir_text of_speed, text = { 0 };
    uint32_t odd = model_odd_speed(p, role, &of_speed);

    weir_text_add(&text, "%s: %s", s->topo.nodes[node].name, reason_of(said));
    if (odd < role->n_speeds) {
        return scn_fail_speed(s, scn_switch_at(s, node)->first_speed + odd, said->params[0], err,
                              text.s);
    }
    return scn_fail_parameter(s, field_of(said), s->role_of[node], err, "%s", text.s);
}

/* The rate of the sender's port; if the NIC has several, the rate of the first port that leads to
 * the receiver. */
static uint64_t
line_bps_of(const struct model *p, const struct model_flow *f)
{
    uint32_t ports = topo_nic_ports(p->topo, f->from, p->topo->nodes[f->to].leaf);

    return model_shape_like(p, f->from)->ports[ports ? __builtin_ctz(ports) : 0].rate_bps;
}

/* Whether the parameters of a flow's control are consistent, and suit its NIC. */
static bool
control_fits(const struct scenario *s, struct model *p, const struct model_flow *f, struct err *err)
{
    uint64_t line_bps = line_bps_of(p, f);
    struct weir_text said = { 0 }, named = { 0 };

    bool fits = f->terms->transport->check(f->terms->transport_params, line_bps, &said);
    weir_plugin_quote(&f->terms->transport->about, &said, &named);
    if (!fits) {
        return scn_fail_parameter(s, field_of(&named), 0, err, "%s", reason_of(&named));
    }
    model_warn(p, MODEL_NO_NODE, &named);
    return true;
}

/* Checks the controls of all flows, except flows with the same control as the previous flow. */
static bool
controls_fit(const struct scenario *s, struct model *p, struct err *err)
{
    const struct model_flow *last = NULL;
    bool fit = true;

    for (uint32_t i = 0; i < p->n_flows && fit; i++) {
        const struct model_flow *f = &p->flows[i];
        bool is_known = last && last->terms->transport == f->terms->transport &&
                        line_bps_of(p, last) == line_bps_of(p, f);
        fit = is_known || !f->terms->transport->check || control_fits(s, p, f, err);
        last = f;
    }
    return fit;
}

bool
bind_model(const struct scenario *s, struct model *p, struct err *err)
{
    struct weir_text said;
    uint32_t node;

    *p = (struct model){ .topo = &s->topo,
                         .n_classes = (uint8_t)s->wire.classes,
                         .lossless = (uint8_t)s->wire.lossless,
                         .mtu_bytes = (uint32_t)s->wire.mtu_bytes,
                         .gap_bytes = (uint32_t)s->wire.gap_bytes,
                         .hop_limit = (uint32_t)s->routing.hop_limit,
                         .reroute_ps = (weir_ps)s->routing.reroute_ps,
                         .dead = (enum model_dead)s->routing.dead,
                         .ack_every = (uint32_t)s->transport.ack_pkts,
                         .joins_next = s->transport.turn == SCN_TURN_NEXT,
                         .retry_ps = (weir_ps)s->transport.timeout_ps,
                         .answers = (uint8_t)(s->transport.answers + 1), /* WEIR_AUTO becomes 0. */
                         .answer_bytes = (uint16_t)s->transport.answer_bytes,
                         .cnp_delay_ps = (weir_ps)s->transport.cnp_delay_ps,
                         .n_flows = (uint32_t)s->n_flows,
                         .link_events = s->link_events,
                         .n_link_events = (uint32_t)s->n_link_events,
                         .slowings = s->slowings,
                         .n_slowings = (uint32_t)s->n_slowings,
                         .n_stalls = (uint32_t)s->n_stalls,
                         .until_ps = (weir_ps)s->run.time_ps,
                         .seed = (uint32_t)s->run.seed };
    p->flows = model_own(p, bind_flows(s, p));
    p->stalls = model_own(p, bind_stalls(s));
    bind_roles(s, p);
    if (!bind_jobs(s, p, err) || !recoveries_fit(s, p, err)) {
        return false;
    }
    if (!model_settle(p, &node, &said)) {
        return refuse_node(s, p, node, &said, err);
    }
    return controls_fit(s, p, err);
}

static struct wl_flow
flow_of_model(const void *flows, size_t flow)
{
    const struct model_flow *f = (const struct model_flow *)flows + flow;

    return (struct wl_flow){ .from = f->from,
                             .to = f->to,
                             .after = f->after - 1, /* In a model, 0 means none. */
                             .bytes = f->bytes,
                             .start_ps = f->start_ps };
}

void
bind_leave_flows(struct scenario *s, const struct model *p)
{
    scn_leave_flows_to(s, (struct scn_keeper){ .flow_at = flow_of_model, .arg = p->flows });
}
