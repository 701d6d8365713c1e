/* Converts trees to a struct scenario: declarations shared by the files of this room.
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
 * Functions that can fail return false with an error in r->err. */

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

struct scn_named { /* A link that is given a name, and the word that names it. */
    uint32_t link;
    const struct scn_node *n;
};

struct resolver {
    struct scenario *s;
    const struct scn_source *main;
    const struct scn_files *files;
    struct scn_source **others; /* The other source files and settings that were read. */
    size_t n_others, max_others;
    struct scn_node *root;
    bool *is_changed;        /* Indexed by link: whether the scenario sets something of the link. */
    struct scn_named *named; /* Links whose names are not checked yet. */
    size_t n_named, max_named;
    uint32_t role;            /* The role being read: 1 + its number; 0: none. */
    uint32_t speed;           /* The same. */
    struct weir_stack *stack; /* The one being read. */
    struct err *err;
};

/* load.c.  Returns the whole tree, or null.  Trees point into sources, which the resolver keeps. */
struct scn_node *scn_load(struct resolver *, const char *const *sets, size_t n_sets);

/* Loads the file that a word names, relative to the file of the word. */
const struct scn_source *scn_load_other(struct resolver *, const struct scn_node *word);
void scn_free_others(struct resolver *);

/* The path of such a file, which the caller frees. */
char *scn_other_path(const struct resolver *, const struct scn_node *word);

/* From now on file names in a source are relative to its parent folder. */
void scn_see_from_above(struct resolver *, const struct scn_source *);

/* table.c.  The keys of a file that has only a network, and further keys of a topology of kind
 * `names`. */
extern const struct scn_table scn_net_table;
extern const struct scn_key *const scn_names_keys, scn_hpcc_keys[];

/* choice.c.  The plug-in that a field of the map at 'base' chooses, and its parameters there. */
const struct weir_plugin *scn_chosen(const struct scn_table *, const struct scn_choice *,
                                     const void *base);

/* The choice that a field of a table makes, or null. */
const struct scn_choice *scn_choice_of(const struct scn_table *, const struct weir_field *);

/* Fills in defaults, including those of plug-ins that are chosen by default. */
void scn_default_map(const struct scn_table *, void *base);

/* Chooses the plug-ins that the words of a map name, and fills in their defaults, before anything
 * else is read.  Unknown names choose nothing; they are refused as values later. */
void scn_choose(const struct scn_node *map, const struct scn_table *, void *base);

/* The key of a map that replaces the needed field of its table; null: there is none. */
const char *scn_implied(const struct scn_node *map, const struct scn_table *);

/* The field of a map with that name, and the address of its value, which is null if the chosen
 * plug-in does not use it. */
const struct weir_field *scn_find_field(const struct scn_table *, void *base, const char *name,
                                        void **at);

/* All keys that a map may have, given the choice. */
enum { SCN_MAX_NAMES = 128 };

size_t scn_list_names(const struct scn_table *, const void *base, const char *names[SCN_MAX_NAMES]);

/* The names of all keys that the plug-ins of a choice add to a map. */
size_t scn_choice_names(const struct scn_table *, const struct scn_choice *,
                        const char *names[SCN_MAX_NAMES]);

/* resolve.c.  Keeps unread lines for a warning, if there are any. */
void scn_note_tail(struct resolver *, const struct scn_source *, struct scn_tail);

/* A file while it is read as a network, and further results of its reader. */
struct scn_reading {
    const struct scn_source *source;
    const struct scn_node *topology; /* The section that names the file. */
    const void *params;              /* The format's parameters in that section. */
    struct scn_node *net;            /* The result: {switches: [], hosts: [], links: []}. */
    struct err *err;
    struct scn_tail tail;
    uint32_t n_left_out, n_split; /* As in struct scn_imported. */
};

/* topologies.c.  The topology that a scenario chooses; file formats also have a reader.
 */
struct scn_format {
    struct topology topology;     /* Has no builder. */
    bool may_be_inline;           /* Its keys may be in the scenario itself. */
    const struct scn_key *keys;   /* Keys of the topology; null: those of kind `names`. */
    const struct scn_knob *knobs; /* The knobs of a config that may replace the file; or null. */
    bool sorts_by_patterns; /* `switches` and `hosts` next to the file are patterns that sort its
                               nodes. */
    bool (*read)(struct scn_reading *);
};

const struct topology *scn_topology_of(const struct scenario *);

/* Changes a topology from a file of any format to kind `names`. */
void scn_become_names(struct scn_topology *);

/* resolve.c.  Sets fields at 'base', which already has the defaults, to the values of the map.
 * Unknown keys are refused, and the nearest is offered; required keys must be present.
 */
bool scn_read_map(struct resolver *, const struct scn_node *map, const struct scn_table *,
                  void *base);

/* Reads one word as the value of a field. */
bool scn_read_value(struct resolver *, const struct scn_node *, const struct weir_field *,
                    uint64_t *value);

/* Records the places of the fields and keys of a map. */
void scn_note_origins(struct resolver *, const struct scn_node *map, const struct scn_table *,
                      const void *base);
