/* Plug-ins and registries: components that can be chosen by name.
 *
 * Flow-control engines, kinds of switches, arbitrations, senders' controls, patterns of flows: each
 * is a descriptor.  A descriptor begins with 'about', its description for users, followed by the
 * facts and hooks of its kind:
 *
 *     const struct weir_engine weir_pfc = {
 *         .about = { .name = "pfc", .title = ..., .source = ..., .params = param_fields, ... },
 *         .limits = WEIR_LIMIT_OPEN,
 *         ...
 *     };
 *
 * A registry lists all plug-ins of one kind.  To add a plug-in, write one file and add one line to
 * the registry.  Scenario keys, their JSON schema, lists on the command line and the tables of doc/
 * follow from it. */

#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include "field.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The description of a plug-in. */
struct weir_plugin {
    const char *name;                /* Used in scenarios, results and transcripts, such as
                                      * "pfc". */
    const char *title;               /* One line for users. */
    const char *source;              /* The standard or paper, with its clause; null: none. */
    const struct weir_field *params; /* The fields of its parameters, with offsets into their
                                      * struct; null: none. */
    size_t params_bytes;
};

/* All plug-ins of one kind. */
struct weir_registry {
    const char *one, *many;                   /* The words for one and for several plug-ins:
                                               * "engine", "engines". */
    const char *title;                        /* Help of the command that lists them: "list ...". */
    const struct weir_plugin *const *plugins; /* The plug-ins in the order shown to users; the last
                                               * entry is null. */
};

/* Declares a registry, and functions that return its plug-ins with their own type, which must begin
 * with 'about':
 *
 *     WEIR_REGISTRY(struct transport, transports, transport)
 *
 * declares the registry 'transports'; transport_at(), which finds a plug-in by number, or null past
 * the last; and transport_find(), which finds a plug-in by name, or null. */
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

/* The plug-in with the given name, or null. */
const struct weir_plugin *weir_plugin_find(const struct weir_registry *, const char *name);

/* The name of the i-th plug-in, counted from 0; null past the last. */
const char *weir_plugin_name(const struct weir_registry *, uint64_t i);

/* Writes up to 'max' names of plug-ins to 'names', and returns their number. */
size_t weir_plugin_names(const struct weir_registry *, const char **names, size_t max);

/* Adds the messages of a plug-in about its parameters to 'text', each line with the name of the
 * plug-in and the field.  It cuts 'said' into lines, so the caller must not use 'said'
 * afterwards. */
void weir_plugin_quote(const struct weir_plugin *, struct weir_text *said, struct weir_text *text);

#ifdef __cplusplus
}
#endif

#endif
