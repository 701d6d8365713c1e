/* Wait accounting of flows and the roots of their pauses, as JSON for the page: as much as it can
 * show. */

#include <stdlib.h>

#include "base/array.h"
#include "report/flow-waits.h"
#include "report/packed.h"

enum { MAX_FLOWS = 20000, MAX_HOPS_OF = 200, MAX_ROOTS = 100, MAX_PAUSES = 50000 };

/* A table as the page reads it, by columns: each number greater by one, and 0 is none. */
struct packing {
    struct json *j;
    const struct rep_flow_waits *s;
    const void *items;
    size_t n;
};

typedef bool number_of(const struct packing *, size_t i, size_t which, double *);

static void
pack(const struct packing *p, const char *key, number_of *number, size_t which)
{
    uint64_t *numbers = array_new(p->n, sizeof *numbers);

    for (size_t i = 0; i < p->n; i++) {
        double value;
        if (number(p, i, which, &value)) {
            numbers[i] = (value < PACKED_MOST - 1 ? (uint64_t)(value + 0.5) : PACKED_MOST - 1) + 1;
        }
    }
    json_packed(p->j, key, numbers, p->n, 1);
    free(numbers);
}

static void
pack_all(const struct packing *p, const char *const *names, size_t n, number_of *number)
{
    json_number(p->j, "n", p->n);
    for (size_t which = 0; which < n; which++) {
        pack(p, names[which], number, which);
    }
}

/* The parts of what was suffered stand behind the other columns. */
static void
pack_parts(const struct packing *p, size_t first, number_of *number)
{
    for (enum rep_wait what = 0; what < REP_N_WAITS; what++) {
        pack(p, rep_wait_name(what), number, first + what);
    }
}

static bool
id_number(uint32_t id, double *value)
{
    *value = id;
    return id != UINT32_MAX;
}

static size_t
fewer(size_t n, size_t max)
{
    return n < max ? n : max;
}

/* Roots are numbered as they are listed. */
static bool
root_number(const struct rep_flow_waits *s, uint32_t root, double *value)
{
    for (size_t i = 0; i < fewer(s->n_faults, MAX_ROOTS); i++) {
        if (s->faults[i].root == root) {
            *value = (double)i;
            return true;
        }
    }
    return false;
}

/* Flows, the worst first. */

enum flow_column { FLOW, TOTAL, VICTIM, VICTIM_OF, WHAT, AT_PORT, ROOT, PARTS };

static const char *const flow_names[PARTS] = { "flow", "total", "victim", "victim_of",
                                               "what", "port",  "root" };

static bool
flow_number(const struct packing *p, size_t i, size_t which, double *value)
{
    const struct rep_sufferer *f = p->s->worst[i];

    switch ((enum flow_column)which) {
    case FLOW:
        return id_number(f->flow, value);
    case TOTAL:
        *value = f->total_ps;
        return true;
    case VICTIM:
        *value = f->victim_ps;
        return true;
    case VICTIM_OF:
        return root_number(p->s, f->victim_of, value);
    case WHAT:
        *value = f->reason.what;
        return f->reason.port != REC_NO_ID;
    case AT_PORT:
        return id_number(f->reason.port, value);
    case ROOT:
        return root_number(p->s, f->reason.root, value);
    default:
        *value = f->held_ps[which - PARTS];
        return true;
    }
}

static void
write_flows(struct json *j, const struct rep_flow_waits *s)
{
    const struct packing p = { .j = j, .s = s, .n = fewer(s->n_held, MAX_FLOWS) };

    json_open(j, "flows", '{');
    pack_all(&p, flow_names, PARTS, flow_number);
    pack_parts(&p, PARTS, flow_number);
    json_close(j, '}');
}

/* Hops of the worst. */

enum hop_column { HOP_FLOW, HOP_PORT, HOP_CLASS, HOP_PACKETS, HOP_ROOT, HOP_PARTS };

static const char *const hop_names[HOP_PARTS] = { "flow", "port", "class", "packets", "root" };

static bool
hop_root(const struct rep_flow_waits *s, const struct rep_hop *hop, double *value)
{
    const struct rep_share *worst = rep_worst_share(s, hop);
    return worst && root_number(s, worst->root, value);
}

static bool
hop_number(const struct packing *p, size_t i, size_t which, double *value)
{
    const struct rep_hop *hop = ((const struct rep_hop *const *)p->items)[i];

    switch ((enum hop_column)which) {
    case HOP_FLOW:
        return id_number(hop->flow, value);
    case HOP_PORT:
        return id_number(hop->port, value);
    case HOP_CLASS:
        return id_number(hop->cls, value);
    case HOP_PACKETS:
        *value = (double)hop->n_packets;
        return true;
    case HOP_ROOT:
        return hop_root(p->s, hop, value);
    default:
        *value = hop->held_ps[which - HOP_PARTS];
        return true;
    }
}

static void
write_hops(struct json *j, const struct rep_flow_waits *s)
{
    const struct rep_hop **hops = array_new(s->n_hops, sizeof *hops);
    struct packing p = { .j = j, .s = s, .items = hops };

    for (size_t i = 0; i < fewer(s->n_held, MAX_HOPS_OF); i++) {
        for (size_t k = 0; k < s->worst[i]->n_hops; k++) {
            hops[p.n++] = &s->hops[s->worst[i]->first_hop + k];
        }
    }
    json_open(j, "hops", '{');
    pack_all(&p, hop_names, HOP_PARTS, hop_number);
    pack_parts(&p, HOP_PARTS, hop_number);
    json_close(j, '}');
    free(hops);
}

