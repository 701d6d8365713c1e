/* The engines, for the registry. */

#ifndef WEIR_LIB_ENGINES_H
#define WEIR_LIB_ENGINES_H

#include "weir/engine.h"

extern const struct weir_engine weir_none;
extern const struct weir_engine weir_pfc;
extern const struct weir_engine weir_cbfc;
extern const struct weir_engine weir_gfc_conceptual;
extern const struct weir_engine weir_gfc_buffer;
extern const struct weir_engine weir_gfc_time;
extern const struct weir_engine weir_ttl;
extern const struct weir_engine weir_ecn;

#endif
