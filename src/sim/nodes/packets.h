/* Packets, as kinds of nodes see them: a record of 16 bytes, in mail while the packet is on a link
 * and in a pool of its node while it waits.  The record is copied as a whole and has no pointer.  A
 * caller with real frames keeps their bytes itself (src/dataplane). */

#ifndef SIM_PACKETS_H
#define SIM_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/units.h"

#define SIM_NONE     UINT32_MAX
#define SIM_REROUTED UINT32_MAX /* The key of a SIM_LINK mail when routes change. */

enum { SIM_MAX_HOPS = 255 }; /* The count fits into a byte and stops there. */
enum { SIM_DST_BITS = 24, SIM_MAX_DST = (1 << SIM_DST_BITS) - 1 };

enum sim_packet_kind {
    SIM_DATA,
    SIM_ACK,         /* All packets before 'sequence' have arrived. */
    SIM_ACK_MARKED,  /* All packets before 'sequence' have arrived, and some packets were marked. */
    SIM_NACK,        /* All packets before 'sequence' have arrived, and 'sequence' is missing. */
    SIM_CNP,         /* A congestion notification. */
    SIM_SACK,        /* 'sequence' has arrived, but not all packets before it. */
    SIM_SACK_MARKED, /* 'sequence' has arrived, but not all packets before it, and 'sequence' was
                      * marked. */
    SIM_PROBE,       /* A data packet to which each switch that it leaves adds telemetry. */
};

static inline bool
sim_is_data(unsigned kind)
{
    return kind == SIM_DATA || kind == SIM_PROBE;
}

struct sim_packet {
    uint32_t flow;
    uint32_t sequence;           /* For an ACK or NACK: the first packet that is still missing. */
    uint32_t dst : SIM_DST_BITS; /* The index of the destination among NICs. */
    uint32_t n_hops : 8;         /* The number of switches crossed, up to SIM_MAX_HOPS. */
    uint16_t bytes;
    uint8_t cls;
    uint8_t ecn : 2;  /* enum weir_ecn. */
    uint8_t kind : 6; /* enum sim_packet_kind. */
};

_Static_assert(sizeof(struct sim_packet) == 16, "packet");

struct sim_held {             /* A packet that waits at a node. */
    struct sim_packet packet; /* 0 bytes: this record is free. */
    uint32_t next;            /* The next packet in a list of the node. */
    uint16_t in_port, out_port;
    union {
        weir_ps due_ps;    /* For the kind of node: the time when the packet moves on, if known. */
        uint32_t wait_row; /* For a node that 'is_timed': the row that counts the wait of the
                            * packet; SIM_NONE: not known (sim/sojourn.h). */
    };
} __attribute__((aligned(32)));

_Static_assert(sizeof(struct sim_held) == 32, "held packet");

struct sim_queue { /* A list in the pool of a node. */
    uint32_t head, tail;
};

enum sim_event {                  /* Sorted in the order of events with equal times. */
                 SIM_LINK,        /* A link of this node goes down or up, or its routes change. */
                 SIM_SLOW,        /* A port sends at another rate; key: the slowing of the model. */
                 SIM_TX,          /* A port may start a packet or frame. */
                 SIM_FRAME,       /* A control frame, or a message for this node, takes effect. */
                 SIM_MESSAGE,     /* The last bit of a message for another node has arrived. */
                 SIM_TIMER,       /* A timer of an engine. */
                 SIM_WATCHDOG,    /* A storm may begin or end. */
                 SIM_ALARM,       /* The alarm of the node's kind: sim_node_alarm(). */
                 SIM_NOTICE,      /* A message begins on a connection to this node. */
                 SIM_OWN,         /* The first event of the node's kind: SIM_OWN + 0, ... */
                 SIM_PACKET = 31, /* The last bit of a packet has arrived. */
};

struct sim_mail { /* An event at a node.  32 bytes: two to a cache line. */
    weir_ps at;
    uint32_t node; /* In an inbox the node is known, and this is the number that its kind
                    * prepared. */
    uint16_t port;
    uint8_t event; /* enum sim_event. */
    bool up;       /* For SIM_LINK: the link goes up. */
    union {
        struct sim_packet packet; /* For SIM_PACKET. */
        /* SIM_LINK: SIM_REROUTED if routes have changed and not the link.  SIM_FRAME, SIM_MESSAGE,
         * SIM_NOTICE: the index in the pool of frames.  SIM_TIMER: the timer's number.
         * SIM_WATCHDOG: the slot.  For events of a kind: as the kind defines it. */
        uint32_t key;
    };
};

_Static_assert(sizeof(struct sim_mail) == 32, "mail");

#endif
