/* The subject of a plan: the ports and the memory of a switch, from options or from a file. */

#include "plan/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

bool
plan_refuse_switch(const char *name, const char *const *names, size_t n, struct err *err)
{
    char offer[200] = "";

    if (n) {
        text_offer(name, names, sizeof *names, n, offer, sizeof offer);
    }
    return err_set(err, "there is no switch '%s'%s", name, offer);
}

bool
plan_is_given(const struct plan_request *r, const char *field)
{
    return r->is_given[weir_field_find(plan_fields, field) - plan_fields];
}

bool
plan_leaves_out(const struct plan_request *r, const struct plan *p)
{
    return p->is_sonic && !r->n_schemes && !r->wants_all;
}

bool
plan_is_wanted(const struct plan_request *r, const struct plan *p, const struct plan_scheme *s)
{
    size_t i = 0;

    while (i < r->n_schemes && r->schemes[i] != s) {
        i++;
    }
    bool is_asked =
        r->n_schemes ? i < r->n_schemes : !plan_leaves_out(r, p) || !strncmp(s->key, "pfc", 3);
    return plan_scheme_applies(p, s) && is_asked;
}

/* Overrides values of a profile by options. A port of 8 lanes has about twice the pipeline's xon
 * (sonic-read.c). */
void
plan_override_profile(struct plan_profile *f, const struct plan_request *r)
{
    if (plan_is_given(r, "xon")) {
        uint64_t old = f->xon_bytes;
        f->xon_bytes = plan_sonic_xon_bytes(r->in.xon_bytes, f->has_8_lanes);
        f->own_bytes =
            f->is_beside || f->own_bytes < old ? f->own_bytes : f->own_bytes - old + f->xon_bytes;
    }
    if (plan_is_given(r, "xon-offset")) {
        f->xon_offset_bytes = r->in.xon_offset_bytes;
    }
}

/* Sets the values of options at every port. */
static void
override_ports(struct plan *p, const struct plan_request *r)
{
    struct plan alike = { .in = r->in };

    alike.in.ports = 1;
    plan_add_ports(&alike);
    for (size_t i = 0; i < p->n_ports; i++) {
        struct plan_port *port = &p->ports[i];
        if (plan_is_given(r, "rate")) {
            port->rate_bps = r->in.rate_bps;
        }
        if (plan_is_given(r, "cable") || plan_is_given(r, "delay")) {
            port->cable_mm = alike.ports[0].cable_mm;
            port->cable_ps = alike.ports[0].cable_ps;
        }
        if (plan_is_given(r, "mtu")) {
            port->mtu_bytes = (uint32_t)r->in.mtu_bytes;
        }
        if (plan_is_given(r, "classes")) {
            port->lossless = alike.ports[0].lossless;
        }
        if (port->is_down || port->is_unwired) {
            port->lossless = 0;
        }
        plan_override_profile(&port->profile, r);
    }
    plan_free(&alike);
}

static void
override_input(struct plan *p, const struct plan_request *r)
{
    for (const struct weir_field *f = plan_fields; f->name; f++) {
        if (r->is_given[f - plan_fields]) {
            weir_field_set(f, &p->in, weir_field_get(f, &r->in));
        }
    }
}

/* Finds lossless classes without headroom. If a file configures some classes, the lossless classes
 * that it leaves out have none. */
static void
find_bare(struct plan *p)
{
    for (size_t i = 0; i < p->n_ports; i++) {
        struct plan_port *port = &p->ports[i];
        port->bare = p->knows_groups ? (uint8_t)(port->lossless & ~port->grouped) : 0;
    }
}

/* Refuses a plan if SONiC gives headroom to no port. */
static bool
check_left_out(const struct plan *p, struct err *err)
{
    size_t n_left_out = 0, n_lossless = 0;

    for (size_t i = 0; i < p->n_ports; i++) {
        n_left_out += p->ports[i].is_down || p->ports[i].is_unwired;
        n_lossless += p->ports[i].lossless != 0;
    }
    return n_lossless || !n_left_out ||
           err_set(err, "no port that is up and has a cable has a lossless class, so there is "
                        "nothing to plan");
}

/* Overrides ports and inputs. Ports are grouped into kinds again, because options may change
 * them. */
bool
plan_override(struct plan *p, const struct plan_request *r, struct err *err)
{
    override_ports(p, r);
    override_input(p, r);
    p->knows_cells |= plan_is_given(r, "cell") || plan_is_given(r, "small");
    p->knows_cell |= plan_is_given(r, "cell");
    p->knows_response |= plan_is_given(r, "response");
    find_bare(p);
    free(p->kinds);
    p->kinds = NULL;
    p->n_kinds = p->max_kinds = 0;
    return check_left_out(p, err) && plan_finish(p, err);
}
