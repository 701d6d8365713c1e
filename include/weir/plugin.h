/* Plug-ins and registries: components that can be chosen by name.
 *
 * Flow-control engines, kinds of switches, arbitrations, senders' controls, patterns of flows: each
 * is a descriptor.  It begins with 'about', its description for users, and goes on with the facts
 * and hooks of its own kind:
 *
 *     const struct weir_engine weir_pfc = {
 *         .about = { .name = "pfc", .title = ..., .source = ..., .params = param_fields, ... },
 *         .limits = WEIR_LIMIT_OPEN,
 *         ...
 *     };
 *
 * A registry lists all of one kind.  Adding one is one file and one line of the registry: scenario
 * keys, their JSON schema, lists on the command line and the pages of doc/ follow from it. */

#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The description of a plug-in. */
struct weir_plugin {
    const char *name;                /* "pfc": in scenarios, results and transcripts. */
    const char *title;               /* One line for people. */
    const char *source;              /* Standard or paper, with its clause; null: none. */
    const struct weir_field *params; /* Offsets into its parameters; null: it has none. */
    size_t params_bytes;
};

/* All plug-ins of one kind. */
struct weir_registry {
    const char *one, *many;                   /* "engine", "engines". */
    const char *title;                        /* A command that shows the list: "list ...". */
    const struct weir_plugin *const *plugins; /* As shown to users; ends with null. */
};

/* Declares a registry, and a getter for its plug-ins with their own type, which begins with
 * 'about':
 *
 *     WEIR_REGISTRY(struct transport, transports, transport)
 *
 * declares transports; transport_at(), by number, null past the last; transport_find(), by name,
 * null if there is none. */
#define WEIR_REGISTRY(TYPE, MANY, ONE)                                                             \
    extern const struct weir_registry MANY;                                                        \
                                                                                                   \
    static inline const TYPE *ONE##_at(uint64_t i)                                                 \
    {                                                                                              \
        return (const TYPE *)MANY.plugins[i];                                                      \
    }                                                                                              \
                                                                                                   \
    static inline const TYPE *ONE##_find(const char *name)                                         \
    {                                                                                              \
        return (const TYPE *)weir_plugin_find(&MANY, name);                                        \
    }

/* The plug-in with that name, or null. */
const struct weir_plugin *weir_plugin_find(const struct weir_registry *, const char *name);

/* The name of the one with a number, counted from 0; null past the last. */
const char *weir_plugin_name(const struct weir_registry *, uint64_t i);

/* Puts up to 'max' of the names into 'names', and returns how many: for callers that offer a
 * choice.
 */
size_t weir_plugin_names(const struct weir_registry *, const char **names, size_t max);

/* Adds to 'text' the messages of a plug-in about its parameters, each line with its name and field.
 * It consumes 'said'. */
void weir_plugin_quote(const struct weir_plugin *, struct weir_text *said, struct weir_text *text);

#ifdef __cplusplus
}
#endif

#endif
