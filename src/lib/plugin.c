/* Finds plug-ins of any registry by name, and quotes their messages. */

#include "weir/plugin.h"

#include "format.h"

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
    uint32_t n = 0;

    for (char *line = said->s, *next; *line; line = next, n++) {
        next = weir_cut_line(line);
        add_line(text, about, line, n < WEIR_TEXT_LINES ? said->params[n] : 0);
    }
}