struct scn_place scn_place_of(struct resolver *, const struct scn_node *);

bool scn_expect_kind(struct resolver *, const struct scn_node *, enum scn_kind, const char *what);

/* Reads a word into 'out', if it is short enough; 'what' names its kind in errors. */
bool scn_read_text(struct resolver *, const struct scn_node *, const char *what, char *out,
                   size_t out_bytes);

/* Reads every item of the list at a key, if the key is present. */
bool scn_read_items(struct resolver *, const struct scn_node *map, const char *key,
                    bool (*read_item)(struct resolver *, const struct scn_node *));

/* Reads a plain word, or every word of a list. */
bool scn_read_words(struct resolver *, const struct scn_node *map, const char *key,
                    bool (*read_word)(struct resolver *, const struct scn_node *));

/* origins.c.  The place where a field or key is set, for a role or for all nodes; null: nowhere. */
const struct scn_origin *scn_find_origin(const struct scenario *, const void *of, uint32_t role);

/* value-text.c.  Writes a word as YAML, quoted unless it is certainly a plain word. */
void scn_write_word(FILE *, const char *word);

/* The table of a section that does not depend on a plug-in. */
const struct scn_table *scn_section_find(const char *name);

/* Read the map of a switch: a weight for each class, and values of ports that depend on their
 * speed. */
bool scn_read_weights(struct resolver *, const struct scn_node *map, struct scn_switch *);
bool scn_read_speeds(struct resolver *, const struct scn_node *map, struct scn_switch *);
void scn_derive_restoration(struct scn_switch *);

/* Reads the roles, once the nodes are known (roles.c). */
bool scn_read_roles(struct resolver *);

/* engines.c.  Read the engines of all nodes, and those of a role, which start from the former. */
bool scn_read_engines(struct resolver *);
bool scn_read_stack(struct resolver *, const struct scn_node *map, struct weir_stack *);
const struct weir_engine *scn_find_engine(struct resolver *, const struct scn_node *word);

/* Whether an engine serves links, and so can be chosen for some links only.  Others, such as ECN
 * marking, serve whole nodes. */
static inline bool
scn_is_of_links(const struct weir_engine *engine)
{
    return engine->limits & WEIR_LIMITS_OF_QUEUES;
}

/* network.c.  A name of a node or link; 'what' names its kind. */
bool scn_build_network(struct resolver *);
bool scn_read_name(struct resolver *, const struct scn_node *, const char *what,
                   char name[TOPO_NAME_BYTES]);

/* link-names.c.  Names the links that an item of a list makes, and checks the names of all
 * links. */
bool scn_name_links(struct resolver *, const struct scn_node *item, uint32_t first,
                    uint32_t n_links);
bool scn_check_link_names(struct resolver *);

/* find-port.c */
bool scn_find_node(struct resolver *, const struct scn_node *word, uint32_t *node);
bool scn_find_host(struct resolver *, const struct scn_node *word, uint32_t *node);

/* Adds a host; or all NICs of a host that has several; or all hosts that match a pattern. */
struct scn_nics {
    uint32_t *items;
    size_t n, max;
};
bool scn_add_nics(struct resolver *, const struct scn_node *word, struct scn_nics *);

/* S1, S1:2, or S1:trunk-1: topo/port-names.h. */
struct topo_end;
bool scn_find_end(struct resolver *, const struct scn_node *word, struct topo_end *);

/* Finds the only port of 'from' that leads to 'to', or to any node if 'to' is null. */
bool scn_join_ends(struct resolver *, const struct scn_node *, const struct topo_end *from,
                   const struct topo_end *to, uint32_t *port);

/* Finds a port: [S1, H1], [S1:2, S2] and S1:2 name a port of S1, and trunk-1 the port at the first
 * end of that link.  'what' is the expected value in errors. */
bool scn_find_port(struct resolver *, const struct scn_node *, const char *what, uint32_t *port);

/* routes.c.  Computes routes, and reads static routes. */
bool scn_route(struct resolver *);

/* flows.c.  Checks that a class of a map is one of the network's classes. */
bool scn_check_class(struct resolver *, const struct scn_node *map, const char *key, uint64_t cls);

/* workloads.c.  Draws the flows of all workloads, once everything else is known. */
bool scn_draw_flows(struct resolver *);

/* traces.c.  Reads the trace of a workload, if its pattern needs one. */
bool scn_read_trace(struct resolver *, const struct scn_node *map, struct scn_workload *);
void scn_free_trace(struct scn_workload *);

/* record.c */
bool scn_read_record(struct resolver *);

/* Reads the flows from a list or a file (import-flows.c). */
bool scn_read_flows(struct resolver *);

/* Read an item of a list: of flows, stalls, workloads or claims (flows.c, workloads.c,
 * claims.c). */
bool scn_read_flow(struct resolver *, const struct scn_node *);
bool scn_read_stall(struct resolver *, const struct scn_node *);
bool scn_read_workload(struct resolver *, const struct scn_node *);
bool scn_read_claim(struct resolver *, const struct scn_node *);

#endif
