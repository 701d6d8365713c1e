/* A plan for SONiC: tables of config_db.json, and rows of pg_profile_lookup.ini. */

#include <string.h>

#include "base/json.h"
#include "plan/files.h"

typedef unsigned long long llu; /* As printf() has it. */

/* The formula for headroom: SONiC's own, unless another was asked for.  What is configured is no
 * formula. */
static const struct plan_scheme *
sonic_scheme(const struct plan_request *r)
{
    for (size_t i = 0; i < r->n_schemes; i++) {
        const struct plan_scheme *s = r->schemes[i];
        if (!strcmp(s->key, "pfc") || !strcmp(s->key, "pfc-802.1q")) {
            return s;
        }
    }
    return plan_scheme_find("pfc-sonic");
}

struct profile {
    uint64_t mbps, metres, xon, xoff, size;
    char name[80];
};

/* Lengths are whole metres there: rounded up, and the headroom for that. */
static struct profile
profile_of(const struct plan *p, const struct plan_request *r, const struct plan_kind *kind)
{
    struct profile f = { .mbps = kind->link.rate_bps / 1000000,
                         .metres = (kind->cable_mm + 999) / 1000,
                         .xon = p->in.xon_bytes };
    struct plan_kind k = *kind;

    k.cable_mm = 1000 * f.metres;
    k.link.cable_ps = plan_cable_ps(k.cable_mm);
    f.xoff = plan_slot_need(p, sonic_scheme(r), &k).headroom_bytes;
    f.size = f.xon + f.xoff;
    snprintf(f.name, sizeof f.name, "pg_lossless_%llu_%llum_mtu%u_profile", (llu)f.mbps,
             (llu)f.metres, k.link.mtu_bytes);
    return f;
}

static uint64_t
reserved_bytes(const struct plan *p, const struct plan_request *r)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < p->n_kinds; i++) {
        const struct plan_kind *k = &p->kinds[i];
        bytes += (uint64_t)k->n_ports * k->n_classes * profile_of(p, r, k).size;
    }
    return bytes;
}

static bool
is_in_kind(const struct plan_port *port, const struct plan_kind *k)
{
    return port->rate_bps == k->link.rate_bps && port->cable_mm == k->cable_mm &&
           port->mtu_bytes == k->link.mtu_bytes && port->lossless == k->lossless;
}

