/* Writes a plan for SONiC: tables of config_db.json, and rows of pg_profile_lookup.ini. */

#include <string.h>

#include "base/json.h"
#include "plan/files.h"

typedef unsigned long long llu; /* Arguments like printf()'s. */

/* Writes a number as a string, as SONiC does. */
static void
write_number(struct json *j, const char *key, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof text, "%llu", (llu)number);
    json_text(j, key, text);
}

/* Writes a reference as "name", or as "[TABLE|name]" if the file has this form. */
static void
write_reference(struct json *j, const struct plan *p, const char *key, const char *table,
                const char *name)
{
    char text[2 * PLAN_WORD_BYTES];

    snprintf(text, sizeof text, p->has_brackets ? "[%s|%s]" : "%s%s", p->has_brackets ? table : "",
             name);
    json_text(j, key, text);
}

static const char *
pool_name(const struct plan *p)
{
    return p->pool_name[0] ? p->pool_name : "ingress_lossless_pool";
}

static void
write_pool(struct json *j, const struct plan *p, const struct plan_patch *patch)
{
    json_open(j, "BUFFER_POOL", '{');
    json_open(j, pool_name(p), '{');
    json_text(j, "type", "ingress");
    json_text(j, "mode", p->in.static_th_bytes == WEIR_AUTO ? "dynamic" : "static");
    write_number(j, "size", p->in.buffer_bytes - patch->bytes);
    if (p->headroom_pool.bytes) { /* Without a size, the ratio determines the size of the pool. */
        write_number(j, "xoff", p->headroom_pool.bytes);
    }
    json_close(j, '}');
    json_close(j, '}');
}

static void
write_threshold(struct json *j, const struct plan *p, const struct plan_written *f)
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
write_profiles(struct json *j, const struct plan *p, const struct plan_patch *patch)
{
    json_open(j, "BUFFER_PROFILE", '{');
    for (size_t i = 0; i < patch->n; i++) {
        const struct plan_written *f = &patch->items[i];
        json_open(j, f->name, '{');
        write_reference(j, p, "pool", "BUFFER_POOL", pool_name(p));
        write_number(j, "size", f->size_bytes);
        write_number(j, "xon", f->xon_bytes);
        write_number(j, "xoff", f->xoff_bytes);
        write_threshold(j, p, f);
        json_close(j, '}');
    }
    json_close(j, '}');
}

/* Writes a table with an entry for every port that has lossless classes. */
static void
write_table(struct json *j, const struct plan *p, const struct plan_patch *patch, const char *name,
            void (*write)(struct json *, const struct plan *, const struct plan_patch *,
                          const struct plan_port *))
{
    json_open(j, name, '{');
    for (size_t i = 0; i < p->n_ports; i++) {
        if (p->ports[i].lossless) {
            write(j, p, patch, &p->ports[i]);
        }
    }
    json_close(j, '}');
}

static void
write_port(struct json *j, const struct plan *p, const struct plan_patch *patch,
           const struct plan_port *port)
{
    (void)p, (void)patch;
    json_open(j, port->name, '{');
    write_number(j, "speed", port->rate_bps / 1000000);
    write_number(j, "mtu", port->mtu_bytes);
    if (port->lanes[0]) {
        json_text(j, "lanes", port->lanes);
    }
    json_close(j, '}');
}

static void
write_cable(struct json *j, const struct plan *p, const struct plan_patch *patch,
            const struct plan_port *port)
{
    char length[24];

    (void)p, (void)patch;
    snprintf(length, sizeof length, "%llum", (llu)plan_sonic_metres(port));
    json_text(j, port->name, length);
}

static void
write_qos_map(struct json *j, const struct plan *p, const struct plan_patch *patch,
              const struct plan_port *port)
{
    struct weir_text classes = { 0 };

    (void)p, (void)patch;
    plan_add_classes(port->lossless, &classes);
    json_open(j, port->name, '{');
    json_text(j, "pfc_enable", classes.s);
    json_close(j, '}');
}

/* The last class of the group that begins with this class: that of the file, or the end of a range
 * of classes without an entry. */
static int
last_of_group(const struct plan_port *port, int cls)
{
    int last = cls;

    if (port->groups[cls].profile) {
        return port->groups[cls].last;
    }
    while (last + 1 < WEIR_MAX_CLASSES && port->lossless >> (last + 1) & 1 &&
           !port->groups[last + 1].profile) {
        last++;
    }
    return last;
}

