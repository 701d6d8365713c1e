/* Writes the sentences of a plan: its verdict, schemes that do not fit, warnings. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "planner/planner.h"

uint64_t
planner_rounded_up(uint64_t bytes)
{
    uint64_t unit = 1;

    while (bytes / unit >= 1000) {
        unit *= 10;
    }
    return (bytes + unit - 1) / unit * unit;
}

const char *
planner_formula(const struct plan_scheme *s)
{
    const char *comma = strchr(s->title, ',');
    return comma ? comma + 2 : s->title;
}

void
planner_add_margin(uint64_t needs_bytes, uint64_t has_bytes, struct weir_text *said)
{
    bool is_short = has_bytes < needs_bytes;

    weir_text_add(said, is_short ? "-%b" : "%b",
                  is_short ? needs_bytes - has_bytes : has_bytes - needs_bytes);
}

void
planner_add_link(const struct plan_kind *k, struct weir_text *said)
{
    weir_text_add(said, "%r, ", k->link.rate_bps);
    value_add_length(said, k->cable_mm);
}

void
planner_add_kind(const struct plan *p, const struct plan_kind *k, struct weir_text *line)
{
    weir_text_add(line, "%u port%s of ", (uint64_t)k->n_ports, k->n_ports > 1 ? "s" : "");
    planner_add_link(k, line);
    weir_text_add(line, " (%t), MTU %u B, response %t; %u lossless class%s", k->link.cable_ps,
                  (uint64_t)k->link.mtu_bytes, k->link.response_ps, (uint64_t)k->n_classes,
                  k->n_classes > 1 ? "es" : "");
    if (p->n_kinds > 1) {
        weir_text_add(line, "; ");
        plan_fold_ports(p, (size_t)(k - p->kinds), line);
    }
}

/* Schemes that fit or do not fit. */

/* Adds the limits of a remedy, such as "1 class and cables of up to 94 m". */
static void
add_caps(const struct plan_caps *c, struct weir_text *said)
{
    const char *and = "";

    if (c->classes != PLAN_NOTHING) {
        weir_text_add(said, c->classes == 1 ? "%u class" : "%u classes", c->classes);
        and = " and ";
    }
    if (c->cable_mm != PLAN_NOTHING) {
        weir_text_add(said, c->cable_mm ? "%scables of up to " : "%sno cable at all", and);
        if (c->cable_mm) { /* Lengths of at least one metre are cut to whole metres. */
            value_add_length(said, c->cable_mm - (c->cable_mm < 1000 ? 0 : c->cable_mm % 1000));
        }
        and = " and ";
    }
    if (c->mtu_bytes != PLAN_NOTHING) {
        weir_text_add(said, "%san MTU of %u B", and, c->mtu_bytes);
    }
}

static void
add_remedies(const struct plan *p, const struct plan_scheme *s, struct weir_text *said)
{
    const struct plan_caps least = { 1, 0, PLAN_LEAST_MTU };
    struct plan_caps remedies[PLAN_MAX_REMEDIES];
    size_t n = plan_find_remedies(p, s, remedies);
    char room[GROUPED_BYTES];

    for (size_t i = 0; i < n; i++) {
        weir_text_add(said, i ? ", or " : "; it would fit with ");
        add_caps(&remedies[i], said);
    }
    if (!n) {
        weir_text_add(said, "; %s B even with 1 class, no cable and an MTU of 256 B",
                      table_grouped(plan_capped_bytes(p, s, &least), room));
    }
}

static void
add_classes(const struct plan *p, const struct plan_scheme *s, struct weir_text *said)
{
    weir_text_add(said, "%u classes for each port, but PFC frames have only %u",
                  plan_scheme_classes(p, s, &p->kinds[0]), (uint64_t)WEIR_MAX_CLASSES);
}

void
planner_add_misfit(const struct plan *p, const struct plan_scheme *s, struct weir_text *said)
{
    struct plan_need need = plan_need(p, s);
    uint64_t bytes = plan_least_bytes(&need);
    char room[GROUPED_BYTES];

    weir_text_add(said, "%s needs ", s->title);
    if (!plan_scheme_has_classes(p, s)) {
        add_classes(p, s, said);
        return;
    }
    weir_text_add(said, "%s B, ", table_grouped(bytes, room));
    weir_text_add(said, "%s B more than there is", table_grouped(bytes - p->in.buffer_bytes, room));
    add_remedies(p, s, said);
}

