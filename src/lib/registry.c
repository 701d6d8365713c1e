/* All engines, sorted by name.  This is a separate file, so that a host that names its engine links
 * only that engine. */

#include "weir/all-engines.h"

#define ABOUT(NAME) &NAME.about,

static const struct weir_plugin *const engines[] = { WEIR_ENGINES(ABOUT) 0 };

const struct weir_registry weir_engines = {
    .one = "engine",
    .many = "engines",
    .title = "list flow-control schemes, which run at every node",
    .plugins = engines,
};

/* An engine begins with its description, so a pointer to it can be a pointer to its description. */

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
