/* Writes the packets of chosen ports into a capture file during a run. */

#include "run/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/port-list.h"
#include "base/text.h"
#include "bind/bind.h"
#include "packet/address.h"
#include "packet/packet.h"
#include "topo/port-names.h"

/* The user's settings. */

int
capture_check(struct capture *c, const char *results, struct err *err)
{
    const char *alone = c->ports         ? "--ports"
                        : c->max_packets ? "--packets"
                        : c->snap_bytes  ? "--snap"
                        : c->force       ? "--force"
                                         : NULL;

    if (!c->path && alone) {
        return run_fail_command(err, EXIT_USER, "%s needs --pcap OUT", alone);
    }
    if (c->path && results && !strcmp(c->path, results)) {
        return run_fail(err, EXIT_USER,
                        "--record and --pcap name the same file, '%s': give each its own", results);
    }
    c->max_packets = c->max_packets ? c->max_packets : UINT64_MAX;
    c->snap_bytes =
        c->snap_bytes && c->snap_bytes < PACKET_MAX_BYTES ? c->snap_bytes : PACKET_MAX_BYTES;
    return EXIT_GOOD;
}

/* Selection of ports. */

static bool
choose_port(void *capture, struct port_name name, struct err *err)
{
    struct capture *c = capture;
    const struct topo *t = &c->scenario->topo;
    struct topo_end end = { topo_find_node(t, name.node), name.port };
    char offer[200];

    if (end.node == TOPO_NONE) {
        text_offer(name.node, &t->by_name[0].name, sizeof t->by_name[0], t->n_nodes, offer,
                   sizeof offer);
        return err_set(err, "--ports: no node '%s'%s", name.node, offer);
    }
    uint32_t max = t->nodes[end.node].n_ports, *ports = array_new(max, sizeof *ports);
    uint32_t n_ports = topo_match_ports(t, &end, NULL, ports, max);
    for (uint32_t i = 0; i < n_ports; i++) {
        c->captured[ports[i]] = true;
    }
    free(ports);
    return n_ports || err_set(err,
                              "--ports: %s has no port '%s': write a number from 0 to %u, or "
                              "the name of a neighbour or of a link",
                              name.node, name.port, max - 1);
}

/* Contents of packets. */

static void
put_address(const struct capture *c, uint32_t port, uint8_t address[6])
{
    const struct topo_port *p = &c->scenario->topo.ports[port];

    packet_port_address(p->node, p->number, address);
}

static uint32_t
ip_address(const struct capture *c, uint32_t node)
{
    return packet_host_ip(c->scenario->topo.nodes[node].index);
}

/* The TTL of a packet is 1 after the last switch that the hop limit allows.  Without a limit it is
 * 64, as usual.  The TTL of a packet that loops for ever stays at 1. */
static uint8_t
ttl(const struct capture *c, const struct sim_crossing *x)
{
    uint64_t limit = c->scenario->routing.hop_limit;
    uint64_t first = !limit ? 64 : limit < UINT8_MAX ? limit + 1 : UINT8_MAX;

    return (uint8_t)(x->n_hops < first ? first - x->n_hops : 1);
}

/* The number of packets of a flow, which the capture shows as one InfiniBand message. */
static uint64_t
packets_of(const struct capture *c, const struct scn_flow *f)
{
    uint64_t mtu = c->scenario->wire.mtu_bytes;

    return model_is_finite(f->bytes) ? (f->bytes + mtu - 1) / mtu : UINT64_MAX;
}

/* The size of the flow's message, limited to the maximum that InfiniBand can express. */
static uint32_t
message_bytes(const struct capture *c, const struct scn_flow *f)
{
    const uint64_t most = UINT64_C(1) << 31;
    uint32_t mtu = (uint32_t)c->scenario->wire.mtu_bytes;
    uint64_t n = packets_of(c, f), last = f->bytes - (n - 1) * mtu;

    if (n > most) {
        return (uint32_t)most;
    }
    uint64_t all = n == 1 ? packet_data_bytes(PACKET_WRITE_ONLY, (uint32_t)last)
                          : packet_data_bytes(PACKET_WRITE_FIRST, mtu) +
                                (n - 2) * packet_data_bytes(PACKET_WRITE_MIDDLE, mtu) +
                                packet_data_bytes(PACKET_WRITE_LAST, (uint32_t)last);
    return (uint32_t)(all < most ? all : most);
}

