/* Computes the names and numbers of profiles that are written for a switch with SONiC.
 *
 * A profile in the file keeps its name, so that the groups that refer to it get the new numbers.
 * New profiles get the names that the switch gives them.  The static manager uses
 * pg_lossless_SPEED_CABLE_profile, and makes every group of a port refer to it (sonic-swss,
 * cfgmgr/buffermgr.cpp).  The dynamic manager adds the MTU if it is not 9100, and "_8lane" at some
 * ports of NVIDIA's switches (cfgmgr/buffermgrdyn.cpp).
 *
 * Ports whose profiles have the same name share the numbers: the largest that any of them needs.  A
 * configured value is never lowered, unless an option says so. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/files.h"
#include "plan/verdict.h"

enum { KIB = 1024, DEFAULT_MTU = 9100 };

static uint64_t
max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t
round_up(uint64_t bytes, uint64_t grain)
{
    return (bytes + grain - 1) / grain * grain;
}

/* Rounds up to whole cells, if their size is known: chips allocate memory in cells, whose size is
 * rarely published. */
static uint64_t
whole_cells(const struct plan *p, uint64_t bytes)
{
    return p->knows_cell ? round_up(bytes, p->in.cell_bytes) : bytes;
}

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

uint64_t
plan_sonic_metres(const struct plan_port *port)
{
    return max(1, (port->cable_mm + 999) / 1000);
}

/* The headroom by the formula, for a cable length that is rounded up to metres. */
static uint64_t
asked_bytes(const struct plan *p, const struct plan_scheme *by, const struct plan_port *port)
{
    struct plan_kind k = p->kinds[port->kind];

    k.cable_mm = 1000 * plan_sonic_metres(port);
    k.link.cable_ps = plan_cable_ps(k.cable_mm);
    return whole_cells(p, round_up(plan_slot_need(p, by, &k).headroom_bytes, KIB));
}

/* Names of profiles. */

/* Whether the name of a port's profile has "_8lane". It does not at the fastest ports of a model,
 * which always have 8 lanes. The model's number follows "sn" in the platform. */
static bool
is_named_8lane(const struct plan *p, const struct plan_port *port)
{
    const char *sn = strstr(p->platform, "sn");
    int generation = sn ? atoi(sn + 2) / 1000 : 0;
    uint64_t fastest_gbps = generation == 5 ? 800 : 400;

    return p->is_dynamic && port->profile.has_8_lanes && (generation == 4 || generation == 5) &&
           port->rate_bps != fastest_gbps * UINT64_C(1000000000);
}

static void
name_new(const struct plan *p, const struct plan_port *port, char name[PLAN_WORD_BYTES])
{
    char mtu[16] = "";

    if (p->is_dynamic && port->mtu_bytes != DEFAULT_MTU) {
        snprintf(mtu, sizeof mtu, "_mtu%u", port->mtu_bytes);
    }
    snprintf(name, PLAN_WORD_BYTES, "pg_lossless_%llu_%llum%s%s_profile",
             (unsigned long long)(port->rate_bps / 1000000),
             (unsigned long long)plan_sonic_metres(port), mtu,
             is_named_8lane(p, port) ? "_8lane" : "");
}

static const struct plan_named *
find_named(const struct plan *p, const char *name)
{
    size_t i = 0;

    while (i < p->n_profiles && strcmp(p->profiles[i].name, name)) {
        i++;
    }
    return i < p->n_profiles ? &p->profiles[i] : NULL;
}

/* Numbers of profiles. */

/* Finds or adds the profile of a port's class, and returns 1 + its index. */
static uint32_t
profile_of(struct plan_patch *patch, const struct plan *p, const struct plan_request *r,
           const struct plan_port *port, int cls)
{
    uint32_t nth = port->groups[cls].profile;
    struct plan_written f = { .own = port->profile };

    if (nth) {
        strcpy(f.name, p->profiles[nth - 1].name);
    } else {
        name_new(p, port, f.name);
    }
    for (size_t i = 0; i < patch->n; i++) {
        if (!strcmp(patch->items[i].name, f.name)) {
            return (uint32_t)(i + 1);
        }
    }
    f.was = find_named(p, f.name);
    if (f.was) {
        f.own = plan_named_profile(p, f.was, port->profile.has_8_lanes);
        plan_override_profile(&f.own, r);
    }
    ARRAY_PUSH(patch->items, patch->n, patch->max) = f;
    return (uint32_t)patch->n;
}

/* Merges the need of a port into a profile; a new profile has the largest need of all its ports. */
static void
merge(struct plan_written *f, const struct plan_profile *own, uint64_t asked)
{
    f->asked_bytes = max(f->asked_bytes, asked);
    if (!f->was) {
        f->own.xon_bytes = max(f->own.xon_bytes, own->xon_bytes);
        f->own.own_bytes = max(f->own.own_bytes, own->own_bytes);
    }
}

/* Whether headroom is not a part of the size: it is in addition, or in a shared pool. */
static bool
is_apart(const struct plan *p, const struct plan_profile *f)
{
    return f->is_beside || plan_shares_headroom(p);
}

/* The minimum xoff of a profile whose headroom is in addition to its size: SONiC recognizes such a
 * profile by an xoff larger than the size. In a new profile, smaller headroom is made a part of the
 * size; in a profile of the file the xoff must be larger. */
