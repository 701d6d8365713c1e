/* A plan for SONiC: tables of config_db.json, and rows of pg_profile_lookup.ini. */

#include <string.h>

#include "base/json.h"
#include "plan/files.h"
#include "plan/verdict.h"

typedef unsigned long long llu; /* As printf() has it. */

/* The formula for headroom: the one that the verdict is for, if it is one of PFC's. */
static const struct plan_scheme *
sonic_scheme(const struct plan *p, const struct plan_request *r)
{
    static const char *const formulas[] = { "pfc", "pfc-802.1q", "pfc-sonic" };
    struct plan_verdict v = plan_judge(p, r);

    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        if (v.use == plan_scheme_find(formulas[i])) {
            return v.use;
        }
    }
    return plan_scheme_find("pfc-sonic");
}

/* 400 Gb/s take 8 lanes on every port there, so SONiC does not say so in the name. */
enum { ALWAYS_8_LANES = 400000 };

/* Headroom is not part of the size: it is beside it, or in a pool that all share. */
static bool
is_apart(const struct plan *p, const struct plan_profile *f)
{
    return f->is_beside || plan_shares_headroom(p);
}

struct profile {
    uint64_t mbps, metres, xon, xoff, size;
    const struct plan_profile *own; /* What it has besides. */
    uint32_t mtu;
};

/* Lengths are whole metres there: rounded up, and the headroom for that. */
static struct profile
profile_of(const struct plan *p, const struct plan_scheme *by, const struct plan_kind *kind)
{
    struct profile f = { .mbps = kind->link.rate_bps / 1000000,
                         .metres = (kind->cable_mm + 999) / 1000,
                         .xon = kind->profile.xon_bytes,
                         .own = &kind->profile,
                         .mtu = kind->link.mtu_bytes };
    struct plan_kind k = *kind;

    k.cable_mm = 1000 * f.metres;
    k.link.cable_ps = plan_cable_ps(k.cable_mm);
    f.xoff = plan_slot_need(p, by, &k).headroom_bytes;
    f.size = f.own->own_bytes + (is_apart(p, f.own) ? 0 : f.xoff);
    return f;
}

static bool
is_same_link(const struct profile *a, const struct profile *b)
{
    return a->mbps == b->mbps && a->metres == b->metres && a->mtu == b->mtu &&
           a->own->has_8_lanes == b->own->has_8_lanes;
}

static bool
is_same(const struct profile *a, const struct profile *b)
{
    return is_same_link(a, b) && a->xon == b->xon && a->xoff == b->xoff && a->size == b->size &&
           a->own->xon_offset_bytes == b->own->xon_offset_bytes;
}

/* The first kind that has the same profile: kinds may differ in their classes alone. */
static size_t
first_with(const struct plan *p, const struct plan_scheme *by, size_t kind)
{
    struct profile f = profile_of(p, by, &p->kinds[kind]);

    for (size_t i = 0; i < kind; i++) {
        struct profile other = profile_of(p, by, &p->kinds[i]);
        if (is_same(&other, &f)) {
            return i;
        }
    }
    return kind;
}

enum { PROFILE_BYTES = 80 };

/* As SONiC names them, with the MTU; the second of a name that has another xon is "_2". */
static void
name_profile(const struct plan *p, const struct plan_scheme *by, size_t kind,
             char name[PROFILE_BYTES])
{
    size_t first = first_with(p, by, kind), nth = 1;
    struct profile f = profile_of(p, by, &p->kinds[first]);
    char suffix[24] = "";

    for (size_t i = 0; i < first; i++) {
        struct profile other = profile_of(p, by, &p->kinds[i]);
        nth += first_with(p, by, i) == i && is_same_link(&other, &f);
    }
    if (nth > 1) {
        snprintf(suffix, sizeof suffix, "_%zu", nth);
    }
    snprintf(name, PROFILE_BYTES, "pg_lossless_%llu_%llum_mtu%u%s%s_profile", (llu)f.mbps,
             (llu)f.metres, f.mtu, f.own->has_8_lanes && f.mbps != ALWAYS_8_LANES ? "_8lane" : "",
             suffix);
}

/* What groups reserve, what ports keep, and the pool of headroom, if there is one. */
struct reserved {
    uint64_t groups, ports, pool;
};

static struct reserved
reserved_of(const struct plan *p, const struct plan_scheme *by)
{
    struct reserved sum = { 0 };
    uint64_t n_ports = 0, xoff = 0;

    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        struct profile f = profile_of(p, by, k);
        uint64_t n_groups = (uint64_t)k->n_ports * k->n_classes;
        bool has_more = is_apart(p, f.own) && !plan_shares_headroom(p);
        sum.groups += n_groups * (f.size + (has_more ? f.xoff : 0));
        xoff += n_groups * f.xoff;
        n_ports += k->n_ports;
    }
    sum.ports = plan_private_headroom_bytes(p, n_ports);
    sum.pool = plan_headroom_pool_bytes(p, xoff, n_ports);
    return sum;
}

