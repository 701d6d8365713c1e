/* Addresses of nodes in frames, which are the same in captures of the simulator and in a lab.
 *
 *     02:nn:nn:nn:pp:pp     the port pp of node nn, locally administered
 *     10.0.0.1              the first host; the next is 10.0.0.2
 *
 * A flow is identified by a queue pair, and by a UDP source port, by which routers distinguish
 * flows.
 */

#ifndef PACKET_ADDRESS_H
#define PACKET_ADDRESS_H

#include <stdint.h>
#include <string.h>

static inline void
packet_port_address(uint32_t node, uint32_t port, uint8_t address[6])
{
    const uint8_t bytes[6] = { 0x02,          (uint8_t)(node >> 16), (uint8_t)(node >> 8),
                               (uint8_t)node, (uint8_t)(port >> 8),  (uint8_t)port };

    memcpy(address, bytes, sizeof bytes);
}

/* The address of a host, by its index among hosts. */
static inline uint32_t
packet_host_ip(uint32_t index)
{
    return (10u << 24) + index + 1;
}

enum { PACKET_FIRST_QP = 0x10000, PACKET_FIRST_UDP_PORT = 0xc000, PACKET_N_UDP_PORTS = 0x4000 };

static inline uint32_t
packet_flow_qp(uint32_t flow)
{
    return PACKET_FIRST_QP + flow;
}

static inline uint16_t
packet_flow_udp_port(uint32_t flow)
{
    return (uint16_t)(PACKET_FIRST_UDP_PORT + flow % PACKET_N_UDP_PORTS);
}

#endif