static uint64_t
least_apart_bytes(struct plan_written *f, const struct plan *p)
{
    bool is_beside = f->own.is_beside && !plan_shares_headroom(p);

    if (is_beside && !f->was && f->own.own_bytes >= f->asked_bytes) {
        f->own.is_beside = is_beside = false;
        f->own.own_bytes = f->own.xon_bytes;
    }
    return is_beside ? round_up(f->own.own_bytes + 1, KIB) : 0;
}

static void
finish(struct plan_written *f, const struct plan *p, bool may_lower)
{
    uint64_t least_xoff = f->was && !may_lower ? f->was->xoff_bytes : 0;
    uint64_t least_size = f->was && !may_lower ? f->was->size_bytes : 0;
    uint64_t offset = f->own.xon_offset_bytes;

    least_xoff = least_xoff ? least_xoff : least_apart_bytes(f, p);
    f->xoff_bytes = whole_cells(p, max(f->asked_bytes, least_xoff));
    uint64_t size = f->own.own_bytes + (is_apart(p, &f->own) ? 0 : f->xoff_bytes);
    f->size_bytes = whole_cells(p, max(size, least_size));
    if (is_apart(p, &f->own) && f->size_bytes == f->xoff_bytes && !plan_shares_headroom(p)) {
        f->xoff_bytes += p->in.cell_bytes; /* Both were rounded up to the same value. */
    }
    f->xon_bytes = whole_cells(p, f->own.xon_bytes);
    f->xon_offset_bytes = offset == WEIR_AUTO ? offset : whole_cells(p, offset);
}

static void
assign(struct plan_patch *patch, const struct plan *p, const struct plan_request *r)
{
    patch->of = array_new(p->n_ports, sizeof *patch->of);
    for (size_t i = 0; i < p->n_ports; i++) {
        const struct plan_port *port = &p->ports[i];
        uint64_t asked = port->lossless ? asked_bytes(p, patch->by, port) : 0;
        for (int cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
            if (port->lossless >> cls & 1) {
                patch->of[i][cls] = profile_of(patch, p, r, port, cls);
                merge(&patch->items[patch->of[i][cls] - 1], &port->profile, asked);
            }
        }
    }
    for (size_t i = 0; i < patch->n; i++) {
        finish(&patch->items[i], p, r->may_lower);
    }
}

/* Memory that profiles reserve. */

static uint64_t
group_bytes(const struct plan *p, const struct plan_written *f)
{
    bool has_more = is_apart(p, &f->own) && !plan_shares_headroom(p);
    return f->size_bytes + (has_more ? f->xoff_bytes : 0);
}

static uint64_t
old_group_bytes(const struct plan *p, const struct plan_named *f)
{
    bool has_more = f->size_bytes < f->xoff_bytes && !plan_shares_headroom(p);
    return f->size_bytes + (has_more ? f->xoff_bytes : 0);
}

/* The written profile that replaces a profile of the file; null: it is not replaced. */
static struct plan_written *
written_of(const struct plan_patch *patch, const struct plan_named *named)
{
    for (size_t i = 0; i < patch->n; i++) {
        if (patch->items[i].was == named) {
            return &patch->items[i];
        }
    }
    return NULL;
}

/* Counts a group that is not planned, which keeps its profile. If its memory is a part of the
 * buffer, the pool must leave space for all of it, else only for its growth. Returns its headroom
 * in the buffer. */
static uint64_t
count_other(struct plan_patch *patch, const struct plan *p, const struct plan_group *group)
{
    const struct plan_named *named = &p->profiles[group->profile - 1];
    struct plan_written *f = written_of(patch, named);
    uint64_t before = old_group_bytes(p, named), now = f ? group_bytes(p, f) : before;
    uint64_t more = now > before ? now - before : 0;

    if (f) {
        f->n_groups++;
    }
    patch->bytes += group->is_in_buffer ? now : more;
    return !group->is_in_buffer ? 0 : f ? f->xoff_bytes : named->xoff_bytes;
}

static void
count(struct plan_patch *patch, const struct plan *p)
{
    uint64_t n_ports = 0, xoff = 0;

    for (size_t i = 0; i < p->n_ports; i++) {
        const struct plan_port *port = &p->ports[i];
        n_ports += port->lossless != 0;
        for (int cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
            uint32_t nth = patch->of[i][cls];
            if (nth) {
                struct plan_written *f = &patch->items[nth - 1];
                f->n_groups++;
                patch->bytes += group_bytes(p, f);
                xoff += f->xoff_bytes;
            } else if (port->groups[cls].profile) {
                xoff += count_other(patch, p, &port->groups[cls]);
            }
        }
    }
    patch->bytes += plan_headroom_pool_bytes(p, xoff, n_ports);
}

struct plan_patch
plan_patch_of(const struct plan *p, const struct plan_request *r)
{
    struct plan_patch patch = { .by = sonic_scheme(p, r) };

    assign(&patch, p, r);
    count(&patch, p);
    return patch;
}

void
plan_patch_free(struct plan_patch *patch)
{
    free(patch->items);
    free(patch->of);
    *patch = (struct plan_patch){ 0 };
}

enum plan_change
plan_change_of(const struct plan_written *f)
{
    if (!f->was) {
        return PLAN_NEW;
    }
    if (f->xoff_bytes < f->was->xoff_bytes || f->size_bytes < f->was->size_bytes) {
        return PLAN_LOWERED;
    }
    if (f->xoff_bytes > f->was->xoff_bytes || f->size_bytes > f->was->size_bytes) {
        return PLAN_RAISED;
    }
    return f->asked_bytes < f->was->xoff_bytes ? PLAN_KEPT : PLAN_SAME;
}
