/* Flows into one output over time: the bytes that each has received and the length of the queue, at
 * equal intervals.
 *
 *     struct sampled *s = sampled_new(2, &tp_hpcc, 100 * G, 3 * US);   two senders, a receiver
 *     sampled_set(s, "stages", 0);
 *     sampled_run(s, 1000 * US, 10 * US);
 *     sampled_bps(s, 0, 500 * US, 1000 * US) ...
 *     sampled_free(s);
 *
 * Packets have 1000 B and no gaps. The only switch has a queue without a limit. */

#ifndef TESTS_SIM_SAMPLED_H
#define TESTS_SIM_SAMPLED_H

#include "hand.h"

#define US ((weir_ps)1000000)
#define G  1000000000ull

enum { PACKET = 1000, MAX_FLOWS = 16, MAX_SAMPLES = 20000 };

struct sampled {
    struct net net;
    uint64_t params[TP_PARAMS_MAX / sizeof(uint64_t)];
    const struct transport *transport;
    /* The rate of links, and the time and the bytes of a round trip on an empty path. */
    double line_bps, rtt_s, path_bytes;
    weir_ps every_ps;
    uint32_t n_samples, port;
    uint64_t queue[MAX_SAMPLES], received[MAX_SAMPLES][MAX_FLOWS];
};

static inline struct sampled *
sampled_new(uint32_t n_flows, const struct transport *transport, uint64_t line_bps,
            weir_ps delay_ps)
{
    struct sampled *s = calloc(1, sizeof *s);
    weir_ps rtt_ps = 4 * delay_ps + 2 * weir_wire_ps(PACKET + WEIR_CONTROL_BYTES, line_bps);

    s->transport = transport;
    s->line_bps = (double)line_bps;
    s->rtt_s = (double)rtt_ps / WEIR_PS_PER_S;
    s->path_bytes = s->rtt_s * s->line_bps / 8;
    hand_incast(&s->net, n_flows, line_bps, delay_ps);
    weir_fields_default(transport->about.params, s->params);
    for (uint32_t i = 0; i < n_flows; i++) {
        s->net.flows[i].transport = transport;
        s->net.flows[i].transport_params = s->params;
    }
    s->net.config.arbitration = "fifo";
    s->net.config.mtu_bytes = PACKET;
    net_use(&s->net, "none");
    s->port = hand_port(&s->net, 0, n_flows + 1);
    return s;
}

static inline void
sampled_set(struct sampled *s, const char *name, uint64_t value)
{
    weir_field_set(weir_field_find(s->transport->about.params, name), s->params, value);
}

static inline void
sampled_take(void *arg, struct sim *sim, weir_ps now)
{
    struct sampled *s = arg;
    uint32_t i = s->n_samples++;

    (void)now;
    assert_true(i < MAX_SAMPLES);
    s->queue[i] = sim_output_bytes(sim, s->port, 0);
    for (uint32_t flow = 0; flow < s->net.config.n_flows; flow++) {
        s->received[i][flow] = sim_flow_result(sim, flow).received_bytes;
    }
}

static inline void
sampled_run(struct sampled *s, weir_ps until_ps, weir_ps every_ps)
{
    s->every_ps = every_ps;
    s->net.config.run.until_ps = until_ps;
    s->net.config.run.sample_ps = every_ps;
    s->net.config.run.sample = sampled_take;
    s->net.config.run.sample_arg = s;
    sim_free(hand_run(&s->net));
    /* Samples cannot be closer than the windows of the simulator. */
    assert_true(s->n_samples >= until_ps / every_ps);
}

static inline void
sampled_free(struct sampled *s)
{
    net_stop(&s->net);
    free(s);
}

/* The rate of a flow between two times. */
static inline double
sampled_bps(const struct sampled *s, uint32_t flow, weir_ps from_ps, weir_ps to_ps)
{
    assert_true(to_ps / s->every_ps <= s->n_samples);
    uint64_t bytes =
        s->received[to_ps / s->every_ps - 1][flow] - s->received[from_ps / s->every_ps][flow];
    double seconds = (double)(to_ps - s->every_ps - from_ps) / WEIR_PS_PER_S;

    return 8 * (double)bytes / seconds;
}

static inline double
sampled_all_bps(const struct sampled *s, weir_ps from_ps, weir_ps to_ps)
{
    double sum = 0;

    for (uint32_t flow = 0; flow < s->net.config.n_flows; flow++) {
        sum += sampled_bps(s, flow, from_ps, to_ps);
    }
    return sum;
}

/* The peak queue between two times. */
static inline uint64_t
sampled_longest(const struct sampled *s, weir_ps from_ps, weir_ps to_ps)
{
    uint64_t most = 0;

    for (weir_ps i = from_ps / s->every_ps; i < to_ps / s->every_ps; i++) {
        most = s->queue[i] > most ? s->queue[i] : most;
    }
    return most;
}

/* Checks that 'value' is within 'slack' of 'expected'; prints them if it is not. */
static inline void
expect(const char *what, double value, double expected, double slack)
{
    if (!(value >= expected - slack && value <= expected + slack)) {
        fail_msg("%s is %g; %g was expected, within %g", what, value, expected, slack);
    }
}

#endif
