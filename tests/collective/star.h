/* An empty network for collectives: each member has its own path of links to one switch, which has
 * a link to each member.
 *
 * It is as simple as the closed forms of time: a link carries one packet at a time and has a delay,
 * a node forwards a packet when it has received all of it, and queues are FIFO without limit.  The
 * messages of one pair and channel leave in order, and pairs take turns packet by packet. */

#ifndef TESTS_COLLECTIVE_STAR_H
#define TESTS_COLLECTIVE_STAR_H

#include "graph/collective.h"
#include "weir/units.h"

struct star {
    uint32_t links; /* On each path between two members, at least 2. */
    weir_ps delay_ps, byte_ps;
    uint64_t mtu_bytes, gap_bytes;
    uint64_t min_bytes; /* The packet of an empty message. */
};

/* The time until all members are done, from a start of all at time 0; WEIR_NEVER: they wait for
 * each other forever. */
weir_ps star_run(const struct star *, const struct coll_params *);

/* w(b): the time of a packet on a link; W(m): of a message on a link; D(m): of a message from
 * member to member. */
weir_ps star_packet_ps(const struct star *, uint64_t bytes);
weir_ps star_wire_ps(const struct star *, uint64_t bytes);
weir_ps star_message_ps(const struct star *, uint64_t bytes);

#endif