static void
be_data(const struct capture *c, const struct scn_flow *f, const struct sim_crossing *x,
        struct packet *p)
{
    static const uint8_t opcodes[2][2] = { { PACKET_WRITE_MIDDLE, PACKET_WRITE_LAST },
                                           { PACKET_WRITE_FIRST, PACKET_WRITE_ONLY } };
    bool is_last = x->sequence + UINT64_C(1) == packets_of(c, f);
    bool is_reliable = bind_recovery_of(c->scenario, f)->is_reliable;

    p->opcode = opcodes[x->sequence == 0][is_last] | (is_reliable ? 0 : PACKET_UNRELIABLE);
    p->psn = x->sequence;
    p->asks_for_ack = is_reliable && is_last;
    p->data_bytes = x->sequence == 0 ? message_bytes(c, f) : 0;
}

/* An ACK names the last packet that has arrived, a NACK the missing packet, and a selective ACK the
 * packet that it acknowledges. */
static void
be_answer(const struct capture *c, const struct scn_flow *f, const struct sim_crossing *x,
          struct packet *p)
{
    bool is_sack = x->kind == SIM_SACK || x->kind == SIM_SACK_MARKED;

    p->has_becn = x->kind == SIM_ACK_MARKED || x->kind == SIM_SACK_MARKED || x->kind == SIM_CNP;
    if (x->kind == SIM_CNP) {
        p->opcode = PACKET_CNP;
        return;
    }
    p->opcode = PACKET_ACKNOWLEDGE;
    p->syndrome = is_sack ? PACKET_SACK : x->kind == SIM_NACK ? PACKET_NAK_SEQUENCE : PACKET_ACK;
    p->psn = is_sack || x->kind == SIM_NACK ? x->sequence : x->sequence - 1;
    p->n_messages = x->sequence == packets_of(c, f);
}

static struct packet
packet_of(const struct capture *c, const struct sim_crossing *x)
{
    const struct scn_flow f_at = scn_flow_at(c->scenario, x->flow), *f = &f_at;
    bool is_data = sim_is_data(x->kind);
    struct packet p = { .ip_from = ip_address(c, is_data ? f->from : f->to),
                        .ip_to = ip_address(c, is_data ? f->to : f->from),
                        .ip_id = (uint16_t)x->sequence,
                        .tos = packet_tos(x->cls, x->ecn),
                        .ttl = ttl(c, x),
                        .udp_from = packet_flow_udp_port(x->flow),
                        .qp = packet_flow_qp(x->flow),
                        .bytes = x->bytes };

    if (is_data) {
        be_data(c, f, x, &p);
    } else {
        be_answer(c, f, x, &p);
    }
    return p;
}

/* Encodes the addresses of a control message, which stay the same at all hops: the NIC that
 * receives it, and the port whose queue it reports. */
static uint32_t
encode_message(const struct capture *c, const struct sim_crossing *x)
{
    struct packet_message m = { .n_hops = x->n_hops, .flow = x->about };

    put_address(c, c->scenario->topo.nodes[x->to].first_port, m.to);
    put_address(c, x->from, m.from);
    return packet_encode_message(&x->frame, &m, c->bytes);
}

/* Every switch is a router, so the MAC addresses of a packet are those of the link that it
 * crosses. */
