/* From trees to a struct scenario: common parts of the files of this room.
 *
 *     load.c      files, bases and --set -> one tree
 *     resolve.c   the entry; maps by their tables; sections
 *     choice.c    what plug-ins add to the tables
 *     engines.c, roles.c, network.c, routes.c, flows.c, workloads.c, record.c, claims.c
 *                 a part of the scenario each
 *     import*.c   networks and flows in the formats of others
 *     values.c    and back to text; value-text.c has the text of each
 *     origins.c   where values were given, for errors that are about them
 *
 * All that can fail returns false with the reason in r->err. */

#ifndef SCN_RESOLVER_H
#define SCN_RESOLVER_H

#include <stdio.h>

#include "scenario/lines.h"
#include "scenario/scenario.h"

enum top_key {
    TOP_NAME,
    TOP_BASE,
    TOP_ENGINE,
    TOP_INSIDE,
    TOP_ENGINES,
    TOP_ROLES,
    TOP_FLOWS,
    TOP_WORKLOAD,
    TOP_STALLS,
    TOP_EXPECT,
    TOP_CLAIMS,
    N_TOP
};

struct resolver {
    struct scenario *s;
    const struct scn_source *main;
    const struct scn_files *files;
    struct scn_source **others; /* Texts that were read on the way. */
    size_t n_others, max_others;
    struct scn_node *root;
    bool *is_changed;         /* [link]: true if the scenario sets something of it. */
    uint32_t role;            /* The one being read: 1 + its number; 0: none. */
    uint32_t speed;           /* The same. */
    struct weir_stack *stack; /* The one being read. */
    struct err *err;
};

/* load.c.  The whole tree, or null.  Trees point into sources, which the resolver keeps. */
struct scn_node *scn_load(struct resolver *, const char *const *sets, size_t n_sets);

/* The file that a word names, as seen from the file where the word stands. */
const struct scn_source *scn_load_other(struct resolver *, const struct scn_node *word);
void scn_free_others(struct resolver *);

/* From now on the files that a source names are seen from the folder above its own. */
void scn_see_from_above(struct resolver *, const struct scn_source *);

/* table.c.  A file that has nothing but a network, and further keys of a topology from names. */
extern const struct scn_table scn_net_table;
extern const struct scn_key *const scn_names_keys, scn_hpcc_keys[];

/* choice.c.  The plug-in that a field of the map at 'base' has chosen, and its parameters there. */
const struct weir_plugin *scn_chosen(const struct scn_table *, const struct scn_choice *,
                                     const void *base);

/* The choice that a field of a table is, or null. */
const struct scn_choice *scn_choice_of(const struct scn_table *, const struct weir_field *);

/* Fills in defaults, those of the plug-ins that are chosen by default, too. */
void scn_default_map(const struct scn_table *, void *base);

/* Chooses what the words of a map name, before anything else is read, and fills in the defaults of
 * what is chosen.  Words that name nothing choose nothing: they are refused as values later. */
void scn_choose(const struct scn_node *map, const struct scn_table *, void *base);

/* The field of a map with that name, and the place of its value: null where it means nothing to the
 * chosen plug-in. */
const struct weir_field *scn_find_field(const struct scn_table *, void *base, const char *name,
                                        void **at);

/* All keys that a map may have, given the choice. */
enum { SCN_MAX_NAMES = 128 };

size_t scn_list_names(const struct scn_table *, const void *base, const char *names[SCN_MAX_NAMES]);

/* All that the plug-ins of a choice add to a map. */
size_t scn_choice_names(const struct scn_table *, const struct scn_choice *,
                        const char *names[SCN_MAX_NAMES]);

/* resolve.c.  Keeps unread lines for a warning, if there are any. */
void scn_note_tail(struct resolver *, const struct scn_source *, struct scn_tail);

/* A file that is read as a network, and further results of its reader. */
struct scn_reading {
    const struct scn_source *source;
    const struct scn_node *topology; /* The section that names the file. */
    struct scn_node *net;            /* The result: {switches: [], hosts: [], links: []}. */
    struct err *err;
    struct scn_tail tail;
    uint32_t n_left_out, n_split; /* As in struct scn_imported. */
};

/* topologies.c.  The topology that a scenario has chosen; formats of files have a reader as well.
 */
