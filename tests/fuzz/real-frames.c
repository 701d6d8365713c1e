/* Tries any bytes as a frame from a real link: decoded values must be in range, and a frame that is
 * written from them is read with the same values.
 *
 *     0  the number of classes less one
 *     1  values that a switch writes: class, ECN, hops, in bits 5..7, 3..4, 0..2
 *     2  the frame */

#include <assert.h>
#include <string.h>

#include "../dataplane/bed.h"
#include "dataplane/frame-parts.h"
#include "packet/packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_same(const struct sim_packet *a, const struct sim_packet *b)
{
    assert(!memcmp(a, b, sizeof *a));
}

/* Checks the frame after the changes of a switch, and as its sender would have written it. */
static void
check_packet(const struct bed *bed, const struct dp_parsed *p, uint8_t *bytes, size_t len,
             uint8_t change)
{
    struct sim_packet q = p->packet;
    struct dp_parsed again;

    assert(q.flow < BED_FLOWS && q.cls < bed->net.n_classes && q.kind < SIM_PROBE && q.bytes);
    assert(q.dst < bed->topo.n_nics && q.ecn <= WEIR_CE && dp_frame_len(&q) == len);
    assert(p->meant_ps >= 0);
    size_t end = IP_AT + get16(bytes + IP_AT + LENGTH_AT);
    assert(end <= len && end >= AETH_AT + ICRC_BYTES);
    q.cls = (uint8_t)((change >> 5) % bed->net.n_classes);
    q.ecn = (change >> 3 & 3) % 3u;
    q.n_hops = change & 7u;
    rewrite_packet(bytes, len, &q, 77);
    dp_frame_read(&bed->net, bytes, len, &again);
    assert(again.what == DP_PACKET && (again.meant_ps == 77 || again.meant_ps == WEIR_NEVER));
    check_same(&again.packet, &q);
    dp_frame_write(&bed->net, &q, 78, bytes);
    dp_frame_read(&bed->net, bytes, len, &again);
    assert(again.what == DP_PACKET);
    check_same(&again.packet, &q);
}

/* Checks a control frame that is written again. Its padding may differ, and so may its source
 * address. */
static void
check_control(const struct bed *bed, const struct dp_parsed *p)
{
    uint8_t bytes[WEIR_ETHERNET_BYTES];
    struct dp_parsed again;

    assert(p->control.frame.len >= 4 && p->control.frame.len <= WEIR_FRAME_MAX);
    dp_frame_write_control(&bed->net, 0, &p->control, bytes);
    dp_frame_read(&bed->net, bytes, sizeof bytes, &again);
    assert(again.what == p->what && again.control.to == p->control.to);
    assert(again.control.flow == p->control.flow && again.control.n_hops == p->control.n_hops);
    assert(again.control.from == p->control.from);
    assert(!memcmp(again.control.frame.bytes, p->control.frame.bytes, p->control.frame.len));
    if (p->what == DP_MESSAGE) {
        assert(p->control.to < bed->topo.n_nodes && p->control.from < bed->topo.n_ports);
        assert(p->control.flow < BED_FLOWS);
    }
}

/* Checks a foreign frame after the changes of a switch: its key stays, and it has a mark if it can
 * be marked. */
static void
check_foreign_frame(const struct bed *bed, const struct dp_parsed *p, uint8_t *bytes, size_t len,
                    uint8_t change)
{
    struct sim_packet q = p->packet;
    struct dp_parsed again;

    assert(q.cls < bed->net.n_classes && q.bytes >= 64 && q.bytes >= len + 4);
    q.cls = (uint8_t)((change >> 5) % bed->net.n_classes);
    q.ecn = WEIR_CE;
    dp_frame_rewrite_foreign(&bed->net, bytes, len, &q);
    dp_frame_read(&bed->net, bytes, len, &again);
    assert(again.what == DP_FOREIGN && again.to == p->to && again.from == p->from);
    assert(again.key == p->key && again.packet.bytes == q.bytes);
    assert(again.packet.cls == q.cls || again.packet.cls == p->packet.cls);
    assert(again.packet.ecn == (p->packet.ecn == WEIR_NOT_ECT ? WEIR_NOT_ECT : WEIR_CE));
}

/* Flows have their own allocation, so that a read past the last flow is detected. */
static void
start(struct bed *bed)
{
    struct dp_flow_ends *flows = malloc(sizeof bed->flows);

    assert(flows);
    bed_start(bed);
    memcpy(flows, bed->flows, sizeof bed->flows);
    bed->net.flows = flows;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bed bed;
    struct dp_parsed p;

    if (!bed.net.topo) {
        start(&bed);
    }
    if (size < 2) {
        return 0;
    }
    size_t len = size - 2;
    uint8_t *bytes = malloc(len + !len);
    memcpy(bytes, data + 2, len);
    bed.net.n_classes = data[0] % BED_CLASSES + 1u;
    dp_frame_read(&bed.net, bytes, len, &p);
    assert(p.what < DP_N_WHATS && dp_whats[p.what].words);
    assert((p.what == DP_TOO_SHORT) == (len < 14) && (p.what == DP_TOO_LONG) == (len > DP_MAX_LEN));
    assert(p.what != DP_BAD_PACKET || len >= LEAST_LEN);
    if (p.what == DP_PACKET) {
        check_packet(&bed, &p, bytes, len, data[1]);
    } else if (p.what == DP_CONTROL || p.what == DP_MESSAGE) {
        check_control(&bed, &p);
    } else if (p.what == DP_FOREIGN) {
        check_foreign_frame(&bed, &p, bytes, len, data[1]);
    }
    free(bytes);
    return 0;
}
