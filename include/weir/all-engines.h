/* The engines of the library, by name.
 *
 * A host that names its engine, as in weir_stack_add(&stack, &weir_pfc), links that engine alone. A
 * host that calls weir_engine_find("pfc") links all engines. */

#ifndef WEIR_ALL_ENGINES_H
#define WEIR_ALL_ENGINES_H

#include "engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Lists all engines, one on each line. */
#define WEIR_ENGINES(ONE)                                                                          \
    ONE(weir_none)                                                                                 \
    ONE(weir_pfc)                                                                                  \
    ONE(weir_cbfc)                                                                                 \
    ONE(weir_gfc_conceptual)                                                                       \
    ONE(weir_gfc_buffer)                                                                           \
    ONE(weir_gfc_time)                                                                             \
    ONE(weir_ttl)                                                                                  \
    ONE(weir_capfc)                                                                                \
    ONE(weir_ecn)                                                                                  \
    ONE(weir_qcn)                                                                                  \
    ONE(weir_fafc)

#define WEIR_DECLARE_ENGINE(NAME) extern const struct weir_engine NAME;
WEIR_ENGINES(WEIR_DECLARE_ENGINE)
#undef WEIR_DECLARE_ENGINE

#ifdef __cplusplus
}
#endif

#endif
