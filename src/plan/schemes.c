/* The schemes of plans, and the buffer that each needs. */

#include <string.h>

#include "plan/plan.h"

/* Bounds: the buffer above a threshold that one class of one port needs. */

static uint64_t
eq_15(const struct plan *p, const struct plan_kind *k)
{
    (void)p;
    return weir_pfc_headroom_bytes(&k->link);
}

static uint64_t
configured(const struct plan *p, const struct plan_kind *k)
{
    (void)p;
    return k->configured_bytes;
}

static uint64_t
gfc_buffer(const struct plan *p, const struct plan_kind *k)
{
    (void)p;
    return weir_gfc_buffer_room_bytes(&k->link);
}

static uint64_t
gfc_time(const struct plan *p, const struct plan_kind *k)
{
    return weir_gfc_time_room_bytes(&k->link, plan_period_ps(p, k));
}

static uint64_t
gfc_conceptual(const struct plan *p, const struct plan_kind *k)
{
    (void)p;
    return weir_gfc_conceptual_room_bytes(&k->link);
}

#define EQ_15 "2 (MTU + 64 B + C t_w) + C t_r (TTL, Eq. 15)"
#define EQ_802_1Q                                                                                  \
    "2 (MTU + 20 B + C t_w) + 84 B + C t_r, t_r: the slowest that 802.3 31B.3.7 allows"

/* The columns: key, title, source, engine; whether tau matters; the bound; the MTUs added to it,
 * and those below the threshold. Then: the number of classes of which one is separated; whether
 * classes share the rest; the parameter that the bound sets; whether outputs have separate
 * buffers. */
const struct plan_scheme plan_schemes[] = {
    { "pfc", "PFC, Eq. 15", EQ_15, "pfc", false, eq_15, 1, 2, 0, true, NULL, false },
    { "pfc-802.1q", "PFC, 802.1Q", EQ_802_1Q, "pfc", false, plan_802_1q_bytes, 1, 2, 0, true,
      "xoff", false },
    { "pfc-sonic", "PFC, SONiC", "xoff as SONiC's buffer manager works it out", "pfc", false,
      plan_sonic_bytes, 0, 2, 0, true, "xoff", false },
    { "pfc-configured", "PFC, as configured", "xoff of the profiles that were read", "pfc", false,
      configured, 0, 2, 0, true, "xoff", false },
    { "cbfc", "CBFC", "C (tau + T), in whole packets of whole blocks", "cbfc", true,
      plan_credit_window_bytes, 0, 0, 0, false, NULL, false },
    { "gfc-buffer", "GFC, buffer-based", "Bm - B1 = 2 C tau (GFC 5.4)", "gfc-buffer", true,
      gfc_buffer, 2, 2, 0, false, NULL, false },
    { "gfc-time", "GFC, time-based", "Bm - B0 (GFC, Theorem 5.1; 4 C tau if T < tau)", "gfc-time",
      true, gfc_time, 2, 2, 0, false, NULL, false },
    { "gfc-conceptual", "GFC, conceptual", "Bm - B0 = 4 C tau (GFC, Theorem 4.1)", "gfc-conceptual",
      true, gfc_conceptual, 2, 2, 0, false, NULL, false },
    { "capfc", "CaPFC",
      "Eq. 15 at an input, and at an output the bytes that all inputs still bring", "capfc", false,
      plan_capfc_bytes, 0, 6, 0, true, NULL, true },
    { "capfc-egress", "CaPFC, egress alone",
      "bytes that all inputs bring through the pipeline until they pause", NULL, false,
      plan_capfc_egress_bytes, 0, 3, 0, true, NULL, false },
    { "ttl", "TTL, dedicated", EQ_15, "ttl", false, eq_15, 1, 2, 1, false, NULL, false },
    { "ttl-shared", "TTL, shared", EQ_15 "; Eq. 16", "ttl", false, eq_15, 1, 2, 1, true, NULL,
      false },
    { "ttl-halved", "TTL, halved", "Eq. 15; in trees a switch sees every other class (TTL 2.3)",
      "ttl", false, eq_15, 1, 2, 2, true, NULL, false },
    { "ttl-quartered", "TTL, quartered",
      "as for ttl-halved; packets that turn back are dropped (TTL 2.3)", "ttl", false, eq_15, 1, 2,
      4, true, NULL, false },
    { 0 },
};

uint64_t
plan_n_ports(const struct plan *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->n_kinds; i++) {
        n += p->kinds[i].n_ports;
    }
    return n;
}

const struct plan_scheme *
plan_scheme_find(const char *key)
{
    const struct plan_scheme *s = plan_schemes;
    while (s->key && strcmp(s->key, key)) {
        s++;
    }
    return s->key ? s : NULL;
}

bool
plan_knows_configured(const struct plan *p)
{
    bool is_known = true;
    for (size_t i = 0; i < p->n_kinds; i++) {
        is_known &= p->kinds[i].configured_bytes > 0 || p->kinds[i].bare;
    }
    return is_known;
}

bool
plan_scheme_applies(const struct plan *p, const struct plan_scheme *s)
{
    bool is_some = false;
    for (size_t i = 0; i < p->n_kinds; i++) {
        is_some |= p->kinds[i].configured_bytes > 0;
    }
    return s->bound != configured || is_some;
}

/* The number of classes that a port separates. TTL has a class for every hop within each class of
 * other schemes. If the number of hops is not given, the classes are already those of TTL. */
uint64_t
plan_scheme_classes(const struct plan *p, const struct plan_scheme *s, const struct plan_kind *k)
{
    uint64_t hops = p->in.hops == WEIR_AUTO ? 1 : p->in.hops;
    return s->class_of ? (k->n_classes * hops + s->class_of - 1) / s->class_of : k->n_classes;
}

bool
plan_scheme_has_classes(const struct plan *p, const struct plan_scheme *s)
{
    bool has = true;
    for (size_t i = 0; i < p->n_kinds; i++) {
        has &= plan_scheme_classes(p, s, &p->kinds[i]) <= WEIR_MAX_CLASSES;
    }
    return has;
}

struct plan_need
plan_slot_need(const struct plan *p, const struct plan_scheme *s, const struct plan_kind *k)
{
    uint64_t mtu = k->link.mtu_bytes, bound = s->bound(p, k);

    return (struct plan_need){ .bound_bytes = bound,
                               .headroom_bytes = bound + s->n_whole * mtu,
                               .under_bytes = s->n_under * mtu,
                               .busy_bytes =
                                   weir_wire_bytes((weir_ps)p->in.rtt_ps, k->link.rate_bps) };
}

struct plan_need
plan_need(const struct plan *p, const struct plan_scheme *s)
{
    struct plan_need all = { 0 };

    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        struct plan_need one = plan_slot_need(p, s, k);
        uint64_t n_slots = k->n_ports * plan_scheme_classes(p, s, k);
        uint64_t n_bare = s->bound == configured ? (uint64_t)__builtin_popcount(k->bare) : 0;
        all.bound_bytes += (n_slots - k->n_ports * n_bare) * one.bound_bytes;
        all.headroom_bytes += (n_slots - k->n_ports * n_bare) * one.headroom_bytes;
        all.under_bytes += n_slots * one.under_bytes;
        all.busy_bytes += (s->is_shared ? k->n_ports : n_slots) * one.busy_bytes;
    }
    return all;
}
