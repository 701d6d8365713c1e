/* The registry of patterns of flows. */

#include "workload/pattern.h"

#define PATTERNS(ONE)                                                                              \
    ONE(wl_poisson)                                                                                \
    ONE(wl_closed)                                                                                 \
    ONE(wl_permutation)                                                                            \
    ONE(wl_incast)                                                                                 \
    ONE(wl_query)                                                                                  \
    ONE(wl_all_to_all)                                                                             \
    ONE(wl_ring_allreduce)                                                                         \
    ONE(wl_all_reduce)                                                                             \
    ONE(wl_all_gather)                                                                             \
    ONE(wl_reduce_scatter)                                                                         \
    ONE(wl_broadcast)                                                                              \
    ONE(wl_barrier)                                                                                \
    ONE(wl_send_recv)                                                                              \
    ONE(wl_goal)                                                                                   \
    ONE(wl_chakra)                                                                                 \
    ONE(wl_simai)                                                                                  \
    ONE(wl_ping)

#define DECLARE(NAME) extern const struct wl_pattern NAME;
#define ABOUT(NAME)   &NAME.about,

PATTERNS(DECLARE)

const struct weir_registry wl_patterns = {
    .one = "pattern",
    .many = "patterns",
    .title = "list traffic patterns: sources, destinations, times and sizes",
    .plugins = (const struct weir_plugin *const[]){ PATTERNS(ABOUT) 0 },
};
