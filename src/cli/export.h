/* The formats in which `weir export` writes a run, one function for each.  Functions return an exit
 * code and print any error, except errors of writing: the caller checks the stream for these. */

#ifndef CLI_EXPORT_H
#define CLI_EXPORT_H

#include <stdio.h>

#include "record/reader.h"

struct export_job {
    struct rec_file *file;
    uint64_t parent;         /* The run; for summaries the sweep. */
    enum rec_table_id table; /* The table that export_table() writes. */
    const char *quantity;    /* The quantity that export_series() writes; null: all quantities. */
    FILE *out;
};

int export_table(const struct export_job *);
int export_runs(const struct export_job *);
int export_series(const struct export_job *);
int export_fct(const struct export_job *);
int export_pfc(const struct export_job *);
int export_flow_file(const struct export_job *);

/* Calls 'write' for every row of a table. The table is read in parts, because it may not fit into
 * memory. */
int export_each(const struct export_job *, enum rec_table_id,
                void (*write)(FILE *, const void *row, const void *more), const void *more);

/* The nodes, ports and flows to which ids refer. */
struct export_names {
    struct rec_rows nodes, ports, flows;
};

int export_names_read(struct export_names *, const struct export_job *);
void export_names_free(struct export_names *);

/* The node or port with this id; null: the file has none. */
const struct rec_node *export_node(const struct export_names *, uint32_t id);
const struct rec_port *export_port(const struct export_names *, uint32_t id);

#endif