/* Writes the groups of a port, such as "Ethernet0|3-4", with the keys of the file. */
static void
write_groups(struct json *j, const struct plan *p, const struct plan_patch *patch,
             const struct plan_port *port)
{
    for (int cls = 0, last; cls < WEIR_MAX_CLASSES; cls = last + 1) {
        last = cls;
        if (!(port->lossless >> cls & 1)) {
            continue;
        }
        int first = port->groups[cls].profile ? port->groups[cls].first : cls;
        last = last_of_group(port, cls);
        char key[PLAN_NAME_BYTES + 8];
        snprintf(key, sizeof key, last > first ? "%s|%d-%d" : "%s|%d", port->name, first, last);
        json_open(j, key, '{');
        write_reference(j, p, "profile", "BUFFER_PROFILE",
                        patch->items[patch->of[port - p->ports][cls] - 1].name);
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

/* Writes the metadata from which names of profiles follow. Without them, a reader of the written
 * file would derive other names. */
static void
write_metadata(struct json *j, const struct plan *p)
{
    if (!p->platform[0] && !p->is_dynamic) {
        return;
    }
    json_open(j, "DEVICE_METADATA", '{');
    json_open(j, "localhost", '{');
    if (p->platform[0]) {
        json_text(j, "platform", p->platform);
    }
    if (p->is_dynamic) {
        json_text(j, "buffer_model", "dynamic");
    }
    json_close(j, '}');
    json_close(j, '}');
}

void
plan_write_sonic(FILE *out, const struct plan *p, const struct plan_request *r)
{
    struct plan_patch patch = plan_patch_of(p, r);
    struct json j = { .out = out, .lines = 2 };

    json_open(&j, NULL, '{');
    write_metadata(&j, p);
    write_table(&j, p, &patch, "PORT", write_port);
    json_open(&j, "CABLE_LENGTH", '{');
    write_table(&j, p, &patch, "AZURE", write_cable);
    json_close(&j, '}');
    write_table(&j, p, &patch, "PORT_QOS_MAP", write_qos_map);
    write_pool(&j, p, &patch);
    write_profiles(&j, p, &patch);
    write_table(&j, p, &patch, "BUFFER_PG", write_groups);
    write_pattern(&j, p);
    write_ratio(&j, p);
    json_close(&j, '}');
    plan_patch_free(&patch);
}

static void
write_row(FILE *out, const struct plan *p, const struct plan_port *port,
          const struct plan_written *f, bool has_offsets)
{
    uint64_t offset = f->xon_offset_bytes;

    fprintf(out, "%llu %llum %llu %llu %llu %lld", (llu)(port->rate_bps / 1000000),
            (llu)plan_sonic_metres(port), (llu)f->size_bytes, (llu)f->xon_bytes, (llu)f->xoff_bytes,
            p->in.static_th_bytes == WEIR_AUTO ? (long long)plan_dynamic_th(&p->in)
                                               : (long long)p->in.static_th_bytes);
    if (has_offsets) {
        fprintf(out, " %llu", offset == WEIR_AUTO ? 0 : (llu)offset);
    }
    fprintf(out, "\n");
}

static bool
is_same_row(const struct plan_port *a, const struct plan_port *b)
{
    return a->lossless && b->lossless && a->rate_bps == b->rate_bps &&
           plan_sonic_metres(a) == plan_sonic_metres(b);
}

/* The profile with the largest headroom among ports with the same speed and length as this one;
 * null: an earlier port has the row. */
static const struct plan_written *
row_of(const struct plan *p, const struct plan_patch *patch, size_t port)
{
    const struct plan_written *most = NULL;

    for (size_t i = 0; i < p->n_ports; i++) {
        if (!is_same_row(&p->ports[i], &p->ports[port])) {
            continue;
        }
        if (i < port) {
            return NULL;
        }
        for (int cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
            uint32_t nth = patch->of[i][cls];
            const struct plan_written *f = nth ? &patch->items[nth - 1] : NULL;
            most = f && (!most || f->xoff_bytes > most->xoff_bytes) ? f : most;
        }
    }
    return most;
}

/* Writes the lookup table. Rows are found by speed and length, so if the MTUs of ports differ, the
 * largest headroom is used. */
void
plan_write_lookup(FILE *out, const struct plan *p, const struct plan_request *r)
{
    struct plan_patch patch = plan_patch_of(p, r);
    bool has_offsets = false;

    for (size_t i = 0; i < patch.n; i++) {
        has_offsets |= patch.items[i].xon_offset_bytes != WEIR_AUTO;
    }
    fprintf(out, "# Written by weir plan, %s.\n# speed cable size xon xoff threshold%s\n",
            patch.by->title, has_offsets ? " xon_offset" : "");
    for (size_t i = 0; i < p->n_ports; i++) {
        const struct plan_written *f = row_of(p, &patch, i);
        if (f) {
            write_row(out, p, &p->ports[i], f, has_offsets);
        }
    }
    plan_patch_free(&patch);
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
    struct plan_patch patch = plan_patch_of(p, r);
    uint64_t reserved = patch.bytes;

    plan_patch_free(&patch);
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
        return err_set(err, "--sonic needs --buffer: the pool is the buffer less the headroom");
    }
    return reserved < p->in.buffer_bytes ||
           err_set(err,
                   "headroom and xon of all classes of all ports take %llu B of a buffer "
                   "of %llu B: no pool is left",
                   (llu)reserved, (llu)p->in.buffer_bytes);
}
