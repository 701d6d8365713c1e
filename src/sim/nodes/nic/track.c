/* Round trips and telemetry of a flow at its sender: which packets are probes, and the data of the
 * probe that is acknowledged (flow-ends.h). */

#include "sim/nodes/nic/nic.h"

/* Whether an entry of the track belongs to a packet that has not been acknowledged.  More packets
 * may be on their way than there are entries.  If each packet took the entry of an earlier one, no
 * acknowledgement would find its packet. */
static bool
is_awaited(const struct sim_thread *t, uint32_t flow, const struct sim_probe *probe)
{
    return probe->sequence != RC_NONE && probe->sequence >= nic_sender(t, flow)->progress.n_acked;
}

enum sim_packet_kind
nic_track_sent(struct sim_thread *t, uint32_t flow, uint32_t sequence, weir_ps now)
{
    struct sim_track *track = sim_pacer(t->sim, flow)->track;
    struct sim_probe *probe = &track->probes[sequence & track->mask];
    bool is_new = sequence >= track->n_new;

    track->n_new = is_new ? sequence + 1 : track->n_new;
    if (probe->sequence == sequence || !is_awaited(t, flow, probe)) {
        probe->sequence = sequence;
        probe->sent_ps = is_new ? now : -1;
    }
    if (!track->hops || !sim_probe_is_gone(t->sim, probe, now)) {
        return SIM_DATA;
    }
    probe->probe = sequence;
    probe->n_hops = 0;
    atomic_store_explicit(&probe->gone_ps, WEIR_NEVER, memory_order_relaxed);
    return SIM_PROBE;
}

void
nic_track_answered(struct sim_thread *t, uint32_t flow, uint32_t sequence, struct tp_ack *ack)
{
    const struct sim_track *track = sim_pacer(t->sim, flow)->track;
    uint32_t i = sequence & track->mask;
    struct sim_probe *probe = &track->probes[i];

    if (probe->sequence == sequence) {
        ack->rtt_ps = probe->sent_ps < 0 ? 0 : ack->now - probe->sent_ps;
        probe->sequence = RC_NONE;
    }
    if (probe->probe == sequence && sim_probe_is_gone(t->sim, probe, ack->now)) {
        ack->hops = &track->hops[i * track->max_hops];
        ack->n_hops = probe->n_hops;
        probe->probe = RC_NONE;
    }
}
