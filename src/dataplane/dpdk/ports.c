/* The module that calls DPDK, weir-dpdk.so: ports of a node are devices, or rings within the
 * process, with one pool of frames for all.  Its table of functions is in dataplane/dpdk.h. */

#include <inttypes.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/out-of-memory.h"
#include "dataplane/dpdk/devices.h"
#include "dataplane/dpdk/drivers.h"
#include "dataplane/dpdk/eal.h"
#include "dataplane/dpdk/said.h"

enum { MOST_FRAMES = 1 << 24, MOST_CACHED = 256, KEPT_OF_EACH = 192, PAGE = 4096, BESIDE_MB = 32 };

/* A port. Each of its rings has space for all frames of the pool, so that it never refuses one. */
struct port {
    struct rte_ring *in, *out; /* Null: the port has a device, or nothing is connected. */
    struct device device;
    bool is_open; /* The device is open. */
};

struct ports {
    struct rte_mempool *pool;
    struct port *of;
    uint32_t n;
};

/* The data next to each frame of the pool.  It has the size of a cache line, so that the headers of
 * a frame, which follow, begin at a cache line, too. */
struct beside {
    weir_ps at;
} __rte_cache_aligned;

/* Frames in both directions. */

static struct beside *
beside(struct rte_mbuf *m)
{
    return rte_mbuf_to_priv(m);
}

/* Fills a dp_frame from an mbuf.  Frames are in one segment.  If a frame has several segments, the
 * first one is longer than any valid frame, so the reader counts it as too long, and drops all
 * segments. */
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

/* Sends frames to a ring, with the arrival time next to each frame, which devices do not need. */
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

/* Makes a frame that shares its bytes with another. DPDK counts the frames that refer to them. */
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

/* Opening ports. */

static struct rte_mempool *
new_pool(uint32_t n_frames, uint32_t max_len)
{
    static uint32_t n_pools; /* Counts pools, because their names must be unique in the process. */
    uint32_t cached = n_frames / 2 < MOST_CACHED ? n_frames / 2 : MOST_CACHED;
    char name[RTE_MEMPOOL_NAMESIZE];

    snprintf(name, sizeof name, "weir %u", n_pools++);
    return rte_pktmbuf_pool_create(name, n_frames, cached, sizeof(struct beside),
                                   (uint16_t)(driver_room(max_len) + RTE_PKTMBUF_HEADROOM),
                                   SOCKET_ID_ANY);
}

/* Allocates a ring in the process's own memory. DPDK's memory has space for only some thousand
 * rings. */
static struct rte_ring *
new_ring(uint32_t n_frames)
{
    ssize_t bytes = rte_ring_get_memsize(rte_align32pow2(n_frames + 1));
    struct rte_ring *ring = array_new_aligned(RTE_CACHE_LINE_SIZE, (size_t)bytes);

    rte_ring_init(ring, "weir", n_frames, RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
    return ring;
}

static bool
has_ring(const struct dpdk_port *p)
{
    return !p->device && !p->is_down;
}

/* Creates the ring from which each port receives, then connects the ports that send into it. */
static void
open_rings(struct ports *all, const struct dpdk_port *ports, uint32_t n_frames)
{
    for (uint32_t i = 0; i < all->n; i++) {
        all->of[i].in = has_ring(&ports[i]) ? new_ring(n_frames) : NULL;
    }
    for (uint32_t i = 0; i < all->n; i++) {
        all->of[i].out = has_ring(&ports[i]) ? all->of[ports[i].ring_to].in : NULL;
    }
}

static uint32_t
count_devices(const struct dpdk_port *ports, uint32_t n_ports)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_ports; i++) {
        n += ports[i].device != NULL;
    }
    return n;
}

/* Opens the devices, which share the limit on locked memory. */
static bool
open_devices(struct ports *all, const struct dpdk_port *ports, uint32_t max_len, struct err *err)
{
    uint32_t n_devices = count_devices(ports, all->n);

    for (uint32_t i = 0; i < all->n; i++) {
        struct port *p = &all->of[i];
        if (ports[i].device) {
            struct dpdk_port asked = ports[i];
            asked.n_waiting = driver_most_waiting(asked.n_waiting, n_devices--, max_len);
            p->is_open = device_open(&p->device, &asked, max_len, all->pool, err);
            if (!p->is_open) {
                return false;
            }
        }
    }
    return true;
}

