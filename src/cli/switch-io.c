/* Ports as the node of `weir switch` sees them: one without a device is down. */

#include "cli/switch.h"

#define NO_DEVICE UINT32_MAX

static uint32_t
receive(void *arg, uint32_t port, struct dp_frame *frames, uint32_t max)
{
    struct switch_io *s = arg;
    uint32_t device = s->device_of[port];

    return device == NO_DEVICE ? 0 : s->devices.receive(s->devices.arg, device, frames, max);
}

static uint32_t
send(void *arg, uint32_t port, struct dp_frame *frames, uint32_t n)
{
    struct switch_io *s = arg;
    uint32_t device = s->device_of[port];

    return device == NO_DEVICE ? 0 : s->devices.send(s->devices.arg, device, frames, n);
}

static bool
make(void *arg, uint32_t len, struct dp_frame *frame)
{
    struct switch_io *s = arg;

    return s->devices.make(s->devices.arg, len, frame);
}

static bool
copy(void *arg, const struct dp_frame *frame, struct dp_frame *to)
{
    struct switch_io *s = arg;

    return s->devices.copy(s->devices.arg, frame, to);
}

static void
drop(void *arg, struct dp_frame *frame)
{
    struct switch_io *s = arg;

    s->devices.drop(s->devices.arg, frame);
}

static bool
is_up(void *arg, uint32_t port)
{
    struct switch_io *s = arg;
    uint32_t device = s->device_of[port];
    bool is_up = device != NO_DEVICE && s->devices.is_up(s->devices.arg, device);

    s->has_changed |= is_up != s->links[port].is_up;
    s->links[port].is_up = is_up;
    return is_up;
}

static uint64_t
n_missed(void *arg, uint32_t port)
{
    struct switch_io *s = arg;
    uint32_t device = s->device_of[port];

    return device == NO_DEVICE ? 0 : s->devices.n_missed(s->devices.arg, device);
}

void
switch_io_put_before(struct switch_io *s, const struct switch_port *ports, uint32_t n_ports)
{
    uint32_t n_devices = 0;

    s->n_ports = n_ports;
    for (uint32_t i = 0; i < n_ports; i++) {
        s->device_of[i] = ports[i].is_down ? NO_DEVICE : n_devices++;
        s->links[i].is_up = s->links[i].is_told_up = !ports[i].is_down;
    }
    s->io = (struct dp_io){ .arg = s,
                            .receive = receive,
                            .send = send,
                            .make = make,
                            .copy = copy,
                            .drop = drop,
                            .is_up = is_up,
                            .n_missed = n_missed };
}
