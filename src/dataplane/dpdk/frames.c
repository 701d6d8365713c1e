/* Moves frames through ports. */

#include "dataplane/dpdk/frames.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

static struct beside *
beside(struct rte_mbuf *m)
{
    return rte_mbuf_to_priv(m);
}

/* A frame is in one piece.  If one came in several, the first is seen, which is longer than any
 * frame may be: the reader says so, and drops it with all its pieces. */
static void
take(struct dp_frame *frame, struct rte_mbuf *m, weir_ps at)
{
    *frame = (struct dp_frame){
        .bytes = rte_pktmbuf_mtod(m, uint8_t *),
        .own = m,
        .at = at,
        .len = m->data_len,
    };
}

/* Hot: once a burst. */
static uint32_t
receive(void *arg, uint32_t port, struct dp_frame *frames, uint32_t max)
{
    const struct port *p = &((struct ports *)arg)->of[port];
    struct rte_mbuf *burst[DP_BURST];
    uint32_t n = 0, most = max < DP_BURST ? max : DP_BURST;

    if (p->in) {
        n = rte_ring_sc_dequeue_burst(p->in, (void **)burst, most, NULL);
        for (uint32_t i = 0; i < n; i++) {
            take(&frames[i], burst[i], beside(burst[i])->at);
        }
    } else if (p->is_open) {
        n = rte_eth_rx_burst(p->device.id, 0, burst, (uint16_t)most);
        for (uint32_t i = 0; i < n; i++) {
            take(&frames[i], burst[i], WEIR_NEVER);
        }
    }
    return n;
}

/* Into a ring, with the data next to each frame; devices have no use for that. */
static uint32_t
send_to_ring(struct rte_ring *ring, const struct dp_frame *frames, uint32_t n)
{
    struct rte_mbuf *burst[DP_BURST];

    for (uint32_t i = 0; i < n; i++) {
        burst[i] = frames[i].own;
        beside(burst[i])->at = frames[i].at;
    }
    return rte_ring_sp_enqueue_burst(ring, (void *const *)burst, n, NULL);
}

static uint32_t
send_to_device(uint16_t device, const struct dp_frame *frames, uint32_t n)
{
    struct rte_mbuf *burst[DP_BURST];

    for (uint32_t i = 0; i < n; i++) {
        burst[i] = frames[i].own;
    }
    return rte_eth_tx_burst(device, 0, burst, (uint16_t)n);
}

/* Hot: once a burst. */
static uint32_t
send_frames(void *arg, uint32_t port, struct dp_frame *frames, uint32_t n)
{
    const struct port *p = &((struct ports *)arg)->of[port];
    uint32_t n_sent = 0, n_taken;

    if (!p->out && !p->is_open) {
        return 0;
    }
    do {
        uint32_t left = n - n_sent, most = left < DP_BURST ? left : DP_BURST;
        n_taken = p->out ? send_to_ring(p->out, frames + n_sent, most)
                         : send_to_device(p->device.id, frames + n_sent, most);
        n_sent += n_taken;
    } while (n_taken == DP_BURST && n_sent < n);
    return n_sent;
}

static bool
make(void *arg, uint32_t len, struct dp_frame *frame)
{
    struct rte_mbuf *m = rte_pktmbuf_alloc(((struct ports *)arg)->pool);

    if (!m) {
        return false;
    }
    m->data_len = (uint16_t)len;
    m->pkt_len = len;
    take(frame, m, WEIR_NEVER);
    return true;
}

/* The bytes are shared: DPDK counts who has them. */
static bool
copy(void *arg, const struct dp_frame *frame, struct dp_frame *twin)
{
    struct rte_mbuf *m = rte_pktmbuf_clone(frame->own, ((struct ports *)arg)->pool);

    if (m) {
        take(twin, m, frame->at);
    }
    return m != NULL;
}

static void
drop(void *arg, struct dp_frame *frame)
{
    (void)arg;
    rte_pktmbuf_free(frame->own);
    frame->own = NULL;
}

static bool
is_up(void *arg, uint32_t port)
{
    const struct port *p = &((struct ports *)arg)->of[port];

    return p->in || (p->is_open && device_is_up(&p->device));
}

static uint64_t
n_missed(void *arg, uint32_t port)
{
    struct port *p = &((struct ports *)arg)->of[port];

    return p->is_open ? device_n_missed(&p->device) : 0;
}

struct dp_io
frames_io(struct ports *all)
{
    return (struct dp_io){ all, receive, send_frames, make, copy, drop, is_up, n_missed };
}
