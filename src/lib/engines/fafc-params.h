/* The parameters of FAFC, and whether they fit a node. */

#ifndef WEIR_LIB_FAFC_PARAMS_H
#define WEIR_LIB_FAFC_PARAMS_H

#include "weir/engine.h"

enum fafc_decide { FAFC_AT_PERIOD, FAFC_AT_DEQUEUE };
enum fafc_condition { FAFC_BY_RATE, FAFC_BY_BACKLOG };

enum fafc_calm { FAFC_BY_PAIR, FAFC_BY_OUTPUT };

enum fafc_frames { FAFC_OWN_FRAMES, FAFC_PFC_FRAMES };

enum { FAFC_PS_PER_NS = 1000, FAFC_QUANTUM_BYTES = 64 };

struct fafc_params {
    uint64_t pause_bytes, ecn_bytes, calm_bytes;
    uint64_t period_ps;
    uint64_t alpha, beta, decrease;
    uint64_t predicts, decide, condition, calm_by, allocate, memory, quanta, slow, least, offset;
    uint64_t frames, opcode;
};

extern const struct weir_field weir_fafc_fields[];

void weir_fafc_derive(const struct weir_shape *, void *params);

/* Refuses parameters, or adds one line for each warning. */
bool weir_fafc_fits(const struct weir_shape *, const struct fafc_params *, struct weir_text *);

static inline bool
fafc_counts_quanta(const struct fafc_params *p)
{
    return p->quanta || p->frames == FAFC_PFC_FRAMES;
}

/* NICs are paused but pause no peer. */
static inline bool
fafc_is_nic(const struct weir_shape *shape)
{
    return shape->tier == 0;
}

#endif