static uint64_t
reserved_bytes(const struct plan *p, const struct plan_scheme *by)
{
    struct reserved sum = reserved_of(p, by);
    return sum.groups + sum.ports + sum.pool;
}

/* SONiC has its numbers as strings. */
static void
write_number(struct json *j, const char *key, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", (llu)number);
    json_text(j, key, text);
}

static void
write_pool(struct json *j, const struct plan *p, const struct plan_scheme *by)
{
    json_open(j, "BUFFER_POOL", '{');
    json_open(j, "ingress_lossless_pool", '{');
    json_text(j, "type", "ingress");
    json_text(j, "mode", p->in.static_th_bytes == WEIR_AUTO ? "dynamic" : "static");
    write_number(j, "size", p->in.buffer_bytes - reserved_bytes(p, by));
    if (p->headroom_pool.bytes) { /* Else the ratio says how large it is. */
        write_number(j, "xoff", p->headroom_pool.bytes);
    }
    json_close(j, '}');
    json_close(j, '}');
}

static void
write_threshold(struct json *j, const struct plan *p, const struct plan_profile *f)
{
    char exponent[8];

    if (f->xon_offset_bytes != WEIR_AUTO) {
        write_number(j, "xon_offset", f->xon_offset_bytes);
    }
    if (p->in.static_th_bytes != WEIR_AUTO) {
        write_number(j, "static_th", p->in.static_th_bytes);
    } else {
        snprintf(exponent, sizeof exponent, "%d", plan_dynamic_th(&p->in));
        json_text(j, "dynamic_th", exponent);
    }
}

static void
write_profiles(struct json *j, const struct plan *p, const struct plan_scheme *by)
{
    json_open(j, "BUFFER_PROFILE", '{');
    for (size_t i = 0; i < p->n_kinds; i++) {
        struct profile f = profile_of(p, by, &p->kinds[i]);
        char name[PROFILE_BYTES];
        if (first_with(p, by, i) < i) {
            continue;
        }
        name_profile(p, by, i, name);
        json_open(j, name, '{');
        json_text(j, "pool", "ingress_lossless_pool");
        write_number(j, "size", f.size);
        write_number(j, "xon", f.xon);
        write_number(j, "xoff", f.xoff);
        write_threshold(j, p, f.own);
        json_close(j, '}');
    }
    json_close(j, '}');
}

/* Something of every port that has lossless classes. */
static void
write_table(struct json *j, const struct plan *p, const struct plan_scheme *by, const char *name,
            void (*write)(struct json *, const struct plan *, const struct plan_scheme *,
                          const struct plan_port *))
{
    json_open(j, name, '{');
    for (size_t i = 0; i < p->n_ports; i++) {
        if (p->ports[i].lossless) {
            write(j, p, by, &p->ports[i]);
        }
    }
    json_close(j, '}');
}

static void
write_port(struct json *j, const struct plan *p, const struct plan_scheme *by,
           const struct plan_port *port)
{
    (void)p, (void)by;
    json_open(j, port->name, '{');
    write_number(j, "speed", port->rate_bps / 1000000);
    write_number(j, "mtu", port->mtu_bytes);
    if (port->lanes[0]) {
        json_text(j, "lanes", port->lanes);
    }
    json_close(j, '}');
}

static void
write_cable(struct json *j, const struct plan *p, const struct plan_scheme *by,
            const struct plan_port *port)
{
    char length[24];

    snprintf(length, sizeof length, "%llum", (llu)profile_of(p, by, &p->kinds[port->kind]).metres);
    json_text(j, port->name, length);
}

static void
write_qos_map(struct json *j, const struct plan *p, const struct plan_scheme *by,
              const struct plan_port *port)
{
    char classes[3 * WEIR_MAX_CLASSES] = "";
    size_t len = 0;

    (void)p, (void)by;
    for (int cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        if (port->lossless >> cls & 1) {
            len += (size_t)snprintf(classes + len, sizeof classes - len, len ? ",%d" : "%d", cls);
        }
    }
    json_open(j, port->name, '{');
    json_text(j, "pfc_enable", classes);
    json_close(j, '}');
}

/* Runs of classes: "Ethernet0|3-4". */
static void
write_groups(struct json *j, const struct plan *p, const struct plan_scheme *by,
             const struct plan_port *port)
{
    char profile[PROFILE_BYTES];

    name_profile(p, by, port->kind, profile);
    for (int cls = 0, last; cls < WEIR_MAX_CLASSES; cls = last + 1) {
        last = cls;
        if (!(port->lossless >> cls & 1)) {
            continue;
        }
        while (last + 1 < WEIR_MAX_CLASSES && port->lossless >> (last + 1) & 1) {
            last++;
        }
        char key[PLAN_NAME_BYTES + 8];
        snprintf(key, sizeof key, last > cls ? "%s|%d-%d" : "%s|%d", port->name, cls, last);
        json_open(j, key, '{');
        json_text(j, "profile", profile);
        json_close(j, '}');
    }
}

