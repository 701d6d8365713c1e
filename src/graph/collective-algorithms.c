/* The registry of algorithms of collectives. */

#include "graph/collective.h"

#define ALGORITHMS(ONE)                                                                            \
    ONE(coll_ring)                                                                                 \
    ONE(coll_double_binary_tree)                                                                   \
    ONE(coll_halving_doubling)                                                                     \
    ONE(coll_direct)                                                                               \
    ONE(coll_pat)                                                                                  \
    ONE(coll_hierarchical)

#define DECLARE(NAME) extern const struct coll_algorithm NAME;
#define ABOUT(NAME)   &NAME.about,

ALGORITHMS(DECLARE)

const struct weir_registry coll_algorithms = {
    .one = "algorithm",
    .many = "collectives",
    .title = "list algorithms of collectives: which ranks exchange what",
    .plugins = (const struct weir_plugin *const[]){ ALGORITHMS(ABOUT) 0 },
};
