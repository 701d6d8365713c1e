/* The verdict of a plan: which scheme to use and why, and where a switch has too little headroom.
 *
 * The schemes of a plan are not all of a kind.  Three of them are formulas for the headroom of one
 * mechanism, PFC, that differ in their assumptions about peers and chips; the others are other
 * mechanisms, which switches must have.  So a verdict goes by a table of preferences: the formula
 * with the fewest assumptions, given what is known here, goes before the others, and PFC before
 * schemes that few switches have. */

#ifndef PLAN_VERDICT_H
#define PLAN_VERDICT_H

#include "plan/request.h"

struct plan_verdict {
    const struct plan_scheme *use;     /* Null: none of the chosen schemes fits. */
    const struct plan_scheme *nearest; /* Then the one that lacks the fewest bytes; else null. */
    const char *why;                   /* Goes on after "Use PFC, 802.1Q: "; null if none fits. */
    bool is_instead; /* Instead of the configuration, which alone was chosen, but is too little. */
};

struct plan_verdict plan_judge(const struct plan *, const struct plan_request *);

/* The headroom that ports of a kind have, against one formula. */
struct plan_gap {
    size_t kind;
    uint8_t classes; /* The lossless classes concerned. */
    const struct plan_scheme *by;
    uint64_t has_bytes, needs_bytes;
};

static inline uint64_t
plan_short_bytes(const struct plan_gap *g)
{
    return g->needs_bytes > g->has_bytes ? g->needs_bytes - g->has_bytes : 0;
}

/* Against every formula that matters here, those that lack the most first: freed by the caller.
 * None if nothing is configured. */
struct plan_gap *plan_find_gaps(const struct plan *, size_t *n);

/* One word for the headroom that classes of a kind of port have: enough by every formula that
 * matters here, broken by every one, risky where formulas differ. */
enum plan_word { PLAN_ENOUGH, PLAN_RISKY, PLAN_BROKEN };
extern const char *const plan_words[];

struct plan_state {
    size_t kind;
    uint8_t classes;
    uint64_t has_bytes;
    uint64_t least_bytes; /* Minimum of the formula that decides. */
    enum plan_word word;
};

/* All ports whose headroom is known, the worst first; the caller frees it. */
struct plan_state *plan_find_states(const struct plan *, size_t *n);

/* The worst of them; enough if none is known. */
enum plan_word plan_worst_word(const struct plan *);

/* Whether some port has too little by one of them. */
bool plan_is_short(const struct plan *);

/* The same ports in the same order, against the formula of the verdict; where the verdict is
 * another scheme, against the formula with the largest need.  The caller frees it. */
struct plan_gap *plan_find_margins(const struct plan *, const struct plan_request *, size_t *n);

/* Whether some port has too little by that formula, or by every one. */
bool plan_is_lacking(const struct plan *, const struct plan_request *);

/* The largest cell for which the headroom of a scheme holds, by SONiC's formula, which counts
 * cells, if this many of 100 packets are small. 1: only where memory is counted in bytes; 0: not
 * even there. */
uint64_t plan_cell_limit_bytes(const struct plan *, const struct plan_scheme *,
                               uint64_t small_percent);

/* Names in short: "Ethernet0-92, Ethernet128".  A run stands for names that follow each other among
 * all of them, by prefix and number, for any step. */
struct plan_name {
    const char *name;
    bool is_meant;
};

void plan_fold_names(struct plan_name *, size_t n, struct weir_text *); /* Sorts them. */
void plan_fold_ports(const struct plan *, size_t kind, struct weir_text *);

/* The ports of a kind, with the classes that are meant if these are not all: "Ethernet20, class 4".
 */
void plan_fold_slots(const struct plan *, size_t kind, uint8_t classes, struct weir_text *);

#endif
