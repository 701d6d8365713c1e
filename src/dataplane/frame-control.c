/* Encodes and decodes control frames and messages (weir/wire.h). */

#include <string.h>

#include "dataplane/frame-parts.h"
#include "dataplane/frame.h"
#include "packet/packet.h"
#include "topo/topo.h"
#include "weir/wire.h"

/* Where a frame has its classes: nowhere, because it is for all; in a PFC class vector; or as the
 * number of one class. */
enum class_place { EVERY_CLASS, CLASS_VECTOR, ONE_CLASS };

static const struct control_form {
    uint32_t id;
    uint8_t len;
    uint8_t place; /* enum class_place. */
} forms[] = {
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_PFC), 22, CLASS_VECTOR },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_GFC), 22, CLASS_VECTOR },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_MAC_CONTROL, WEIR_OPCODE_FAFC), 38, CLASS_VECTOR },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_CREDIT), 18, ONE_CLASS },
    { WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, WEIR_SUBTYPE_QUEUE), 18, ONE_CLASS },
};

/* The form of frames of engines that are not part of Weir. They have subtypes from FIRST_OF_OTHERS
 * on, and only these engines know the rest of the frame. */
static const struct control_form others_form = { 0, 4, EVERY_CLASS };
#define FIRST_OF_OTHERS WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, 0xff00)
#define LAST_OF_OTHERS  WEIR_FRAME_ID(WEIR_ETHERTYPE_EXPERIMENTAL, 0xffff)

static const struct control_form *
form_of(uint32_t id)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].id == id) {
            return &forms[i];
        }
    }
    return id >= FIRST_OF_OTHERS && id <= LAST_OF_OTHERS ? &others_form : NULL;
}

/* Whether a frame is for at least one existing class. Engines ignore all other classes. */
static bool
is_for_classes(const struct weir_frame *f, enum class_place place, uint32_t n_classes)
{
    switch (place) {
    case CLASS_VECTOR:
        return f->bytes[5] & ((1u << n_classes) - 1);
    case ONE_CLASS:
        return f->bytes[4] < n_classes;
    default:
        return true;
    }
}

static bool
read_control(const struct dp_network *net, const uint8_t *bytes, size_t len, struct dp_parsed *p)
{
    struct weir_frame *f = &p->control.frame;

    p->control = (struct sim_frame){ .to = SIM_NONE, .flow = SIM_NONE };
    weir_frame_from_ethernet(bytes, len, f);
    const struct control_form *form = form_of(weir_frame_id(f));
    if (!form || f->len < form->len || !is_for_classes(f, form->place, net->n_classes)) {
        return false;
    }
    f->len = form->id ? form->len : f->len;
    return true;
}

/* Messages to senders. */

enum { NODE_SHIFT = 16, NODE_BITS = 24, OWN_BYTE = 0x02 };

/* The node with an address; TOPO_NONE: the address is not one of the model's. */
static uint32_t
node_of(const struct topo *topo, uint64_t address)
{
    uint32_t node = address >> NODE_SHIFT & ((1u << NODE_BITS) - 1);
    bool is_own = address >> (NODE_SHIFT + NODE_BITS) == OWN_BYTE && node < topo->n_nodes;

    return is_own && (address & 0xffff) < topo->nodes[node].n_ports ? node : TOPO_NONE;
}

/* Whether a frame is a message.  It must be addressed to a node of the model. */
static bool
is_message(const struct dp_network *net, const uint8_t *bytes, size_t len, uint64_t to)
{
    uint32_t type = get16(bytes + TYPE_AT);

    return (type == WEIR_ETHERTYPE_CNM || type == WEIR_ETHERTYPE_CN_TAG ||
            type == WEIR_ETHERTYPE_EXPERIMENTAL) &&
           len >= WEIR_ETHERNET_BYTES && bytes[PACKET_NOTE_AT] == PACKET_NOTE_MARK &&
           node_of(net->topo, to) != TOPO_NONE;
}

enum { NOTE_AT = PACKET_NOTE_AT - TYPE_AT, CNM_BYTES = 26 }; /* Counted from the EtherType on. */

/* Removes the note and the padding that contains it. */
static void
cut_note(struct weir_frame *f)
{
    struct weir_cnm cnm;
    uint32_t tag = get16(f->bytes) == WEIR_ETHERTYPE_CN_TAG ? TAG_BYTES : 0;

    memset(f->bytes + NOTE_AT, 0, WEIR_FRAME_MAX - NOTE_AT);
    f->len = NOTE_AT;
    if (weir_cnm_decode(f, &cnm)) {
        f->len = (uint8_t)(tag + CNM_BYTES + cnm.quoted_bytes);
    }
}

static bool
read_message(const struct dp_network *net, const uint8_t *bytes, size_t len, struct dp_parsed *p)
{
    const struct topo *topo = net->topo;
    uint32_t from = node_of(topo, p->from), flow = get32(bytes + PACKET_NOTE_AT + 2);

    if (from == TOPO_NONE || flow >= net->n_flows) {
        return false;
    }
    p->control =
        (struct sim_frame){ .to = node_of(topo, p->to),
                            .from = topo->nodes[from].first_port + (uint32_t)(p->from & 0xffff),
                            .flow = flow,
                            .n_hops = bytes[PACKET_NOTE_AT + 1] };
    weir_frame_from_ethernet(bytes, len, &p->control.frame);
    cut_note(&p->control.frame);
    return true;
}

/* Addresses that no bridge forwards (802.1Q, 8.6.3), and among them those of bridges and of MAC
 * control. Spanning-tree messages are flooded, because no switch here takes part in the protocol: a
 * switch that dropped them would hide a loop through it. */
#define LINK_LOCAL  UINT64_C(0x0180c2000000)
#define BRIDGES     UINT64_C(0x0180c2000000)
#define MAC_CONTROL UINT64_C(0x0180c2000001)

bool
dp_control_read(const struct dp_network *net, const uint8_t *bytes, size_t len, struct dp_parsed *p)
{
    if (get16(bytes + TYPE_AT) == WEIR_ETHERTYPE_MAC_CONTROL || p->to == MAC_CONTROL) {
        p->what = read_control(net, bytes, len, p) ? DP_CONTROL : DP_BAD_CONTROL;
    } else if (p->to >> 4 == LINK_LOCAL >> 4 && p->to != BRIDGES) {
        p->what = DP_LINK_LOCAL;
    } else if (is_message(net, bytes, len, p->to)) {
        p->what = read_message(net, bytes, len, p) ? DP_MESSAGE : DP_BAD_CONTROL;
    } else {
        return false;
    }
    return true;
}

static void
put_port_address(const struct topo *topo, uint32_t port, uint8_t address[6])
{
    packet_port_address(topo->ports[port].node, topo->ports[port].number, address);
}

void
dp_frame_write_control(const struct dp_network *net, uint32_t port, const struct sim_frame *c,
                       uint8_t *bytes)
{
    const struct topo *topo = net->topo;
    struct packet_message m = { .n_hops = c->n_hops, .flow = c->flow };

    if (c->to == SIM_NONE) {
        put_port_address(topo, port, m.from);
        weir_frame_to_ethernet(&c->frame, m.from, bytes);
        return;
    }
    put_port_address(topo, topo->nodes[c->to].first_port, m.to);
    put_port_address(topo, c->from, m.from);
    packet_encode_open_message(&c->frame, &m, bytes);
}
