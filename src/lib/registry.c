#include "engines/engines.h"

#include "text.h"

/* One a line, so that adding one is adding a line. */
/* clang-format off */
const struct weir_engine *const weir_engines[] = {
    &weir_none,
    &weir_pfc,
    &weir_cbfc,
    &weir_gfc_conceptual,
    &weir_gfc_buffer,
    &weir_gfc_time,
    &weir_ttl,
    &weir_ecn,
    0,
};
/* clang-format on */

const struct weir_engine *
weir_engine_find(const char *name)
{
    for (const struct weir_engine *const *e = weir_engines; *e; e++) {
        if (weir_text_same((*e)->name, name)) {
            return *e;
        }
    }
    return 0;
}

size_t
weir_engine_names(const char **names, size_t max)
{
    size_t n = 0;
    for (; weir_engines[n] && n < max; n++) {
        names[n] = weir_engines[n]->name;
    }
    return n;
}
