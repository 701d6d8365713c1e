/* The rows of wait accounting: the waits of each flow for each transmit queue of a node.
 *
 * Each packet at each node is counted in a row, and a network has far more rows than fit into the
 * cache.  So a row is one cache line, and a table finds it without reading other rows. */

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "sim/sojourn.h"

enum { FIRST_KEYS = 64, FIRST_ROWS = 32 };

/* The entry of a row in the table, or the free entry where it belongs. */
static inline struct sim_wait_key *
find_wait_key(const struct sim_sojourns *s, uint32_t flow, uint32_t slot)
{
    struct sim_wait_key *key = sim_wait_place(s, flow), *end = s->keys + s->n_keys;

    while (key->row != SIM_NONE && (key->flow != flow || key->slot != slot)) {
        key = key + 1 < end ? key + 1 : s->keys;
    }
    return key;
}

static void
grow_wait_keys(struct sim_sojourns *s)
{
    free(s->keys);
    s->n_keys = s->n_keys ? 2 * s->n_keys : FIRST_KEYS;
    s->keys = array_new(s->n_keys, sizeof *s->keys);
    memset(s->keys, 0xff, s->n_keys * sizeof *s->keys);
    for (uint32_t row = 0; row < s->n_rows; row++) {
        uint32_t flow = s->rows[row].flow, slot = s->rows[row].slot;
        *find_wait_key(s, flow, slot) = (struct sim_wait_key){ flow, slot, row };
    }
}

static void
grow_wait_rows(struct sim_sojourns *s)
{
    size_t max = s->max_rows ? 2 * s->max_rows : FIRST_ROWS;
    struct sim_wait_row *rows = arena_compact(max * sizeof *rows);

    if (s->n_rows) {
        memcpy(rows, s->rows, s->n_rows * sizeof *rows);
    }
    free(s->rows);
    s->rows = rows;
    s->first_ps = array_larger(s->first_ps, s->n_rows, max, sizeof *s->first_ps);
    s->max_rows = max;
}

static __attribute__((noinline)) uint32_t
add_wait_row(struct sim_sojourns *s, uint32_t flow, uint32_t slot, weir_ps since_ps)
{
    uint32_t row = (uint32_t)s->n_rows;

    if (2 * (s->n_rows + 1) > s->n_keys) {
        grow_wait_keys(s);
    }
    if (s->n_rows == s->max_rows) {
        grow_wait_rows(s);
    }
    *find_wait_key(s, flow, slot) = (struct sim_wait_key){ flow, slot, row };
    s->rows[row] = (struct sim_wait_row){ .flow = flow, .slot = slot };
    s->first_ps[row] = since_ps;
    s->n_rows++;
    return row;
}

/* Hot: once per packet-hop. */
uint32_t
sim_wait_row(struct sim_sojourns *s, uint32_t flow, uint32_t slot, weir_ps since_ps)
{
    uint32_t row = s->n_rows ? find_wait_key(s, flow, slot)->row : SIM_NONE;

    return row != SIM_NONE ? row : add_wait_row(s, flow, slot, since_ps);
}

void
sim_free_wait_rows(struct sim_sojourns *s)
{
    free(s->keys);
    free(s->rows);
    free(s->first_ps);
}
