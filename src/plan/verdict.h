/* The verdict of a plan: the scheme to use, the reason, and the ports with too little headroom.
 *
 * Three schemes of a plan are formulas for the headroom of one mechanism, PFC, with different
 * assumptions about peers and chips.  The others are other mechanisms, which switches must support.
 * So a verdict follows a table of preferences: the formula with the fewest unknown assumptions
 * comes first, and PFC comes before schemes that few switches have. */

#ifndef PLAN_VERDICT_H
#define PLAN_VERDICT_H

#include "plan/request.h"

struct plan_verdict {
    const struct plan_scheme *use; /* Null: none of the chosen schemes fits. */
    /* If 'use' is null: the scheme that lacks the fewest bytes; else null. */
    const struct plan_scheme *nearest;
    const char *why; /* The reason, which follows "Use PFC, 802.1Q: "; null if none fits. */
    /* The request included only the configuration, which has too little headroom, so 'use' replaces
     * it. */
    bool is_instead;
};

struct plan_verdict plan_judge(const struct plan *, const struct plan_request *);

/* The configured headroom of ports of a kind, compared with one formula. */
struct plan_gap {
    size_t kind;
    uint8_t classes; /* The lossless classes that this is about. */
    const struct plan_scheme *by;
    uint64_t has_bytes, needs_bytes;
};

static inline uint64_t
plan_short_bytes(const struct plan_gap *g)
{
    return g->needs_bytes > g->has_bytes ? g->needs_bytes - g->has_bytes : 0;
}

/* The gaps by every relevant formula, the largest first; none if nothing is configured. The caller
 * frees them. */
struct plan_gap *plan_find_gaps(const struct plan *, size_t *n);

/* A rating of the headroom of a kind's classes: enough by every relevant formula, broken by every
 * one, or risky if formulas differ. */
enum plan_word { PLAN_ENOUGH, PLAN_RISKY, PLAN_BROKEN };
extern const char *const plan_words[];

struct plan_state {
    size_t kind;
    uint8_t classes;
    uint64_t has_bytes;
    uint64_t least_bytes; /* The minimum by the deciding formula. */
    enum plan_word word;
};

/* Whether a formula is relevant for the headroom of a switch. */
bool plan_is_relevant(const struct plan *, const struct plan_scheme *);

/* The largest need of one class of one port by a formula, and the need of all classes of all
 * ports. */
struct plan_need_of_class {
    const struct plan_scheme *by;
    uint64_t bytes, sum_bytes;
};
struct plan_need_of_class plan_largest_need(const struct plan *, const struct plan_scheme *);

/* A pool of headroom that all classes of all ports share. It is broken if, by every relevant
 * formula, it has less than one class of one port needs. It is enough if, by every one of them, all
 * classes can use it at once. Else it is risky. */
struct plan_pool {
    uint64_t bytes; /* The bytes that one class of one port can take. */
    /* The bytes that all ports can take, including the private parts of ports. */
    uint64_t all_bytes;
    struct plan_need_of_class need; /* The need by the relevant formula for which it is largest. */
    uint64_t n_classes;             /* The number of lossless classes of all ports. */
    /* The number of classes with that need for which the pool is large enough. */
    uint64_t n_at_once;
    enum plan_word word;
};

/* Rates the pool. Returns false if headroom is not shared, or none is configured. */
bool plan_find_pool(const struct plan *, struct plan_pool *);

/* The rating of the shared pool; enough if there is none. */
enum plan_word plan_pool_word(const struct plan *);

/* The states of all ports whose headroom is known, the worst first; the caller frees them. */
struct plan_state *plan_find_states(const struct plan *, size_t *n);

/* The worst rating of all ports and of the shared pool; enough if no headroom is known. */
enum plan_word plan_worst_word(const struct plan *);

/* Whether some port has too little headroom by a relevant formula. */
bool plan_is_short(const struct plan *);

/* The ports of plan_find_states() in the same order, compared with the verdict's formula, or with
 * the formula that has the largest need if the verdict is another scheme. The caller frees the
 * result. */
struct plan_gap *plan_find_margins(const struct plan *, const struct plan_request *, size_t *n);

/* Whether some port, or the shared pool, has too little headroom by the verdict's formula, or by
 * every formula. */
bool plan_is_lacking(const struct plan *, const struct plan_request *);

/* The largest cell size for which the headroom of a scheme is sufficient, by SONiC's formula, with
 * this percentage of small packets. 1: it is sufficient only if memory is counted in bytes; 0: not
 * even then. */
uint64_t plan_cell_limit_bytes(const struct plan *, const struct plan_scheme *,
                               uint64_t small_percent);

/* Abbreviates names: "Ethernet0-92, Ethernet128". A range stands for names that follow each other,
 * with any step, when all names are sorted by prefix and number. */
struct plan_name {
    const char *name;
    bool is_meant;
};

/* Sorts the names, and writes them. */
void plan_fold_names(struct plan_name *, size_t n, struct weir_text *);
void plan_fold_ports(const struct plan *, size_t kind, struct weir_text *);

/* Writes the ports of a kind, such as "Ethernet20, class 4". The classes are left out if they are
 * all classes of the port. */
void plan_fold_slots(const struct plan *, size_t kind, uint8_t classes, struct weir_text *);

#endif
