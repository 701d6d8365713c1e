/* Writes the configuration of a switch as keys of a scenario: a shared pool with dynamic
 * thresholds, headroom for ports of each speed, the xon of profiles, and peers as slow as 802.3
 * allows.
 *
 * A scenario has one headroom for all ports of a speed, and one xon for a switch.  If ports of a
 * speed differ, all of them get the smallest headroom, and a comment says so. */

#include "plan/files.h"

/* The minimum headroom of a class of a port of this kind. Headroom that the switch computes itself
 * counts as sufficient. */
static uint64_t
least_bytes(const struct plan *p, const struct plan_kind *k)
{
    if (k->bare || k->configured_bytes) {
        return k->bare ? 0 : k->configured_bytes;
    }
    return plan_slot_need(p, plan_scheme_find("pfc-802.1q"), k).headroom_bytes;
}

/* The kind with the smallest headroom among the ports of a rate; rate 0: among all ports. */
static const struct plan_kind *
poorest(const struct plan *p, uint64_t rate_bps)
{
    const struct plan_kind *least = NULL;

    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        if ((!rate_bps || k->link.rate_bps == rate_bps) &&
            (!least || least_bytes(p, k) < least_bytes(p, least))) {
            least = k;
        }
    }
    return least;
}

/* The lowest rate above this one; 0: there is none. */
static uint64_t
next_rate(const struct plan *p, uint64_t above_bps)
{
    uint64_t next = 0;

    for (size_t i = 0; i < p->n_kinds; i++) {
        uint64_t rate = p->kinds[i].link.rate_bps;
        if (rate > above_bps && (!next || rate < next)) {
            next = rate;
        }
    }
    return next;
}

/* The part of the buffer that groups and headroom do not use. */
static uint64_t
shared_bytes(const struct plan *p)
{
    uint64_t headroom = plan_need(p, plan_scheme_find("pfc-configured")).headroom_bytes, taken = 0;

    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        taken += (uint64_t)k->n_ports * k->n_classes * k->profile.own_bytes;
    }
    taken +=
        plan_shares_headroom(p) ? plan_headroom_pool_bytes(p, headroom, plan_n_ports(p)) : headroom;
    return p->in.buffer_bytes > taken ? p->in.buffer_bytes - taken : 0;
}

void
plan_add_configured_switch(struct weir_text *line, const struct plan *p, weir_ps response_ps)
{
    const struct plan_kind *first = poorest(p, next_rate(p, 0));
    int th = plan_dynamic_th(&p->in);
    uint64_t ratio = th < 0 ? WEIR_RATIO_1 >> -th : (uint64_t)WEIR_RATIO_1 << th;

    weir_text_add(line, "switch: {buffer: %uB, shared: %uB, ", poorest(p, 0)->profile.own_bytes,
                  shared_bytes(p));
    if (p->in.static_th_bytes != WEIR_AUTO) {
        weir_text_add(line, "limit: %uB, ", p->in.static_th_bytes);
    } else {
        const struct weir_field alpha = { .kind = WEIR_RATIO };
        weir_text_add(line, "alpha: %F, ", &alpha, ratio);
    }
    weir_text_add(line, "headroom: %uB, arbitration: rr, response: %T", least_bytes(p, first),
                  response_ps);
    const char *before = ", speeds: [";
    for (uint64_t rate = next_rate(p, first->link.rate_bps); rate; rate = next_rate(p, rate)) {
        weir_text_add(line, "%s{rate: %R, headroom: %uB}", before, rate,
                      least_bytes(p, poorest(p, rate)));
        before = ", ";
    }
    weir_text_add(line, before[2] ? "" : "]");
}

/* Writes the engine.  Without xon_offset, a switch resumes at xon. */
void
plan_write_configured_engine(FILE *out, const struct plan *p)
{
    const struct plan_profile *f = &poorest(p, 0)->profile;
    struct weir_text line = { 0 };
    uint64_t offset = f->xon_offset_bytes;

    weir_text_add(&line, "  pfc: {threshold: dynamic, xon: %uB, xon_offset: %uB}\n", f->xon_bytes,
                  offset == WEIR_AUTO ? (uint64_t)WEIR_MAX_BYTES : offset);
    fprintf(out, "%s", line.s);
}

void
plan_explain_configured(FILE *out, const struct plan *p)
{
    fprintf(out, "# PFC as the switch is configured: pool, thresholds, xon, headroom by speed.%s\n",
            p->knows_response ? "" : " Peers respond as slowly as 802.3 allows.");
    fprintf(out, "# A run shows one case; weir plan --verify looks for the worst.\n");
    for (uint64_t rate = next_rate(p, 0); rate; rate = next_rate(p, rate)) {
        const struct plan_kind *least = poorest(p, rate);
        bool differs = false;
        for (size_t i = 0; i < p->n_kinds; i++) {
            const struct plan_kind *k = &p->kinds[i];
            differs |=
                k->link.rate_bps == rate && (least_bytes(p, k) != least_bytes(p, least) || k->bare);
        }
        struct weir_text line = { 0 };
        weir_text_add(&line, "# Ports of %R differ: all of them have %B here, as %s.\n", rate,
                      least_bytes(p, least), p->ports[least->first_port].name);
        fprintf(out, "%s", differs ? line.s : "");
    }
    if (!plan_knows_configured(p)) {
        fprintf(out, "# Ports whose headroom is left to the switch have what 802.1Q asks for.\n");
    }
    if (plan_shares_headroom(p)) {
        fprintf(out, "# Headroom is shared on the switch; here every class of every port has its "
                     "own.\n");
    }
}
