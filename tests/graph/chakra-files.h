/* Chakra traces in memory, for tests: one text or one block of bytes for each file. */

#ifndef TESTS_GRAPH_CHAKRA_FILES_H
#define TESTS_GRAPH_CHAKRA_FILES_H

#include <stdio.h>
#include <string.h>

#include "graph/chakra.h"

enum { CHAKRA_MAX_FILES = 16 };

/* The files x.0.et, x.1.et, ..., and groups.json; null bytes: a file does not exist. */
struct chakra_files {
    struct {
        const void *bytes;
        size_t n;
    } ranks[CHAKRA_MAX_FILES], groups;
};

static inline int
chakra_files_index(const char *name)
{
    int i;

    return sscanf(name, "x.%d.et", &i) == 1 && i >= 0 && i < CHAKRA_MAX_FILES ? i : -1;
}

static inline bool
chakra_files_exist(void *context, const char *name)
{
    int i = chakra_files_index(name);

    return i >= 0 && ((struct chakra_files *)context)->ranks[i].bytes;
}

static inline bool
chakra_files_open(void *context, const char *name, struct trace_file *f, struct err *err)
{
    const struct chakra_files *files = context;
    int i = chakra_files_index(name);
    const void *bytes = i >= 0 ? files->ranks[i].bytes : files->groups.bytes;

    if (!bytes) {
        return err_set(err, "cannot open %s", name);
    }
    trace_open_bytes(f, bytes, i >= 0 ? files->ranks[i].n : files->groups.n, name);
    return true;
}

static inline struct chakra_source
chakra_files_source(struct chakra_files *files)
{
    return (struct chakra_source){ .prefix = "x",
                                   .groups = files->groups.bytes ? "groups.json" : NULL,
                                   .exists = chakra_files_exist,
                                   .open = chakra_files_open,
                                   .context = files };
}

#endif
