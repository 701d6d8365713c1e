/* From trees to a struct scenario: what the files of this room share.
 *
 *     load.c      files, bases and --set -> one tree
 *     resolve.c   the entry; maps by their tables; sections
 *     engines.c, network.c, routes.c, flows.c, workloads.c, record.c, claims.c
 *                 a part of the scenario each
 *     import*.c   networks and flows in the formats of others
 *     values.c    and back to text
 *
 * All that can fail returns false with the reason in r->err. */

#ifndef SCN_RESOLVER_H
#define SCN_RESOLVER_H

#include <stdio.h>

#include "scenario/scenario.h"

enum topology_kind {
    RING,
    INCAST,
    DUMBBELL,
    FAT_TREE,
    LEAF_SPINE,
    THREE_TIER,
    TORUS,
    FROM_FILE, /* From here on another table is theirs. */
    FROM_HPCC,
    FROM_HTSIM,
    FROM_CONTAINERLAB,
};

enum top_key {
    TOP_NAME,
    TOP_BASE,
    TOP_ENGINE,
    TOP_ENGINES,
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
    bool *is_changed; /* [link]: the scenario has said something of it. */
    struct err *err;
};

/* load.c.  The whole tree, or null.  Trees point into sources, which the resolver keeps. */
struct scn_node *scn_load(struct resolver *, const char *const *sets, size_t n_sets);

/* The file that a word names, as seen from the file where the word stands. */
const struct scn_source *scn_load_other(struct resolver *, const struct scn_node *word);
void scn_free_others(struct resolver *);

/* table.c.  The kind of topology that a word names, or RING if it names none. */
enum topology_kind scn_topology_kind(const char *word);

/* The table of a section; that of the topology depends on its kind. */
const struct scn_table *scn_table_of(const struct scn_table *section, uint64_t topology_kind);

/* Whether a field means something in this scenario. */
bool scn_field_applies(const struct scenario *, const struct weir_field *);

/* A file that has nothing but a network. */
extern const struct scn_table scn_net_table;

/* resolve.c.  Fields at 'base' become what the map says; keys that the table does not have are
 * refused, and the nearest is offered; keys that are needed must be there. */
bool scn_read_map(struct resolver *, const struct scn_node *map, const struct scn_table *,
                  void *base);

/* One word as a value of a field. */
bool scn_read_value(struct resolver *, const struct scn_node *, const struct weir_field *,
                    uint64_t *value);

/* Remembers where the fields and keys of a map came from. */
void scn_note_origins(struct resolver *, const struct scn_node *map, const struct scn_table *);
struct scn_place scn_place_of(struct resolver *, const struct scn_node *);

bool scn_expect_kind(struct resolver *, const struct scn_node *, enum scn_kind, const char *what);

/* A word that fits; 'what' says whose. */
bool scn_read_text(struct resolver *, const struct scn_node *, const char *what, char *out,
                   size_t out_bytes);

/* Every item of the list at a key, if it is there. */
bool scn_read_items(struct resolver *, const struct scn_node *map, const char *key,
                    bool (*read_item)(struct resolver *, const struct scn_node *));

/* A plain word, or every word of a list. */
bool scn_read_words(struct resolver *, const struct scn_node *map, const char *key,
                    bool (*read_word)(struct resolver *, const struct scn_node *));

/* values.c.  A word as YAML, quoted unless it is plainly a word. */
void scn_write_word(FILE *, const char *word);

/* engines.c */
bool scn_read_engines(struct resolver *);
const struct weir_engine *scn_find_engine(struct resolver *, const struct scn_node *word);

/* network.c */
bool scn_build_network(struct resolver *);
bool scn_find_node(struct resolver *, const struct scn_node *word, uint32_t *node);
bool scn_find_host(struct resolver *, const struct scn_node *word, uint32_t *node);

/* What a link has as it is built, before the scenario says more of it. */
uint64_t scn_built_bps(const struct scenario *, const struct topo_link *);

/* [S1, H1]: the port of S1 towards H1; 'what' says what was expected. */
bool scn_find_port(struct resolver *, const struct scn_node *pair, const char *what,
                   uint32_t *port);

/* routes.c.  Computed routes, and those set by hand. */
bool scn_route(struct resolver *);

/* flows.c.  A class that the wire has. */
bool scn_check_class(struct resolver *, const struct scn_node *, uint64_t cls);

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