/* Adds whether a plan fits, such as "yes, 5.99 MB to spare", "no, 718 KB too little". */
void
planner_add_fits(const struct plan *p, const struct plan_scheme *s, struct weir_text *said)
{
    struct plan_need need = plan_need(p, s);
    uint64_t least = plan_least_bytes(&need), buffer = p->in.buffer_bytes;

    if (!plan_scheme_has_classes(p, s)) {
        weir_text_add(said, "no, ");
        add_classes(p, s, said);
    } else if (least > buffer) {
        weir_text_add(said, "no, %b too little", least - buffer);
    } else {
        weir_text_add(said, "yes, %b to spare%s%s", buffer - least,
                      buffer - need.headroom_bytes < need.busy_bytes ? ", without C RTT" : "",
                      plan_lacks_hops(p, s) ? ", but needs a class for every hop (--hops)" : "");
    }
}

static void
add_nothing_fits(const struct plan *p, const struct plan_scheme *nearest, struct weir_text *said)
{
    if (p->in.buffer_bytes == WEIR_AUTO) {
        weir_text_add(said, "Nothing can be used: ");
        planner_add_misfit(p, nearest, said);
        return;
    }
    weir_text_add(said, "Nothing fits a buffer of %b. Nearest: ", p->in.buffer_bytes);
    planner_add_misfit(p, nearest, said);
}

/* Cells: a packet takes whole cells, so a small packet takes more than its bytes. */

bool
planner_counts_bytes(const struct plan_scheme *s)
{
    return !strcmp(s->key, "pfc") || !strcmp(s->key, "pfc-802.1q");
}

/* Adds a limit such as "for cells of up to 640 B". */
static void
add_cell_limit(uint64_t limit, struct weir_text *said)
{
    if (limit > 1) {
        weir_text_add(said, "for cells of up to %u B", limit);
    } else {
        weir_text_add(said, "only where the chip counts bytes");
    }
}

static void
add_small(uint64_t percent, struct weir_text *said)
{
    if (percent) {
        weir_text_add(said, " if %u %% of packets are small", percent);
    } else {
        weir_text_add(said, " if no packet is small");
    }
}

static void
add_unknown_cells(const struct plan *p, const struct plan_scheme *s, struct weir_text *said)
{
    uint64_t small = p->in.small_percent;
    uint64_t large_limit = plan_cell_limit_bytes(p, s, p->knows_cells ? small : 0);

    weir_text_add(said,
                  " Without --cell, only SONiC's formula assumes cells, of %u B. This headroom "
                  "holds ",
                  p->in.cell_bytes);
    add_cell_limit(large_limit, said);
    if (p->knows_cells) {
        add_small(small, said);
        weir_text_add(said, ".");
    } else if (large_limit <= 1) {
        weir_text_add(said, ".");
    } else {
        weir_text_add(said, " if packets are of full size, and ");
        add_cell_limit(plan_cell_limit_bytes(p, s, 100), said);
        weir_text_add(said, " if they are of 64 B.");
    }
}

static void
add_known_cells(const struct plan *p, const struct plan_scheme *s, struct weir_text *said)
{
    const struct plan_scheme *sonic = plan_scheme_find("pfc-sonic");
    uint64_t most = 0;

    if (plan_cell_limit_bytes(p, s, p->in.small_percent) >= p->in.cell_bytes) {
        return;
    }
    for (size_t i = 0; i < p->n_kinds; i++) {
        uint64_t bytes = plan_slot_need(p, sonic, &p->kinds[i]).headroom_bytes;
        most = bytes > most ? bytes : most;
    }
    weir_text_add(said, " It does not hold in cells of %u B", p->in.cell_bytes);
    add_small(p->in.small_percent, said);
    weir_text_add(said, ": SONiC's formula, which counts cells, asks for up to %b.",
                  planner_rounded_up(most));
}

