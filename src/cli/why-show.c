/* Shows in sentences which flows had to wait, and for what. */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/why.h"

enum { MAX_SHOWN = 10 };

/* The minimum share of a flow's wait from which a cause is shown. */
#define WORTH_TELLING 0.005

/* Sentences about all flows. */

static void
show_head(const struct why_job *j)
{
    const struct rep_flow_waits *s = &j->waits;

    printf("run %" PRIu64 ", %s: %zu of %zu flow%s waited", j->run->row->id, j->run->name,
           s->n_waited, s->n_flows, value_plural(s->n_flows));
    if (s->knows_victims && s->n_victims) {
        printf("; %zu %s: blocked by pauses whose root %s never cross%s", s->n_victims,
               s->n_victims == 1 ? "is a victim" : "are victims", s->n_victims == 1 ? "it" : "they",
               s->n_victims == 1 ? "es" : "");
    }
    printf(".\n%s", s->why->is_cut ? "Its pauses change too often to follow all of them; some "
                                     "roots below may be only on the way to the true root.\n"
                    : !s->knows_victims
                        ? "The number of victims is unknown: some flows waited for credit or at a "
                          "lower rate, and only pauses are followed to their root.\n"
                        : "");
}

static void
show_flows(const struct why_job *j)
{
    struct why_flow *rows;
    struct form_table t = why_flows(j, j->waits.n_waited, &rows);
    size_t n = t.n_rows;

    t.n_rows = n < MAX_SHOWN ? n : MAX_SHOWN;
    if (n) {
        printf("\nMost blocked flows, longest wait first: the wait at the sender, and then the "
               "mean wait of each packet on the way\n");
        form_table_show(stdout, &t, FORM_TEXT);
    }
    if (n > t.n_rows) {
        printf("and %zu more; --csv writes all\n", n - t.n_rows);
    }
    free(rows);
}

/* Sentences about roots. */

/* Shows a chain: "H1 to S1 is paused because of S1 to S2, that because of S2 to H9". */
static void
show_chain(const struct why_job *j, const struct why_root *r)
{
    const struct why *w = j->waits.why;
    struct why_chain chain = { 0 };
    struct weir_text text = { 0 };

    why_chain_at(w, r->deepest_slot, r->deepest_ps, &chain);
    for (size_t i = 0; i < chain.n; i++) {
        weir_text_add(&text, "%s",
                      !i       ? ""
                      : i == 1 ? " was paused because of "
                               : ", that because of ");
        why_add_slot(&text, j, chain.slots[i]);
    }
    if (chain.n > 1) {
        weir_text_add(&text, " (at %T)", r->deepest_ps);
        printf("    The longest chain: %s.\n", text.s);
    }
    free(chain.slots);
}

static const char *const root_words[] = {
    [WHY_OUTPUT] = "is not paused itself: more packets arrive than it can send",
    [WHY_PEER] = "is paused by its peer, which names no other cause: it is probably stalled",
    [WHY_DOWN] = "sends nothing: its link is down",
    [WHY_CYCLE] = "waits for itself: each of its ports is paused because of the next",
};

static void
show_fault(const struct why_job *j, const struct rep_root_effect *f)
{
    const struct why_root *r = &j->waits.why->roots[f->root];
    struct weir_text name = { 0 }, paused = { 0 }, held = { 0 };

    why_add_root(&name, j, f->root);
    why_add_time(&paused, (double)r->paused_ps);
    why_add_time(&held, f->held_ps);
    printf("  blocked flows for %s in all: %s %s.\n", held.s, name.s, root_words[r->end]);
    printf("    Because of it ports were paused for %s in all, and %" PRIu64 " flow%s blocked",
           paused.s, f->n_flows, f->n_flows == 1 ? " was" : "s were");
    if (j->waits.knows_victims && f->n_victims) {
        printf(", of which %" PRIu64 " %s never cross%s it", f->n_victims,
               f->n_victims == 1 ? "is a victim and" : "are victims and",
               f->n_victims == 1 ? "es" : "");
    }
    printf(".\n");
    show_chain(j, r);
}

