/* Any bytes as the files of a Chakra trace: refused, or a graph that runs until it ends or until
 * the tasks that are left wait for something.
 *
 * The bytes are the file of groups and then those of the ranks, each after its length in two bytes,
 * the lower one first. */

#include <stdlib.h>

#include "../graph/chakra-files.h"
#include "../graph/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct host_times
network(void *context, uint32_t from, const struct executor_send *s, weir_ps now)
{
    (void)context;
    weir_ps sent = weir_after(now, 1 + (weir_ps)(s->bytes & 7));
    return (struct host_times){ sent, weir_after(sent, (weir_ps)((from ^ s->tag) & 3)) };
}

/* The bytes of the next file, which libFuzzer's memory holds. */
static const uint8_t *
next_file(const uint8_t **data, size_t *size, size_t *n)
{
    if (*size < 2) {
        return NULL;
    }
    const uint8_t *file = *data + 2;
    *n = (size_t)((*data)[0] | (*data)[1] << 8);
    *n = *n < *size - 2 ? *n : *size - 2;
    *data += 2 + *n;
    *size -= 2 + *n;
    return file;
}

static void
load_all(const struct chakra *chakra, struct graph *g)
{
    struct err err;

    chakra_begin(chakra, g);
    for (uint32_t rank = 0; rank < chakra->n_ranks; rank++) {
        if (!chakra_load(chakra, g, rank, &err)) {
            abort(); /* chakra_open() has read it. */
        }
    }
}

/* Generators of collectives with many messages take long, and have targets of their own. */
static bool
is_small(const struct graph *g)
{
    size_t n = 0;

    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        n += g->ranks[rank].n_tasks;
    }
    return n < 500;
}

static void
run_graph(struct graph *g)
{
    struct host h;
    char text[EXECUTOR_TEXT_BYTES];

    host_init(&h, g, network, NULL);
    host_run(&h, 0);
    for (uint32_t rank = 0; rank < g->n_ranks; rank++) {
        const struct executor *x = &h.ranks[rank];
        bool is_named = !x->n_left;
        for (struct executor_stuck s = { 0 }; executor_next_stuck(x, &s);) {
            executor_stuck_text(x, &s, text);
            is_named = true;
        }
        if (!is_named) {
            abort();
        }
    }
    host_free(&h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct chakra_files files = { 0 };
    struct chakra chakra;
    struct graph g;
    struct err err;

    files.groups.bytes = next_file(&data, &size, &files.groups.n);
    for (int i = 0; i < CHAKRA_MAX_FILES; i++) {
        files.ranks[i].bytes = next_file(&data, &size, &files.ranks[i].n);
    }
    if (!files.groups.n) {
        files.groups.bytes = NULL;
    }
    struct chakra_source source = chakra_files_source(&files);
    if (!chakra_open(&chakra, &source, &err)) {
        return 0;
    }
    load_all(&chakra, &g);
    chakra_close(&chakra);
    if (is_small(&g)) {
        run_graph(&g);
    }
    graph_free(&g);
    return 0;
}
