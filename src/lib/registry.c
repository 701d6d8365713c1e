/* The engines, and how plug-ins of any registry are found by name. */

#include "engines/engines.h"

#include "format.h"

/* One a line, so that adding one is adding a line. */
/* clang-format off */
static const struct weir_plugin *const engines[] = {
    &weir_none.about,
    &weir_pfc.about,
    &weir_cbfc.about,
    &weir_gfc_conceptual.about,
    &weir_gfc_buffer.about,
    &weir_gfc_time.about,
    &weir_ttl.about,
    &weir_ecn.about,
    0,
};
/* clang-format on */

const struct weir_registry weir_engines = {
    .one = "engine",
    .many = "engines",
    .title = "Flow-control schemes that run at every node, alone or in a stack",
    .plugins = engines,
};

const struct weir_plugin *
weir_plugin_find(const struct weir_registry *registry, const char *name)
{
    for (const struct weir_plugin *const *p = registry->plugins; *p; p++) {
        if (weir_text_same((*p)->name, name)) {
            return *p;
        }
    }
    return 0;
}

const char *
weir_plugin_name(const struct weir_registry *registry, uint64_t i)
{
    for (uint64_t k = 0; k < i; k++) {
        if (!registry->plugins[k]) {
            return 0;
        }
    }
    return registry->plugins[i] ? registry->plugins[i]->name : 0;
}

size_t
weir_plugin_names(const struct weir_registry *registry, const char **names, size_t max)
{
    size_t n = 0;
    for (; registry->plugins[n] && n < max; n++) {
        names[n] = registry->plugins[n]->name;
    }
    return n;
}

/* An engine begins with what is told about it. */

const struct weir_engine *
weir_engine_at(uint32_t i)
{
    return (const struct weir_engine *)engines[i];
}

const struct weir_engine *
weir_engine_find(const char *name)
{
    return (const struct weir_engine *)weir_plugin_find(&weir_engines, name);
}