static bool
write_crossing(struct capture *c, const struct sim_crossing *x)
{
    uint32_t peer = c->scenario->topo.ports[x->port].peer;
    uint8_t to[6], from[6];
    uint32_t length;

    put_address(c, x->is_sent ? x->port : peer, from);
    put_address(c, x->is_sent ? peer : x->port, to);
    if (x->to != SIM_NONE) {
        length = encode_message(c, x);
    } else if (x->flow == SIM_NO_FLOW) {
        length = packet_encode_frame(&x->frame, from, c->bytes);
    } else {
        struct packet p = packet_of(c, x);
        memcpy(p.to, to, sizeof to);
        memcpy(p.from, from, sizeof from);
        length = packet_encode(&p, (uint32_t)c->snap_bytes, c->bytes);
    }
    c->n_packets++;
    return pcapng_add_packet(
        &c->file,
        &(struct pcapng_packet){ .interface = c->interfaces[x->port],
                                 .time_ns = x->at_ps / 1000,
                                 .bytes = c->bytes,
                                 .captured_bytes =
                                     length < c->snap_bytes ? length : (uint32_t)c->snap_bytes,
                                 .length_bytes = length,
                                 .direction = x->is_sent ? PCAPNG_OUTBOUND : PCAPNG_INBOUND,
                                 .fcs_bytes = PACKET_FCS_BYTES },
        &c->err);
}

static void
write_crossings(void *arg, struct sim *sim, const struct sim_crossing *crossings, size_t n)
{
    struct capture *c = arg;

    for (size_t i = 0; i < n; i++) {
        if (c->n_packets == c->max_packets) {
            c->n_left_out += n - i;
            return;
        }
        if (!write_crossing(c, &crossings[i])) {
            sim_stop(sim);
            return;
        }
    }
}

/* The file. */

int
capture_configure(struct capture *c, const struct scenario *s, struct sim_config *config,
                  struct err *err)
{
    size_t n_ports = s->topo.n_ports;
    int code = EXIT_GOOD;

    c->scenario = s;
    c->captured = array_new(n_ports, sizeof *c->captured);
    c->interfaces = array_new(n_ports, sizeof *c->interfaces);
    c->bytes = array_new(PACKET_MAX_BYTES, sizeof *c->bytes);
    if (c->ports) {
        code = port_list_each(c->ports, choose_port, c, err) ? EXIT_GOOD : EXIT_USER;
    } else {
        memset(c->captured, true, n_ports);
    }
    config->captured = c->captured;
    config->crossed = write_crossings;
    config->crossed_arg = c;
    return code;
}

int
capture_begin(struct capture *c, struct err *err)
{
    const struct topo *t = &c->scenario->topo;
    int code = run_create(&c->stream, c->path, c->force, err);
    code = code == EXIT_USER ? run_fail_command(err, code, "%s", err->text) : code;

    if (code != EXIT_GOOD) {
        return code;
    }
    pcapng_open_stream(&c->file, c->stream, c->path);
    for (uint32_t port = 0; port < t->n_ports; port++) {
        const struct topo_port *p = &t->ports[port];
        char name[2 * TOPO_PORT_BYTES], text[TOPO_PORT_BYTES];
        if (c->captured[port]) {
            snprintf(name, sizeof name, "%s:%s", topo_port_text(t, port, text),
                     t->nodes[t->ports[p->peer].node].name);
            c->interfaces[port] = c->n_ports++;
            pcapng_add_interface(&c->file, name, t->links[p->link].rate_bps, &c->err);
        }
    }
    return EXIT_GOOD;
}

static bool
close_file(struct capture *c)
{
    bool good = pcapng_close(&c->file, &c->err);

    if (fclose(c->stream) && good) {
        good = err_set(&c->err, "cannot write %s: %s", c->path, strerror(errno));
    }
    c->stream = NULL;
    return good;
}

static void
remove_half(const struct capture *c)
{
    if (!c->force) {
        remove(c->path);
    }
}

int
capture_end(struct capture *c, struct err *err)
{
    if (!close_file(c)) {
        remove_half(c);
        return run_fail(err, EXIT_WORLD, "%s", c->err.text);
    }
    return EXIT_GOOD;
}

void
capture_free(struct capture *c)
{
    if (c->stream) { /* The run failed. */
        close_file(c);
        remove_half(c);
    }
    free(c->captured);
    free(c->interfaces);
    free(c->bytes);
}
