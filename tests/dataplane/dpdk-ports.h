/* Ports of DPDK for tests, which open, fill and empty them in one line each. */

#ifndef TESTS_DATAPLANE_DPDK_PORTS_H
#define TESTS_DATAPLANE_DPDK_PORTS_H

#include <stdint.h>
#include <string.h>

#include "dpdk-group.h"

static inline struct dp_io
open_ports(const struct dpdk_port *ports, uint32_t n, uint32_t n_frames, uint32_t max_len)
{
    struct err err = { 0 };
    struct dp_io io;

    if (!dpdk->open(ports, n, n_frames, max_len, &io, &err)) {
        fail_msg("%s", err.text);
    }
    return io;
}

/* Makes a frame with one value in all its bytes. */
static inline struct dp_frame
made(const struct dp_io *io, uint32_t len, uint8_t value)
{
    struct dp_frame frame;

    assert_true(io->make(io->arg, len, &frame));
    memset(frame.bytes, value, len);
    return frame;
}

/* Checks that a frame has this length and this value in all its bytes, and gives it back. */
static inline void
assert_is(const struct dp_io *io, struct dp_frame *frame, uint32_t len, uint8_t value)
{
    assert_int_equal(frame->len, len);
    for (uint32_t i = 0; i < len; i++) {
        assert_int_equal(frame->bytes[i], value);
    }
    io->drop(io->arg, frame);
}

#endif