static const struct plan_kind *
kind_of(const struct plan *p, const struct plan_port *port)
{
    const struct plan_kind *k = p->kinds;
    while (!is_in_kind(port, k)) {
        k++;
    }
    return k;
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
write_pool(struct json *j, const struct plan *p, const struct plan_request *r)
{
    json_open(j, "BUFFER_POOL", '{');
    json_open(j, "ingress_lossless_pool", '{');
    json_text(j, "type", "ingress");
    json_text(j, "mode", p->in.static_th_bytes == WEIR_AUTO ? "dynamic" : "static");
    write_number(j, "size", p->in.buffer_bytes - reserved_bytes(p, r));
    json_close(j, '}');
    json_close(j, '}');
}

/* Whether an earlier kind has the same profile: kinds may differ in their classes alone. */
static bool
is_written(const struct plan *p, const struct plan_request *r, size_t kind)
{
    struct profile f = profile_of(p, r, &p->kinds[kind]);
    size_t i = 0;

    while (i < kind && strcmp(profile_of(p, r, &p->kinds[i]).name, f.name)) {
        i++;
    }
    return i < kind;
}

static void
write_threshold(struct json *j, const struct plan *p)
{
    char exponent[8];

    if (p->in.xon_offset_bytes != WEIR_AUTO) {
        write_number(j, "xon_offset", p->in.xon_offset_bytes);
    }
    if (p->in.static_th_bytes != WEIR_AUTO) {
        write_number(j, "static_th", p->in.static_th_bytes);
    } else {
        snprintf(exponent, sizeof exponent, "%d", plan_dynamic_th(&p->in));
        json_text(j, "dynamic_th", exponent);
    }
}

static void
write_profiles(struct json *j, const struct plan *p, const struct plan_request *r)
{
    json_open(j, "BUFFER_PROFILE", '{');
    for (size_t i = 0; i < p->n_kinds; i++) {
        struct profile f = profile_of(p, r, &p->kinds[i]);
        if (is_written(p, r, i)) {
            continue;
        }
        json_open(j, f.name, '{');
        json_text(j, "pool", "ingress_lossless_pool");
        write_number(j, "size", f.size);
        write_number(j, "xon", f.xon);
        write_number(j, "xoff", f.xoff);
        write_threshold(j, p);
        json_close(j, '}');
    }
    json_close(j, '}');
}

/* Something of every port that has lossless classes. */
static void
write_table(struct json *j, const struct plan *p, const struct plan_request *r, const char *name,
            void (*write)(struct json *, const struct plan *, const struct plan_request *,
                          const struct plan_port *))
{
    json_open(j, name, '{');
    for (size_t i = 0; i < p->n_ports; i++) {
        if (p->ports[i].lossless) {
            write(j, p, r, &p->ports[i]);
        }
    }
    json_close(j, '}');
}

static void
write_port(struct json *j, const struct plan *p, const struct plan_request *r,
           const struct plan_port *port)
{
    (void)p, (void)r;
    json_open(j, port->name, '{');
    write_number(j, "speed", port->rate_bps / 1000000);
    write_number(j, "mtu", port->mtu_bytes);
    json_close(j, '}');
}

static void
write_cable(struct json *j, const struct plan *p, const struct plan_request *r,
            const struct plan_port *port)
{
    char length[24];

    snprintf(length, sizeof length, "%llum", (llu)profile_of(p, r, kind_of(p, port)).metres);
    json_text(j, port->name, length);
}

static void
write_qos_map(struct json *j, const struct plan *p, const struct plan_request *r,
              const struct plan_port *port)
{
    char classes[3 * WEIR_MAX_CLASSES] = "";
    size_t len = 0;

    (void)p, (void)r;
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
write_groups(struct json *j, const struct plan *p, const struct plan_request *r,
             const struct plan_port *port)
{
    struct profile f = profile_of(p, r, kind_of(p, port));

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
        json_text(j, "profile", f.name);
        json_close(j, '}');
    }
}

static void
write_pattern(struct json *j, const struct plan_input *in)
{
    json_open(j, "LOSSLESS_TRAFFIC_PATTERN", '{');
    json_open(j, "AZURE", '{');
    if (in->lossless_mtu_bytes != WEIR_AUTO) {
        write_number(j, "mtu", in->lossless_mtu_bytes);
    }
    write_number(j, "small_packet_percentage", in->small_percent);
    json_close(j, '}');
    json_close(j, '}');
}

void
plan_write_sonic(FILE *out, const struct plan *p, const struct plan_request *r)
{
    struct json j = { .out = out, .lines = 2 };

    json_open(&j, NULL, '{');
    write_table(&j, p, r, "PORT", write_port);
    json_open(&j, "CABLE_LENGTH", '{');
    write_table(&j, p, r, "AZURE", write_cable);
    json_close(&j, '}');
    write_table(&j, p, r, "PORT_QOS_MAP", write_qos_map);
    write_pool(&j, p, r);
    write_profiles(&j, p, r);
    write_table(&j, p, r, "BUFFER_PG", write_groups);
    write_pattern(&j, &p->in);
    json_close(&j, '}');
}

/* Rows are found by speed and length: of several MTU the largest headroom. */
void
plan_write_lookup(FILE *out, const struct plan *p, const struct plan_request *r)
{
    fprintf(out, "# Written by weir plan, %s.\n# speed cable size xon xoff threshold%s\n",
            sonic_scheme(r)->title, p->in.xon_offset_bytes == WEIR_AUTO ? "" : " xon_offset");
    for (size_t i = 0; i < p->n_kinds; i++) {
        struct profile f = profile_of(p, r, &p->kinds[i]);
        bool is_first = true;
        for (size_t j = 0; j < p->n_kinds; j++) {
            struct profile other = profile_of(p, r, &p->kinds[j]);
            bool is_same = other.mbps == f.mbps && other.metres == f.metres;
            is_first &= !is_same || j >= i;
            f = is_same && other.xoff > f.xoff ? other : f;
        }
        if (!is_first) {
            continue;
        }
        fprintf(out, "%llu %llum %llu %llu %llu %lld", (llu)f.mbps, (llu)f.metres, (llu)f.size,
                (llu)f.xon, (llu)f.xoff,
                p->in.static_th_bytes == WEIR_AUTO ? (long long)plan_dynamic_th(&p->in)
                                                   : (long long)p->in.static_th_bytes);
        if (p->in.xon_offset_bytes != WEIR_AUTO) {
            fprintf(out, " %llu", (llu)p->in.xon_offset_bytes);
        }
        fprintf(out, "\n");
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
    uint64_t reserved = reserved_bytes(p, r);

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