struct scn_format {
    struct topology topology;     /* Without a builder. */
    bool may_be_inline;           /* Its keys may be in the scenario itself. */
    const struct scn_key *keys;   /* Keys of the topology; null: those of names. */
    const struct scn_knob *knobs; /* A config may replace the file, and has these; or null. */
    bool sorts_by_patterns;       /* `switches` and `hosts` next to the file say which nodes are
                                   * what. */
    bool (*read)(struct scn_reading *);
};

const struct topology *scn_topology_of(const struct scenario *);

/* A file of any format has become names. */
void scn_become_names(struct scn_topology *);

/* resolve.c.  Fields at 'base', which has its defaults, take the values of the map.  Keys that the
 * table does not have are refused, and the nearest is offered; required keys must be there.
 */
bool scn_read_map(struct resolver *, const struct scn_node *map, const struct scn_table *,
                  void *base);

/* One word as a value of a field. */
bool scn_read_value(struct resolver *, const struct scn_node *, const struct weir_field *,
                    uint64_t *value);

/* Remembers where the fields and keys of a map came from. */
void scn_note_origins(struct resolver *, const struct scn_node *map, const struct scn_table *,
                      const void *base);
struct scn_place scn_place_of(struct resolver *, const struct scn_node *);

bool scn_expect_kind(struct resolver *, const struct scn_node *, enum scn_kind, const char *what);

/* A word that fits; 'what' names its kind. */
bool scn_read_text(struct resolver *, const struct scn_node *, const char *what, char *out,
                   size_t out_bytes);

/* Every item of the list at a key, if it is there. */
bool scn_read_items(struct resolver *, const struct scn_node *map, const char *key,
                    bool (*read_item)(struct resolver *, const struct scn_node *));

/* A plain word, or every word of a list. */
bool scn_read_words(struct resolver *, const struct scn_node *map, const char *key,
                    bool (*read_word)(struct resolver *, const struct scn_node *));

/* origins.c.  Where a field or key is set, for a role or for all; null: nowhere. */
const struct scn_origin *scn_find_origin(const struct scenario *, const void *of, uint32_t role);

/* value-text.c.  A word as YAML, quoted unless it is plainly a word. */
void scn_write_word(FILE *, const char *word);

/* The table of a section that is there once. */
const struct scn_table *scn_section_find(const char *name);

/* From the map of a switch: a weight for each class; ports that differ by their speed. */
bool scn_read_weights(struct resolver *, const struct scn_node *map, struct scn_switch *);
bool scn_read_speeds(struct resolver *, const struct scn_node *map, struct scn_switch *);
void scn_derive_restoration(struct scn_switch *);

/* roles.c, once there are nodes. */
bool scn_read_roles(struct resolver *);

/* engines.c.  Engines of all nodes; and of a role's map, which starts from those. */
bool scn_read_engines(struct resolver *);
bool scn_read_stack(struct resolver *, const struct scn_node *map, struct weir_stack *);
const struct weir_engine *scn_find_engine(struct resolver *, const struct scn_node *word);

/* Engines of links can be chosen for some of them; others, as ECN marking, serve whole nodes. */
static inline bool
scn_is_of_links(const struct weir_engine *engine)
{
    return engine->limits & WEIR_LIMITS_OF_QUEUES;
}

/* network.c */
bool scn_build_network(struct resolver *);
bool scn_find_node(struct resolver *, const struct scn_node *word, uint32_t *node);
bool scn_find_host(struct resolver *, const struct scn_node *word, uint32_t *node);

/* [S1, H1]: the port of S1 towards H1; 'what' says what was expected. */
bool scn_find_port(struct resolver *, const struct scn_node *pair, const char *what,
                   uint32_t *port);

/* routes.c.  Computed routes, and those set by hand. */
bool scn_route(struct resolver *);

/* flows.c.  The class that a map has read must be one that the wire has. */
bool scn_check_class(struct resolver *, const struct scn_node *map, const char *key, uint64_t cls);

/* workloads.c.  The flows of all workloads, once everything else is known. */
bool scn_draw_flows(struct resolver *);

/* record.c */
bool scn_read_record(struct resolver *);

/* import-flows.c: the flows, a list or from a file. */
bool scn_read_flows(struct resolver *);

/* flows.c, workloads.c, claims.c: an item of their lists. */
bool scn_read_flow(struct resolver *, const struct scn_node *);
bool scn_read_stall(struct resolver *, const struct scn_node *);
bool scn_read_workload(struct resolver *, const struct scn_node *);
bool scn_read_claim(struct resolver *, const struct scn_node *);

#endif