/* Roots. */

static void
write_chain(struct json *j, const struct why *w, const struct why_root *r)
{
    struct why_chain chain = { 0 };

    why_chain_at(w, r->deepest_slot, r->deepest_ps, &chain);
    json_open(j, "chain", '[');
    for (size_t i = 0; i < chain.n; i++) {
        json_number(j, NULL, why_port(w, chain.slots[i]));
    }
    json_close(j, ']');
    json_number(j, "chain_ps", (uint64_t)r->deepest_ps);
    free(chain.slots);
}

/* Null where chains cannot be followed. */
static void
write_victims(struct json *j, const char *key, const struct rep_flow_waits *s, uint64_t n)
{
    if (s->knows_victims) {
        json_number(j, key, n);
    } else {
        json_null(j, key);
    }
}

static void
write_root(struct json *j, const struct rep_flow_waits *s, const struct rep_fault *f)
{
    const struct why_root *r = &s->why->roots[f->root];

    json_open(j, NULL, '{');
    json_text(j, "end", why_end_name(r->end));
    json_open(j, "ports", '[');
    for (uint32_t i = 0; i < r->n_ports; i++) {
        json_number(j, NULL, r->ports[i]);
    }
    json_close(j, ']');
    json_number(j, "class", r->cls);
    json_number(j, "paused_ps", (uint64_t)r->paused_ps);
    json_fixed(j, "held_ps", f->held_ps, 0);
    json_number(j, "flows", f->n_flows);
    write_victims(j, "victims", s, f->n_victims);
    write_chain(j, s->why, r);
    json_close(j, '}');
}

/* Pauses: the longest, in order of time. */

enum pause_column {
    PAUSE_PORT,
    PAUSE_CLASS,
    PAUSE_FROM,
    PAUSE_TO,
    PAUSE_ROOT,
    PAUSE_NEXT,
    N_PAUSE
};

static const char *const pause_names[N_PAUSE] = { "port",  "class", "from_ps",
                                                  "to_ps", "root",  "next" };

static bool
pause_number(const struct packing *p, size_t i, size_t which, double *value)
{
    const struct why_link *l = ((const struct why_link *const *)p->items)[i];
    const struct why *w = p->s->why;

    switch ((enum pause_column)which) {
    case PAUSE_PORT:
        *value = why_port(w, l->slot);
        return true;
    case PAUSE_CLASS:
        *value = l->slot % w->n_classes;
        return true;
    case PAUSE_FROM:
        *value = (double)l->from_ps;
        return true;
    case PAUSE_TO:
        *value = (double)l->to_ps;
        return true;
    case PAUSE_ROOT:
        return id_number(
            w->roots[l->root].end == WHY_RING ? UINT32_MAX : w->roots[l->root].ports[0], value);
    default:
        return id_number(l->next == WHY_NONE ? UINT32_MAX : why_port(w, l->next), value);
    }
}

static int
by_length(const void *a, const void *b)
{
    const struct why_link *x = *(const struct why_link *const *)a,
                          *y = *(const struct why_link *const *)b;
    weir_ps of_x = x->to_ps - x->from_ps, of_y = y->to_ps - y->from_ps;

    return (of_x < of_y) - (of_x > of_y);
}

static int
by_time(const void *a, const void *b)
{
    const struct why_link *x = *(const struct why_link *const *)a,
                          *y = *(const struct why_link *const *)b;
    return (x->from_ps > y->from_ps) - (x->from_ps < y->from_ps);
}

static void
write_pauses(struct json *j, const struct rep_flow_waits *s)
{
    const struct why_link **links = array_new(s->why->n_links, sizeof *links);
    const struct packing p = {
        .j = j, .s = s, .items = links, .n = fewer(s->why->n_links, MAX_PAUSES)
    };

    for (size_t i = 0; i < s->why->n_links; i++) {
        links[i] = &s->why->links[i];
    }
    array_sort(links, s->why->n_links, sizeof *links, by_length);
    array_sort(links, p.n, sizeof *links, by_time);
    json_number(j, "n_pauses", s->why->n_links);
    json_open(j, "pauses", '{');
    pack_all(&p, pause_names, N_PAUSE, pause_number);
    json_close(j, '}');
    free(links);
}

static void
write_waits(struct json *j)
{
    json_open(j, "waits", '[');
    for (enum rep_wait what = 0; what < REP_N_WAITS; what++) {
        json_open(j, NULL, '{');
        json_text(j, "name", rep_wait_name(what));
        json_text(j, "words", rep_wait_words(what));
        json_close(j, '}');
    }
    json_close(j, ']');
}

void
rep_flow_waits_write(struct json *j, const char *key, const struct rep_flow_waits *s)
{
    if (!s->is_recorded) {
        json_null(j, key);
        return;
    }
    json_open(j, key, '{');
    json_number(j, "n_flows", s->n_flows);
    json_number(j, "n_held", s->n_held);
    write_victims(j, "n_victims", s, s->n_victims);
    write_waits(j);
    write_flows(j, s);
    write_hops(j, s);
    json_number(j, "n_roots", s->n_faults);
    json_open(j, "roots", '[');
    for (size_t i = 0; i < fewer(s->n_faults, MAX_ROOTS); i++) {
        write_root(j, s, &s->faults[i]);
    }
    json_close(j, ']');
    write_pauses(j, s);
    json_close(j, '}');
}
