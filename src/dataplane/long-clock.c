/* The clock of a switch that runs for years: it is set back before its picoseconds overflow.
 *
 *     nanoseconds since the start = set_back_ns + the node's clock / 1000
 *
 * An epoch is 2^49 ns, 6.5 days: whole nanoseconds, and a multiple of any window of the simulator.
 * A clock that shows two epochs or more is set back until it shows between one and two. */

#include <assert.h>

#include "dataplane/inside.h"
#include "sim/live.h"

enum { PS_PER_NS = 1000 };

#define EPOCH_PS (((weir_ps)1 << 49) * PS_PER_NS)

weir_ps
dp_node_now(const struct dp_node *d)
{
    return d->now_ps;
}

int64_t
dp_node_ns(const struct dp_node *d, weir_ps at)
{
    return d->set_back_ns + at / PS_PER_NS;
}

/* The time of the first broken promise. The simulator's core has it in picoseconds of the clock at
 * that time. */
int64_t
dp_node_first_broken_ns(const struct dp_node *d)
{
    return d->first_broken_ns >= 0 ? d->first_broken_ns
                                   : dp_node_ns(d, sim_live_first_broken(d->sim).at_ps);
}

static void
rebase_frames(struct dp_port *p, weir_ps by_ps)
{
    for (size_t i = p->wire.first; i < p->wire.n; i++) {
        p->wire.frames[i].at = weir_rebased(p->wire.frames[i].at, by_ps);
    }
    for (size_t i = p->waiting.first; i < p->waiting.n; i++) {
        struct dp_frame *frame = &p->waiting.items[i].frame;
        frame->at = weir_rebased(frame->at, by_ps);
    }
}

/* Sets back the times of a port. The burst of a port is empty between two polls. */
static void
rebase_port(struct dp_node *d, uint32_t port, weir_ps by_ps)
{
    struct dp_port *p = &d->ports[port];

    assert(p->burst.first == p->burst.n);
    rebase_frames(p, by_ps);
    for (uint32_t cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        dp_asked_rebase(&p->asked[cls], d->now_ps, by_ps, &d->counts.answers);
    }
}

void
dp_node_rebase(struct dp_node *d, weir_ps by_ps)
{
    assert(d->is_switch && by_ps % PS_PER_NS == 0);
    sim_live_run(d->sim, d->now_ps);
    if (sim_live_n_broken(d->sim)) {
        d->first_broken_ns = dp_node_first_broken_ns(d);
    }
    for (uint32_t port = 0; port < d->n_ports; port++) {
        rebase_port(d, port, by_ps);
    }
    dp_stations_rebase(d->stations, by_ps);
    sim_live_rebase(d->sim, d->now_ps, by_ps);
    d->look_ps = d->look_ps ? weir_rebased(d->look_ps, by_ps) : 0;
    d->now_ps -= by_ps;
    d->set_back_ns += by_ps / PS_PER_NS;
}

/* The time of the node's clock, which is set back first if necessary. If it is DP_LAST_PS, the
 * clock must be set back again before it can show the time. */
static weir_ps
clock_at(struct dp_node *d, int64_t now_ns)
{
    if (d->now_ps >= 2 * EPOCH_PS) {
        dp_node_rebase(d, (d->now_ps / EPOCH_PS - 1) * EPOCH_PS);
    }
    int64_t shown_ns = now_ns - d->set_back_ns;
    return shown_ns < DP_LAST_PS / PS_PER_NS ? shown_ns * PS_PER_NS : DP_LAST_PS;
}

static weir_ps
reach(struct dp_node *d, int64_t now_ns)
{
    weir_ps now;

    while ((now = clock_at(d, now_ns)) == DP_LAST_PS) {
        dp_node_poll(d, now);
    }
    return now;
}

void
dp_node_poll_ns(struct dp_node *d, int64_t now_ns)
{
    dp_node_poll(d, reach(d, now_ns));
}

void
dp_node_end_ns(struct dp_node *d, int64_t now_ns)
{
    dp_node_end(d, reach(d, now_ns));
}
