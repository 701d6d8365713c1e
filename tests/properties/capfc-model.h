/* CaPFC as in the paper, with arrays, loops and the names of the paper's algorithms. The model
 * stores nothing that it can compute.  It has a few ports and classes, and ignores lossy classes.
 */

#ifndef TESTS_CAPFC_MODEL_H
#define TESTS_CAPFC_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { N_PORTS = 5, N_CLASSES = 3 };
enum model_stop { MODEL_MAX, MODEL_AGAIN, MODEL_CALIBRATE };

struct model {
    uint64_t in_xoff, in_xon, xoff, xon, warn, cut_percent;
    enum model_stop stop;
    bool on_drop, is_lossless[N_CLASSES];
    uint64_t in[N_PORTS][N_CLASSES], out[N_PORTS][N_CLASSES]; /* In bytes. */
    bool I[N_PORTS][N_CLASSES];
    uint64_t C[N_PORTS][N_CLASSES][N_PORTS]; /* [output][class][input]. */
    bool E[N_PORTS][N_CLASSES][N_PORTS];
};

/* D of an input, from section II.E of the paper. */
static inline bool
model_d(const struct model *m, int i, int p)
{
    bool d = m->I[i][p];

    for (int o = 0; o < N_PORTS; o++) {
        d |= o != i && m->E[o][p][i];
    }
    return d;
}

/* PFC's part of the algorithm, from section II.C of the paper. */
static inline void
model_look_at_input(struct model *m, int i, int p)
{
    if (m->in[i][p] >= m->in_xoff) {
        m->I[i][p] = m->is_lossless[p];
    }
    if (m->in[i][p] <= m->in_xon) {
        m->I[i][p] = false;
    }
}

/* Sorts ports by C, the largest first; ports with equal C keep their order. */
static inline void
model_sort(const uint64_t *c, int *ports)
{
    for (int i = 0; i < N_PORTS; i++) {
        ports[i] = i;
    }
    for (int n = 0; n < N_PORTS; n++) {
        for (int k = N_PORTS - 1; k > 0; k--) {
            if (c[ports[k]] > c[ports[k - 1]]) {
                int swapped = ports[k];
                ports[k] = ports[k - 1];
                ports[k - 1] = swapped;
            }
        }
    }
}

/* Algorithm 1, steps 10 to 13, or the steps of Algorithm 2 that replace them. */
static inline void
model_stop(struct model *m, int o, int p)
{
    const uint64_t *c = m->C[o][p];
    uint64_t all = 0, sum = 0;
    int ports[N_PORTS];

    model_sort(c, ports);
    for (int i = 0; i < N_PORTS; i++) {
        all += c[i];
    }
    for (int k = 0; k < N_PORTS && c[ports[k]]; k++) {
        bool was_stopped = m->E[o][p][ports[k]];
        m->E[o][p][ports[k]] = true;
        sum += c[ports[k]];
        if (m->stop == MODEL_MAX || (m->stop == MODEL_AGAIN && !was_stopped) ||
            (m->stop == MODEL_CALIBRATE && (100 * sum > m->cut_percent * all || sum == all))) {
            return;
        }
    }
}

/* Algorithm 1, steps 7 to 13. */
static inline void
model_count(struct model *m, int o, int p, int i)
{
    if (m->is_lossless[p] && m->out[o][p] > m->warn) {
        m->C[o][p][i]++;
        if (m->out[o][p] >= m->xoff) {
            model_stop(m, o, p);
        }
    }
}

/* Algorithm 1, steps 1 to 6: the packet fits, or it is dropped. */
static inline void
model_enqueue(struct model *m, int o, int p, int i, uint64_t bytes, bool fits)
{
    m->out[o][p] += fits ? bytes : 0;
    if (fits || m->on_drop) {
        model_count(m, o, p, i);
    }
}

/* Algorithm 1, steps 14 to 20. */
static inline void
model_dequeue(struct model *m, int o, int p, uint64_t bytes)
{
    m->out[o][p] -= bytes;
    if (m->out[o][p] <= m->warn) {
        memset(m->C[o][p], 0, sizeof m->C[o][p]);
    }
    if (m->out[o][p] <= m->xon) {
        memset(m->E[o][p], 0, sizeof m->E[o][p]);
    }
}

#endif
