/* The registry of patterns of flows. */

#include "workload/pattern.h"

/* One a line, so that adding one is adding a line. */
#define PATTERNS(ONE)                                                                              \
    ONE(wl_poisson)                                                                                \
    ONE(wl_closed)                                                                                 \
    ONE(wl_permutation)                                                                            \
    ONE(wl_incast)                                                                                 \
    ONE(wl_query)                                                                                  \
    ONE(wl_all_to_all)                                                                             \
    ONE(wl_ring_allreduce)                                                                         \
    ONE(wl_ping)

#define DECLARE(NAME) extern const struct wl_pattern NAME;
#define ABOUT(NAME)   &NAME.about,

PATTERNS(DECLARE)
static const struct weir_plugin *const all[] = { PATTERNS(ABOUT) 0 };

const struct weir_registry wl_patterns = {
    .one = "pattern",
    .many = "patterns",
    .title = "Traffic patterns: who sends to whom, when, and how much",
    .plugins = all,
};

const struct wl_pattern *
wl_pattern_at(uint64_t i)
{
    return (const struct wl_pattern *)all[i];
}

const struct wl_pattern *
wl_pattern_find(const char *name)
{
    return (const struct wl_pattern *)weir_plugin_find(&wl_patterns, name);
}