static void
add_cells(const struct plan *p, const struct plan_scheme *s, struct weir_text *said)
{
    if (!strcmp(s->key, "pfc-sonic") && !p->knows_cell) {
        weir_text_add(said,
                      " Without --cell, SONiC's formula assumes cells of %u B; this headroom "
                      "holds for cells of up to that size.",
                      p->in.cell_bytes);
    } else if (planner_counts_bytes(s)) {
        (p->knows_cell ? add_known_cells : add_unknown_cells)(p, s, said);
    }
}

/* Adds the recommendation. Configured headroom is not a formula to use; it is kept or replaced. */
static void
add_use(const struct plan *p, const struct plan_verdict *v, struct weir_text *said)
{
    if (strcmp(v->use->key, "pfc-configured")) {
        weir_text_add(said, "Use %s: %s", v->use->title, v->why);
    } else {
        weir_text_add(said, "Keep what is configured: %s enough by every formula that applies%s",
                      plan_pool_word(p) ? "each class alone has" : "it is",
                      plan_knows_configured(p) ? "" : ", where it is known");
    }
}

void
planner_add_verdict(const struct plan *p, const struct plan_verdict *v, struct weir_text *said)
{
    uint64_t least = 0, most = 0;

    if (v->is_instead) {
        weir_text_add(said, "Do not keep what is configured: %s %s%s. ",
                      plan_is_short(p) ? "it is" : "the shared headroom pool is",
                      plan_words[plan_worst_word(p)], plan_is_short(p) ? " on some ports" : "");
    }
    if (!v->use) {
        add_nothing_fits(p, v->nearest, said);
        weir_text_add(said, ".");
        return;
    }
    for (size_t i = 0; i < p->n_kinds; i++) {
        uint64_t bytes = plan_slot_need(p, v->use, &p->kinds[i]).headroom_bytes;
        least = !i || bytes < least ? bytes : least;
        most = bytes > most ? bytes : most;
    }
    add_use(p, v, said);
    weir_text_add(said, ". Headroom of ");
    if (least < most) {
        weir_text_add(said, "%b to ", planner_rounded_up(least));
    }
    uint64_t headroom = plan_need(p, v->use).headroom_bytes, buffer = p->in.buffer_bytes;
    weir_text_add(said, "%b for each class of each port takes %b", planner_rounded_up(most),
                  planner_rounded_up(headroom));
    if (buffer == WEIR_AUTO) {
        weir_text_add(said, "; whether that fits is not known without --buffer.");
    } else {
        weir_text_add(said, " of %b and leaves %b to share.", buffer, buffer - headroom);
    }
    if (p->assumes_mtu) {
        weir_text_add(said, " An MTU of %u B is assumed (--mtu).", p->in.mtu_bytes);
    }
    add_cells(p, v->use, said);
}

/* Configured headroom. */

void
planner_add_lack(const struct plan_gap *g, struct weir_text *said)
{
    uint64_t lack = plan_short_bytes(g);

    weir_text_add(said, lack ? "too little by %b" : "enough, %b to spare",
                  lack ? lack : g->has_bytes - g->needs_bytes);
}

bool
planner_has_enough(const struct plan *p)
{
    return plan_knows_configured(p) && !plan_is_short(p) && plan_pool_word(p) == PLAN_ENOUGH;
}

void
planner_add_state(const struct plan *p, const struct plan_state *state, struct weir_text *said)
{
    plan_fold_slots(p, state->kind, state->classes, said);
    weir_text_add(said, ": %s", plan_words[state->word]);
}

enum { MAX_BROKEN = PLANNER_MAX_WARNINGS / 2 };

/* Warns of headroom with which packets are lost by every formula. The last warning has the number
 * of further ports. */
