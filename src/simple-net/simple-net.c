/* Makes a model of a network of identical switches, and simulates it. */

#include "simple-net/simple-net.h"

#include <string.h>

#include "base/array.h"
#include "weir/wire.h"

enum { SWITCHES, HOSTS, N_ROLES };

static bool
find_parts(const struct simple_net *u, struct model_role *role, struct err *err)
{
    const char *scheduling = u->scheduling ? u->scheduling : "rr";
    const char *paths = u->paths ? u->paths : "hash";

    role->kind = u->kind ? u->kind : sim_kind_find("oq");
    if (u->kind_params) {
        memcpy(role->kind_params, u->kind_params, role->kind->about.params_bytes);
    } else if (role->kind->about.params) {
        weir_fields_default(role->kind->about.params, role->kind_params);
    }
    role->arbitration = sim_arbitration_find(u->arbitration);
    role->scheduling = sim_scheduling_find(scheduling);
    role->path_choice = sim_path_choice_find(paths);
    if (!role->arbitration) {
        return err_set(err, "unknown arbitration '%s'", u->arbitration);
    }
    if (!role->path_choice) {
        return err_set(err, "unknown choice of paths '%s'", paths);
    }
    if (role->path_choice->about.params) {
        weir_fields_default(role->path_choice->about.params, role->path_params);
    }
    return role->scheduling || err_set(err, "unknown scheduling '%s'", scheduling);
}

static bool
set_roles(const struct simple_net *u, struct model *p, struct err *err)
{
    p->roles = model_own(p, array_new(N_ROLES, sizeof *p->roles));
    p->n_roles = N_ROLES;
    struct model_role *role = &p->roles[SWITCHES];
    *role = (struct model_role){ .name = "switches",
                                 .stack = u->stack,
                                 .buffer = u->buffer,
                                 .shared_bytes = u->shared_bytes,
                                 .response_ps = u->response_ps,
                                 .watchdog = u->watchdog };
    role->arbitration_params[0] = u->host_share ? u->host_share : WEIR_RATIO_1 / 2;
    memcpy(role->weights, u->weights, sizeof role->weights);
    if (!find_parts(u, role, err)) {
        return false;
    }
    struct model_role *hosts = &p->roles[HOSTS];
    *hosts = (struct model_role){ .name = "hosts",
                                  .kind = &sim_end_kind,
                                  .scheduling = role->scheduling,
                                  .stack = u->stack,
                                  .buffer = model_nic_buffer(&u->buffer, u->mtu_bytes),
                                  .response_ps = u->response_ps };
    memcpy(hosts->weights, u->weights, sizeof hosts->weights);
    return true;
}

static void
set_flows(const struct simple_net *u, struct model *p)
{
    struct model_terms *terms = model_own(p, array_new(u->n_flows, sizeof *terms));
    struct model_flow *flows = model_own(p, array_new(u->n_flows, sizeof *flows));

    for (uint32_t i = 0; i < u->n_flows; i++) {
        const struct simple_net_flow *f = &u->flows[i];
        terms[i] = (struct model_terms){ .rate_bps = f->rate_bps,
                                         .stop_ps = f->stop_ps,
                                         .path = f->path,
                                         .n_path = f->n_path,
                                         .transport = f->transport,
                                         .transport_params = f->transport_params,
                                         .recovery = f->recovery,
                                         .recovery_params = f->recovery_params };
        flows[i] = (struct model_flow){ .from = f->from,
                                        .to = f->to,
                                        .after = f->after,
                                        .group = f->group,
                                        .cls = f->cls,
                                        .bytes = f->bytes,
                                        .start_ps = f->start_ps,
                                        .terms = &terms[i] };
    }
    p->flows = flows;
}

bool
simple_net_model(const struct simple_net *u, struct model *p, struct err *err)
{
    struct weir_text said;
    uint32_t node;

    *p = (struct model){ .topo = u->topo,
                         .n_classes = u->n_classes,
                         .lossless = u->lossless,
                         .mtu_bytes = u->mtu_bytes,
                         .gap_bytes = u->gap_bytes,
                         .hop_limit = u->hop_limit,
                         .reroute_ps = u->reroute_ps,
                         .dead = u->dead,
                         .ack_every = u->ack_every ? u->ack_every : 1,
                         .retry_ps = u->retry_ps ? u->retry_ps : TP_TIMEOUT_PS,
                         .answers = u->answers,
                         .answer_bytes = u->answer_bytes ? u->answer_bytes : WEIR_CONTROL_BYTES,
                         .cnp_delay_ps = u->cnp_delay_ps,
                         .n_flows = u->n_flows,
                         .jobs = u->jobs,
                         .n_jobs = u->n_jobs,
                         .link_events = u->link_events,
                         .n_link_events = u->n_link_events,
                         .slowings = u->slowings,
                         .n_slowings = u->n_slowings,
                         .stalls = u->stalls,
                         .n_stalls = u->n_stalls,
                         .until_ps = u->run.until_ps };
    set_flows(u, p);
    if (!set_roles(u, p, err)) {
        return false;
    }
    p->role_of = model_own(p, array_new(u->topo->n_nodes, sizeof *p->role_of));
    for (uint32_t id = 0; id < u->topo->n_nodes; id++) {
        p->role_of[id] = u->topo->nodes[id].kind == TOPO_NIC ? HOSTS : SWITCHES;
    }
    return model_settle(p, &node, &said) ||
           err_set(err, "%s: %s", u->topo->nodes[node].name, said.s);
}

struct sim *
simple_net_sim_new(const struct simple_net *u, struct err *err)
{
    struct sim_config run = u->run;
    struct model model;

    run.n_threads = run.n_threads ? run.n_threads : 1;
    if (!simple_net_model(u, &model, err)) {
        model_free(&model);
        return NULL;
    }
    return sim_new(&run, &model, err);
}
