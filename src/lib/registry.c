/* The engines, and how plug-ins of any registry are found by name. */

#include "weir/engine.h"

#include "format.h"

/* One a line, so that adding one is adding a line. */
#define ENGINES(ONE)                                                                               \
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

#define DECLARE(NAME) extern const struct weir_engine NAME;
#define ABOUT(NAME)   &NAME.about,

ENGINES(DECLARE)
static const struct weir_plugin *const engines[] = { ENGINES(ABOUT) 0 };

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

static void
add_line(struct weir_text *text, const struct weir_plugin *about, const char *line,
         const char *param)
{
    weir_text_add(text, "%s%s: %s", text->len ? "\n" : "", about->name, line);
    if (text->n_breaks < WEIR_TEXT_LINES) {
        text->fields[text->n_breaks] = weir_field_find(about->params, param);
    }
}

void
weir_plugin_quote(const struct weir_plugin *about, struct weir_text *said, struct weir_text *text)
{
    char *line = said->s;
    uint32_t n = 0;

    for (char *at = said->s; *line; at++) {
        bool is_last = !*at;
        if (is_last || *at == '\n') {
            *at = '\0';
            add_line(text, about, line, n < WEIR_TEXT_LINES ? said->params[n] : 0);
            line = is_last ? at : at + 1;
            n++;
        }
    }
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