static void
show_faults(const struct why_job *j)
{
    const struct rep_flow_waits *s = &j->waits;
    size_t n = s->n_faults < MAX_SHOWN ? s->n_faults : MAX_SHOWN;

    printf("\nRoots of pauses that blocked flows, with the time of all flows together, longest "
           "first\n");
    for (size_t i = 0; i < n; i++) {
        show_fault(j, &s->faults[i]);
    }
    if (n < s->n_faults) {
        printf("  and %zu more; --json writes all\n", s->n_faults - n);
    }
}

/* Shows the number of roots whose pauses blocked no flow, because no flow waited at the paused
 * ports. */
static void
show_harmless(const struct rep_flow_waits *s)
{
    size_t n = s->why->n_roots - s->n_faults;

    if (n) {
        printf("\nPauses from %zu %sroot%s blocked no flow.\n", n, s->n_faults ? "other " : "",
               value_plural(n));
    }
}

void
why_show_all(const struct why_job *j)
{
    show_head(j);
    if (j->waits.n_waited) {
        show_flows(j);
    }
    if (j->only_victims) {
        return;
    }
    if (j->waits.n_faults) {
        show_faults(j);
    }
    show_harmless(&j->waits);
}

/* Sentences about one flow. */

/* Shows the parts of a wait: "1.2 us by pauses, 3 us by packets before its own". */
static void
show_parts(const double held_ps[REP_N_WAITS], double total_ps)
{
    struct weir_text text = { 0 };

    for (enum rep_wait what = 0; what < REP_N_WAITS; what++) {
        if (held_ps[what] > WORTH_TELLING * total_ps) {
            weir_text_add(&text, "%s", text.len ? ", " : "");
            why_add_time(&text, held_ps[what]);
            weir_text_add(&text, " by %s", rep_waits[what].words);
        }
    }
    printf("%s", text.len ? text.s : "no wait");
}

static void
show_share(const struct why_job *j, const struct rep_share *share)
{
    struct weir_text text = { 0 };

    why_add_time(&text, share->held_ps);
    if (share->root == WHY_NONE) {
        weir_text_add(&text, " of pauses that were not recorded");
    } else {
        weir_text_add(&text, " of the pauses because of ");
        why_add_root(&text, j, share->root);
        weir_text_add(&text, "%s",
                      share->is_crossed ? ", which it crosses" : ", which it never crosses");
    }
    printf("       %s\n", text.s);
}

static void
show_hop(const struct why_job *j, const struct rep_hop *hop, size_t number, double total_ps)
{
    struct weir_text port = { 0 };

    rep_add_port(&port, &j->names, hop->port, hop->cls);
    printf("  %zu. %s, %s: ", number, port.s, hop->is_sender ? "at its sender" : "per packet");
    show_parts(hop->held_ps, total_ps);
    printf("\n");
    for (size_t i = 0; i < hop->n_shares; i++) {
        const struct rep_share *share = &j->waits.shares[hop->first_share + i];
        if (share->held_ps > WORTH_TELLING * total_ps) {
            show_share(j, share);
        }
    }
}

void
why_show_flow(const struct why_job *j)
{
    const struct rep_blocked_flow *f = j->flow;
    struct weir_text sender = { 0 }, way = { 0 }, victim = { 0 };
    char name[REP_FLOW_BYTES];

    why_add_time(&sender, f->sender_ps);
    why_add_time(&way, f->total_ps - f->sender_ps);
    why_add_time(&victim, f->victim_ps);
    printf("Flow %s waited %s at its sender; each of its packets then waited %s on the way, on "
           "average.\nCauses: ",
           rep_flow_name(&j->flow_names, f->flow, name), sender.s, way.s);
    show_parts(f->held_ps, f->total_ps);
    printf(".\n");
    if (f->victim_of != WHY_NONE) {
        printf("It is a victim: for %s it was blocked by pauses whose root it never crosses.\n",
               victim.s);
    }
    for (size_t i = 0; i < f->n_hops; i++) {
        show_hop(j, &j->waits.hops[f->first_hop + i], i + 1, f->total_ps);
    }
}