static bool
check(const struct dpdk_port *ports, uint32_t n_ports, uint32_t n_frames, uint32_t max_len,
      struct err *err)
{
    for (uint32_t i = 0; i < n_ports; i++) {
        int64_t to = ports[i].ring_to;
        if (has_ring(&ports[i]) && (to < 0 || to >= n_ports || !has_ring(&ports[to]))) {
            return err_set(err, "port %u has no device, and no ring to another port without one",
                           i);
        }
    }
    if (!n_frames || n_frames > MOST_FRAMES) {
        return err_set(err, "there may be 1 to %u frames, not %u", MOST_FRAMES, n_frames);
    }
    return max_len <= DP_MAX_LEN ||
           err_set(err, "frames may have up to %u B, not %u B", DP_MAX_LEN, max_len);
}

/* The size of the pool: the number that the caller needs, the frames that devices hold, and a burst
 * of each device. */
static uint32_t
all_frames(const struct dpdk_port *ports, uint32_t n_ports, uint32_t n_frames)
{
    return n_frames + count_devices(ports, n_ports) * (DEVICE_KEEPS + DP_BURST);
}

/* The memory of frames: their bytes, the headroom, and DPDK's data of each frame. It is rounded up
 * to pages, because frames are laid out to cross as few pages as possible. */
static uint64_t
bytes_of(uint32_t n_frames, uint32_t max_len)
{
    uint32_t each = driver_room(max_len) + RTE_PKTMBUF_HEADROOM +
                    (uint32_t)(sizeof(struct rte_mbuf) + sizeof(struct beside)) + KEPT_OF_EACH;

    return (uint64_t)n_frames * RTE_ALIGN_CEIL(each, PAGE);
}

/* Checks that memory is available, because DPDK allocates without a check. */
static bool
check_memory(uint64_t bytes, uint32_t n_frames, struct err *err)
{
    uint64_t there = oom_memory_there();

    return bytes < there ||
           err_set(err, "%u frames take %" PRIu64 " MB of memory, and %" PRIu64 " MB are free",
                   n_frames, bytes / 1000000, there / 1000000);
}

/* Reports that the pool could not be created. With huge pages, this happens when they are
 * exhausted, even if other memory is free. */
static bool
fail_to_make(uint32_t n_frames, uint32_t max_len, uint64_t bytes, struct err *err)
{
    const char *why = rte_strerror(rte_errno);
    uint64_t mb = bytes / 1000000 + BESIDE_MB;

    if (!rte_eal_has_hugepages()) {
        return err_set(err, "cannot make %u frames of %u B: %s", n_frames, driver_room(max_len),
                       why);
    }
    return err_set(err,
                   "cannot make %u frames of %u B in huge pages: %s; they take up to %" PRIu64
                   " MB: 'sysctl vm.nr_hugepages=%" PRIu64 "' makes as many pages of 2 MiB",
                   n_frames, driver_room(max_len), why, mb, mb / 2);
}

/* Closes the ports. Frames that are still on a ring are freed with the pool. */
static void
ports_close(struct dp_io *io)
{
    struct ports *all = io->arg;

    for (uint32_t i = 0; i < all->n; i++) {
        free(all->of[i].in);
        if (all->of[i].is_open) {
            device_close(&all->of[i].device);
        }
    }
    rte_mempool_free(all->pool);
    free(all->of);
    free(all);
    *io = (struct dp_io){ 0 };
}

static bool
ports_open(const struct dpdk_port *ports, uint32_t n_ports, uint32_t n_frames, uint32_t max_len,
           struct dp_io *io, struct err *err)
{
    uint32_t n_all = all_frames(ports, n_ports, n_frames);
    uint64_t bytes = bytes_of(n_all, max_len);

    if (!check(ports, n_ports, n_frames, max_len, err) || !check_memory(bytes, n_all, err) ||
        !eal_start(ports, n_ports, bytes, err)) {
        return false;
    }
    said_forget();
    struct ports *all = array_new(1, sizeof *all);
    *all = (struct ports){
        .pool = new_pool(n_all, max_len),
        .of = array_new(n_ports, sizeof *all->of),
        .n = n_ports,
    };
    *io = (struct dp_io){ all, receive, send_frames, make, copy, drop, is_up, n_missed };
    open_rings(all, ports, n_all);
    bool is_good = all->pool ? open_devices(all, ports, max_len, err)
                             : fail_to_make(n_all, max_len, bytes, err);
    if (!is_good) {
        ports_close(io);
    }
    return is_good;
}

extern const struct dpdk_calls weir_dpdk_calls;

__attribute__((visibility("default"))) const struct dpdk_calls weir_dpdk_calls = {
    .build = WEIR_VERSION,
    .max_devices = RTE_MAX_ETHPORTS,
    .begin = eal_begin,
    .open = ports_open,
    .close = ports_close,
    .end = eal_end,
};