static void
write_ratio(struct json *j, const struct plan *p)
{
    if (p->headroom_pool.over_subscription) {
        json_open(j, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", '{');
        json_open(j, "AZURE", '{');
        write_number(j, "over_subscribe_ratio", p->headroom_pool.over_subscription);
        json_close(j, '}');
        json_close(j, '}');
    }
}

static void
write_pattern(struct json *j, const struct plan *p)
{
    const struct plan_input *in = &p->in;

    if (!p->knows_cells) {
        return;
    }
    json_open(j, "LOSSLESS_TRAFFIC_PATTERN", '{');
    json_open(j, "AZURE", '{');
    if (in->lossless_mtu_bytes != WEIR_AUTO) {
        write_number(j, "mtu", in->lossless_mtu_bytes);
    }
    write_number(j, "small_packet_percentage", in->small_percent);
    json_close(j, '}');
    json_close(j, '}');
}

/* Names of profiles follow from lanes on some platforms: without it another would be read back. */
static void
write_metadata(struct json *j, const struct plan *p)
{
    if (p->platform[0]) {
        json_open(j, "DEVICE_METADATA", '{');
        json_open(j, "localhost", '{');
        json_text(j, "platform", p->platform);
        json_close(j, '}');
        json_close(j, '}');
    }
}

void
plan_write_sonic(FILE *out, const struct plan *p, const struct plan_request *r)
{
    const struct plan_scheme *by = sonic_scheme(p, r);
    struct json j = { .out = out, .lines = 2 };

    json_open(&j, NULL, '{');
    write_metadata(&j, p);
    write_table(&j, p, by, "PORT", write_port);
    json_open(&j, "CABLE_LENGTH", '{');
    write_table(&j, p, by, "AZURE", write_cable);
    json_close(&j, '}');
    write_table(&j, p, by, "PORT_QOS_MAP", write_qos_map);
    write_pool(&j, p, by);
    write_profiles(&j, p, by);
    write_table(&j, p, by, "BUFFER_PG", write_groups);
    write_pattern(&j, p);
    write_ratio(&j, p);
    json_close(&j, '}');
}

static void
write_row(FILE *out, const struct plan *p, const struct profile *f, bool has_offsets)
{
    uint64_t offset = f->own->xon_offset_bytes;

    fprintf(out, "%llu %llum %llu %llu %llu %lld", (llu)f->mbps, (llu)f->metres, (llu)f->size,
            (llu)f->xon, (llu)f->xoff,
            p->in.static_th_bytes == WEIR_AUTO ? (long long)plan_dynamic_th(&p->in)
                                               : (long long)p->in.static_th_bytes);
    if (has_offsets) {
        fprintf(out, " %llu", offset == WEIR_AUTO ? 0 : (llu)offset);
    }
    fprintf(out, "\n");
}

/* Rows are found by speed and length: of several MTU the largest headroom. */
void
plan_write_lookup(FILE *out, const struct plan *p, const struct plan_request *r)
{
    const struct plan_scheme *by = sonic_scheme(p, r);
    bool has_offsets = false;

    for (size_t i = 0; i < p->n_kinds; i++) {
        has_offsets |= p->kinds[i].profile.xon_offset_bytes != WEIR_AUTO;
    }
    fprintf(out, "# Written by weir plan, %s.\n# speed cable size xon xoff threshold%s\n",
            by->title, has_offsets ? " xon_offset" : "");
    for (size_t i = 0; i < p->n_kinds; i++) {
        struct profile f = profile_of(p, by, &p->kinds[i]);
        bool is_first = true;
        for (size_t j = 0; j < p->n_kinds; j++) {
            struct profile other = profile_of(p, by, &p->kinds[j]);
            bool is_same = other.mbps == f.mbps && other.metres == f.metres;
            is_first &= !is_same || j >= i;
            f = is_same && other.xoff > f.xoff ? other : f;
        }
        if (is_first) {
            write_row(out, p, &f, has_offsets);
        }
    }
}

bool
plan_can_write_lookup(const struct plan *p, struct err *err)
{
    for (size_t i = 0; i < p->n_kinds; i++) {
        if (p->kinds[i].link.rate_bps % 1000000) {
            return err_set(err, "SONiC has speeds in whole Mb/s only");
        }
    }
    return true;
}

bool
plan_can_write_sonic(const struct plan *p, const struct plan_request *r, struct err *err)
{
    uint64_t reserved = reserved_bytes(p, sonic_scheme(p, r));

    for (size_t i = 0; i < r->n_schemes; i++) {
        if (r->schemes[i]->has_outputs) {
            return err_set(err, "SONiC's tables cannot express CaPFC: they have no thresholds at "
                                "which an output queue pauses inputs; leave capfc out of --scheme");
        }
    }
    if (!plan_can_write_lookup(p, err)) {
        return false;
    }
    if (p->in.buffer_bytes == WEIR_AUTO) {
        return err_set(err, "--sonic needs --buffer: the pool is what the headroom leaves of it");
    }
    return reserved < p->in.buffer_bytes ||
           err_set(err,
                   "headroom and xon of all classes of all ports take %llu B of a buffer "
                   "of %llu B: no pool is left",
                   (llu)reserved, (llu)p->in.buffer_bytes);
}