static size_t
add_broken(const struct plan *p, struct weir_text said[PLANNER_MAX_WARNINGS])
{
    size_t n_states, n = 0, n_broken = 0;
    struct plan_state *states = plan_find_states(p, &n_states);

    for (size_t i = 0; i < n_states; i++) {
        n_broken += states[i].word == PLAN_BROKEN;
    }
    for (size_t i = 0; i < n_states && n < MAX_BROKEN; i++) {
        if (states[i].word == PLAN_BROKEN) {
            said[n] = (struct weir_text){ 0 };
            planner_add_state(p, &states[i], &said[n]);
            weir_text_add(&said[n++], ": configured %b, no formula asks for less than %b",
                          states[i].has_bytes, planner_rounded_up(states[i].least_bytes));
        }
    }
    free(states);
    if (n < n_broken) {
        said[n] = (struct weir_text){ 0 };
        weir_text_add(&said[n++], "%u more kinds of ports are broken", n_broken - MAX_BROKEN);
    }
    return n;
}

/* Warns of a shared headroom pool that is not enough for all classes at once. */
static size_t
add_pool(const struct plan *p, struct weir_text *said)
{
    struct plan_pool pool;
    char bytes[GROUPED_BYTES], needs[GROUPED_BYTES], sum[GROUPED_BYTES];

    if (!plan_find_pool(p, &pool) || pool.word == PLAN_ENOUGH) {
        return 0;
    }
    *said = (struct weir_text){ 0 };
    weir_text_add(said, "the shared headroom pool is %s: it has %s B, ", plan_words[pool.word],
                  table_grouped(pool.bytes, bytes));
    if (pool.word == PLAN_BROKEN) {
        weir_text_add(said, "but one class of one port needs %s B by %s",
                      table_grouped(pool.need.bytes, needs), planner_formula(pool.need.by));
    } else {
        weir_text_add(said, "room for %u of %u classes of ports at once by %s, and all need %s B",
                      pool.n_at_once, pool.n_classes, planner_formula(pool.need.by),
                      table_grouped(pool.need.sum_bytes, sum));
    }
    return 1;
}

/* Warns of ports to which SONiC, and so the plan, gives no headroom. */
static size_t
add_left_out(const struct plan *p, struct weir_text *said)
{
    struct plan_name *names = array_new(p->n_ports, sizeof *names);
    size_t n = 0;

    for (int is_down = 0; is_down < 2; is_down++) {
        struct weir_text ports = { 0 };
        for (size_t i = 0; i < p->n_ports; i++) {
            const struct plan_port *port = &p->ports[i];
            bool is_left_out = is_down ? port->is_down : port->is_unwired && !port->is_down;
            names[i] = (struct plan_name){ port->name, is_left_out };
        }
        plan_fold_names(names, p->n_ports, &ports);
        if (ports.len) {
            said[n] = (struct weir_text){ 0 };
            weir_text_add(&said[n++], "%s: not planned, since %s; SONiC gives no lossless profile",
                          ports.s, is_down ? "admin_status is down" : "the cable is 0 m");
        }
    }
    free(names);
    return n;
}

static void
add_losses(const struct plan *p, const struct plan_proof *proof, struct weir_text *said)
{
    *said = (struct weir_text){ 0 };
    plan_fold_slots(p, proof->kind, proof->classes, said);
    weir_text_add(said,
                  ": %s loses %u packet%s of a class at worst, when simulated (%s): %b has to be "
                  "%b",
                  proof->what, proof->n_inside_lost, proof->n_inside_lost > 1 ? "s" : "", proof->of,
                  proof->bound_bytes, planner_rounded_up(proof->needed_bytes));
}

size_t
planner_add_warnings(const struct planner_shown *w, struct weir_text said[PLANNER_MAX_WARNINGS])
{
    size_t n = add_broken(w->p, said);

    n += add_pool(w->p, said + n);
    if (n + 2 <= PLANNER_MAX_WARNINGS) {
        n += add_left_out(w->p, said + n);
    }
    n += plan_warnings(w->p, said + n, PLANNER_MAX_WARNINGS - n);
    for (size_t i = 0; i < w->p->n_warned && n < PLANNER_MAX_WARNINGS; i++) {
        said[n++] = w->p->warned[i];
    }
    for (size_t i = 0; i < w->n_proofs && n < PLANNER_MAX_WARNINGS; i++) {
        if (w->proofs[i].inside_dropped) {
            add_losses(w->p, &w->proofs[i], &said[n++]);
        }
    }
    return n;
}
