/* Measures the interval metrics of a sweep during a run. */

#include "run/intervals.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

void
intervals_begin(struct intervals *m, const struct scenario *s, const struct scn_study *study)
{
    const struct topo *t = &s->topo;

    *m = (struct intervals){ .topo = t,
                             .frame_bytes = WEIR_CONTROL_BYTES + s->wire.gap_bytes,
                             .time_ps = (weir_ps)s->run.time_ps,
                             .late_ps = (weir_ps)(s->run.time_ps - s->run.time_ps / 10),
                             .stops_at_deadlock = study->stops_at_deadlock,
                             .sent_bytes = array_new(t->n_nodes, sizeof *m->sent_bytes),
                             .n_sent_frames = array_new(t->n_ports, sizeof *m->n_sent_frames),
                             .late_bytes = array_new(t->n_nodes, sizeof *m->late_bytes),
                             .shares = array_new(INTERVALS_N_SHARES + 1, sizeof *m->shares) };
    measures_begin(&m->own, study, s);
    m->own.intervals = m;
    /* The samples cover all ports, because they need the bytes of hosts and the control frames of
     * every port. */
    m->sampled.ports.is_all = true;
    measures_add_views(&m->own, s, &m->sampled);
}

void
intervals_end(struct intervals *m)
{
    free(m->sent_bytes);
    free(m->n_sent_frames);
    free(m->late_bytes);
    free(m->shares);
    measures_end(&m->own);
}

static void
count_host(struct intervals *m, uint32_t host, uint64_t sent_bytes, double elapsed_s)
{
    uint64_t bytes = sent_bytes - m->sent_bytes[host];
    double bps = 8 * (double)bytes / elapsed_s;

    m->sent_bytes[host] = sent_bytes;
    m->n++;
    m->sum += bps;
    m->sum_of_squares += bps * bps;
    if (m->bytes_ps >= m->late_ps && m->bytes_ps < m->time_ps) {
        m->n_late++;
        m->sum_late += bps;
        m->late_bytes[host] += bytes;
    }
}

static uint64_t
sent_by(const struct sim *sim, const struct topo_node *host)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < host->n_ports; i++) {
        bytes += sim_port_result(sim, host->first_port + i).sent_bytes;
    }
    return bytes;
}

static void
count_bytes(struct intervals *m, const struct sim *sim, weir_ps now)
{
    double elapsed_s = (double)(now - m->bytes_ps) / (double)WEIR_PS_PER_S;

    for (uint32_t node = 0; node < m->topo->n_nodes; node++) {
        const struct topo_node *n = &m->topo->nodes[node];
        if (n->kind == TOPO_NIC) {
            count_host(m, node, sent_by(sim, n), elapsed_s);
        }
    }
    m->bytes_ps = now;
}

static void
count_frames(struct intervals *m, const struct sim *sim, weir_ps now)
{
    double elapsed_s = (double)(now - m->frames_ps) / (double)WEIR_PS_PER_S;

    for (uint32_t port = 0; port < m->topo->n_ports; port++) {
        const struct topo_link *link = &m->topo->links[m->topo->ports[port].link];
        uint64_t n = sim_port_result(sim, port).n_frames_sent;
        double bits = 8 * (double)((n - m->n_sent_frames[port]) * m->frame_bytes);
        double share = bits / elapsed_s / (double)link->rate_bps;
        m->n_sent_frames[port] = n;
        if (!link->failed) {
            m->shares[(size_t)ceil(INTERVALS_N_SHARES * (share < 1 ? share : 1))]++;
            m->n_shares++;
        }
    }
    m->frames_ps = now;
}

void
intervals_sample(void *intervals, struct sim *sim, weir_ps now)
{
    struct intervals *m = intervals;

    if (now > m->bytes_ps) {
        count_bytes(m, sim, now);
        m->n_samples++;
    }
    if (m->n_samples % INTERVALS_FRAMES_EVERY == 0 && now > m->frames_ps) {
        count_frames(m, sim, now);
    }
    measures_sample(&m->own, sim, now);
    if (m->stops_at_deadlock && sim_deadlock(sim).found) {
        sim_stop(sim);
    }
}

/* The smallest share that a fraction 'part' of all recorded shares does not exceed. */
static double
share_at(const struct intervals *m, double part)
{
    double n = 0;
    size_t share = 0;

    while ((n += m->shares[share]) < part * (double)m->n_shares) {
        share++;
    }
    return (double)share / INTERVALS_N_SHARES;
}

double
intervals_feedback(const struct intervals *m, uint32_t thousandths)
{
    return m->n_shares ? share_at(m, thousandths / 1000.0) : -1;
}

static double
silent_share(const struct intervals *m)
{
    double n = 0;

    for (uint32_t node = 0; node < m->topo->n_nodes; node++) {
        n += m->topo->nodes[node].kind == TOPO_NIC && !m->late_bytes[node];
    }
    return n / m->topo->n_nics;
}

struct interval_facts
intervals_facts(const struct intervals *m)
{
    struct interval_facts f = { COLUMN_NO_COUNT, COLUMN_NO_COUNT, COLUMN_NO_COUNT, -1, -1, -1 };

    if (m && m->n > 0) {
        double mean = m->sum / m->n, variance = m->sum_of_squares / m->n - mean * mean;
        f.mean_bps = (uint64_t)mean;
        f.deviation_bps = (uint64_t)sqrt(variance > 0 ? variance : 0);
    }
    if (m && m->n_late > 0) {
        f.late_bps = (uint64_t)(m->sum_late / m->n_late);
        f.silent_share = silent_share(m);
    }
    if (m && m->n_shares) {
        f.feedback_p99 = share_at(m, 0.99);
        f.feedback_max = share_at(m, 1);
    }
    return f;
}
