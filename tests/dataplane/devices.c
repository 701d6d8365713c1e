/* Devices of DPDK, in a network namespace of the test: frames that are sent at one end of a veth
 * pair arrive at the other, links go down, devices go away, and memory runs out. */

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "dpdk-ports.h"

enum { N_FRAMES = 256, MAX_LEN = 1518, JUMBO = 9014, SKIPPED = 77, DEADLINE_MS = 60000 };

static const struct dpdk_port veth[] = {
    { .device = "net_af_packet0,iface=wa" },
    { .device = "net_af_packet1,iface=wb" },
};

/* The veth pair, open in all tests of links: the kernel takes a quarter of a second to open and
 * close it. */
static struct dp_io pair;

static void
run_command(const char *command)
{
    if (system(command)) {
        fail_msg("failed: %s", command);
    }
}

/* Turns IPv6 off, because the interface would send frames of its own. A kernel without IPv6 sends
 * none. */
static void
silence_ipv6(void)
{
    int fd = open("/proc/sys/net/ipv6/conf/default/disable_ipv6", O_WRONLY);

    if (fd >= 0) {
        assert_int_equal(write(fd, "1", 1), 1);
        close(fd);
    }
}

static int
begin_with_veth(void **state)
{
    silence_ipv6();
    run_command("ip link add wa mtu 9000 type veth peer name wb mtu 9000");
    run_command("ip link set wa up && ip link set wb up");
    return begin(state);
}

static void
wait_1ms(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

/* Waits for frames.  The kernel is slow: it may report the state of a link only once a second. */
static uint32_t
wait_for_frames(const struct dp_io *io, uint32_t port, struct dp_frame *frames, uint32_t n)
{
    uint32_t n_come = io->receive(io->arg, port, frames, n);

    for (int i = 0; i < DEADLINE_MS && n_come < n; i++) {
        wait_1ms();
        n_come += io->receive(io->arg, port, frames + n_come, n - n_come);
    }
    return n_come;
}

static void
assert_passes(const struct dp_io *io, uint32_t from, uint32_t to, uint32_t len)
{
    struct dp_frame frame = made(io, len, 0x42);

    assert_int_equal(io->send(io->arg, from, &frame, 1), 1);
    assert_int_equal(wait_for_frames(io, to, &frame, 1), 1);
    assert_true(frame.at == WEIR_NEVER);
    assert_is(io, &frame, len, 0x42);
}

static void
test_both_ways(void **state)
{
    const struct dp_io io = pair;
    struct dp_frame frames[DP_BURST];

    (void)state;
    for (uint32_t from = 0; from < 2; from++) {
        for (uint8_t i = 0; i < 20; i++) {
            frames[i] = made(&io, 60 + 73 * i, (uint8_t)(i + 1));
        }
        assert_int_equal(io.send(io.arg, from, frames, 20), 20);
        assert_int_equal(wait_for_frames(&io, 1 - from, frames, 20), 20);
        for (uint8_t i = 0; i < 20; i++) {
            assert_is(&io, &frames[i], 60 + 73 * i, (uint8_t)(i + 1));
        }
    }
}

static void
test_jumbo(void **state)
{
    struct dp_io io;
    struct err err;

    (void)state;
    run_command("ip link set wb mtu 1500");
    assert_false(dpdk->open(veth, 2, N_FRAMES, JUMBO, &io, &err));
    assert_string_equal(err.text, "the interface 'wb' takes frames of up to 1518 B, but 9014 B are "
                                  "needed: 'ip link set wb mtu 8996'");
    run_command("ip link set wb mtu 9000");
    io = open_ports(veth, 2, N_FRAMES, JUMBO);
    assert_passes(&io, 0, 1, JUMBO);
    assert_passes(&io, 1, 0, 60);
    dpdk->close(&io);
}

/* The kernel takes VLAN tags off; the device driver puts them back. */
static void
test_vlan(void **state)
{
    static const uint8_t tagged[] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x81, 0, 0x60, 5, 8, 0 };
    const struct dp_io io = pair;
    struct dp_frame frame = made(&io, 1518, 0x42);

    (void)state;
    memcpy(frame.bytes, tagged, sizeof tagged);
    assert_int_equal(io.send(io.arg, 0, &frame, 1), 1);
    assert_int_equal(wait_for_frames(&io, 1, &frame, 1), 1);
    assert_int_equal(frame.len, 1518);
    assert_memory_equal(frame.bytes, tagged, sizeof tagged);
    assert_int_equal(frame.bytes[1517], 0x42);
    io.drop(io.arg, &frame);
}

/* A frame that is longer than announced arrives too, complete or cut off, and is always recognised
 * as too long. */
static void
test_too_long(void **state)
{
    enum { MOST = 1990 };
    static const uint32_t lens[] = { MOST + 1, 2100, 5000, JUMBO };
    struct dp_io from = open_ports(&veth[0], 1, N_FRAMES, JUMBO);
    struct dp_io to = open_ports(&veth[1], 1, N_FRAMES, MOST);

    (void)state;
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++) {
        struct dp_frame frame = made(&from, lens[i], 1);
        assert_int_equal(from.send(from.arg, 0, &frame, 1), 1);
        assert_int_equal(wait_for_frames(&to, 0, &frame, 1), 1);
        assert_in_range(frame.len, MOST + 1, lens[i]);
        assert_is(&to, &frame, frame.len, 1);
    }
    dpdk->close(&from);
    dpdk->close(&to);
}

static void
assert_is_up(const struct dp_io *io, bool is_up)
{
    for (int i = 0; i < DEADLINE_MS && io->is_up(io->arg, 0) != is_up; i++) {
        wait_1ms();
    }
    assert_int_equal(io->is_up(io->arg, 0), is_up);
}

static void
test_link(void **state)
{
    const struct dp_io io = pair;

    (void)state;
    assert_is_up(&io, true);
    run_command("ip link set wb down");
    assert_is_up(&io, false);
    run_command("ip link set wb up");
    assert_is_up(&io, true);
    assert_passes(&io, 0, 1, 100);
}

/* An open interface is promiscuous; an interface that was promiscuous before stays so afterwards.
 */
static void
test_for_all(void **state)
{
    static const char is_for_all[] = "ip link show wa | grep -q PROMISC";

    (void)state;
    for (int was_for_all = 0; was_for_all < 2; was_for_all++) {
        run_command(was_for_all ? "ip link set wa promisc on" : "ip link set wa promisc off");
        struct dp_io io = open_ports(veth, 1, N_FRAMES, MAX_LEN);
        run_command(is_for_all);
        dpdk->close(&io);
        assert_int_equal(!system(is_for_all), was_for_all);
    }
    run_command("ip link set wa promisc off");
}

/* Sends frames to a device that is gone: this blocks nothing, and every frame returns to the
 * pool. */
static void
send_into_nothing(const struct dp_io *io, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct dp_frame frame = made(io, 100, 1);
        if (!io->send(io->arg, 0, &frame, 1)) {
            io->drop(io->arg, &frame);
        }
    }
}

static void
test_goes_away(void **state)
{
    const struct dp_io io = pair;
    struct dp_frame frame;

    (void)state;
    assert_passes(&io, 0, 1, 100);
    run_command("ip link del wa");
    send_into_nothing(&io, 5000);
    assert_int_equal(io.receive(io.arg, 0, &frame, 1), 0);
    assert_is_up(&io, false);
}

/* If the pool has no frame left, received frames wait in the kernel until there is one. */
static void
test_dry(void **state)
{
    static struct dp_frame all[1 << 14];
    const struct dp_io io = pair;
    struct dp_frame frame = made(&io, 100, 5), come;
    uint32_t n = 0;

    (void)state;
    while (io.make(io.arg, 100, &all[n])) {
        n++;
    }
    assert_true(n >= N_FRAMES - 1);
    assert_int_equal(io.send(io.arg, 0, &frame, 1), 1);
    /* The pool is empty: the frame that was sent returned to it, and is taken again. */
    assert_true(io.make(io.arg, 100, &frame));
    wait_1ms();
    assert_int_equal(io.receive(io.arg, 1, &come, 1), 0);
    io.drop(io.arg, &frame);
    assert_int_equal(wait_for_frames(&io, 1, &come, 1), 1);
    assert_is(&io, &come, 100, 5);
    while (n > 0) {
        io.drop(io.arg, &all[--n]);
    }
}

/* Sends through the first port until all frames are sent or the time is over; returns the number
 * sent. */
static uint32_t
send_all(const struct dp_io *io, uint32_t n)
{
    uint32_t n_sent = 0;

    for (int i = 0; i < DEADLINE_MS * 10 && n_sent < n; i++) {
        struct dp_frame frame = made(io, 100, 7);
        if (io->send(io->arg, 0, &frame, 1)) {
            n_sent++;
        } else {
            io->drop(io->arg, &frame);
            wait_1ms();
        }
    }
    return n_sent;
}

/* If more frames arrive than the buffer holds, and none is read, the kernel drops and counts the
 * rest. Frames that were read do not count. */
static void
test_missed(void **state)
{
    enum { N_SENT = 2000 };
    const struct dp_io io = pair;
    struct dp_frame frame;
    uint32_t n_come = 0;

    (void)state;
    assert_int_equal(io.n_missed(io.arg, 1), 0);
    uint32_t n_sent = send_all(&io, N_SENT);
    while (wait_for_frames(&io, 1, &frame, 1)) {
        io.drop(io.arg, &frame);
        n_come++;
        if (n_come + io.n_missed(io.arg, 1) == n_sent) {
            break;
        }
    }
    assert_true(io.n_missed(io.arg, 1) > 0);
    assert_int_equal(n_come + io.n_missed(io.arg, 1), n_sent);
    assert_int_equal(io.n_missed(io.arg, 0), 0);
}

/* With a buffer for this number of frames, all of them wait, and none is missed. */
static void
test_waiting(void **state)
{
    enum { N_SENT = 2000 };
    const struct dpdk_port to = { .device = veth[1].device, .n_waiting = N_SENT };
    struct dp_io io = open_ports((struct dpdk_port[]){ veth[0], to }, 2, N_FRAMES, MAX_LEN);
    struct dp_frame frame;

    (void)state;
    assert_int_equal(send_all(&io, N_SENT), N_SENT);
    for (uint32_t i = 0; i < N_SENT; i++) {
        assert_int_equal(wait_for_frames(&io, 1, &frame, 1), 1);
        io.drop(io.arg, &frame);
    }
    assert_int_equal(io.n_missed(io.arg, 1), 0);
    dpdk->close(&io);
}

/* A null device receives as many frames of its length as are requested; frames that are sent to it
 * are gone. */
static void
test_null(void **state)
{
    static const struct dpdk_port null = { .device = "net_null0,size=64" };
    struct dp_io io = open_ports(&null, 1, N_FRAMES, MAX_LEN);
    struct dp_frame frames[DP_BURST];

    (void)state;
    for (int i = 0; i < 100; i++) {
        assert_int_equal(io.receive(io.arg, 0, frames, DP_BURST), DP_BURST);
        assert_int_equal(frames[0].len, 64);
        assert_int_equal(io.send(io.arg, 0, frames, DP_BURST), DP_BURST);
    }
    assert_true(io.is_up(io.arg, 0));
    assert_int_equal(io.n_missed(io.arg, 0), 0);
    dpdk->close(&io);
}

/* A TAP interface that DPDK makes for the test, seen from its other side by a packet socket. */
static void
test_tap(void **state)
{
    static const struct dpdk_port tap = { .device = "net_tap0,iface=wt" };
    static const struct dpdk_port socket = { .device = "net_af_packet0,iface=wt" };
    struct dp_io io, other;

    (void)state;
    io = open_ports(&tap, 1, N_FRAMES, MAX_LEN);
    run_command("ip link set wt up");
    other = open_ports(&socket, 1, N_FRAMES, MAX_LEN);
    struct dp_frame frame = made(&io, 100, 0x42);
    assert_int_equal(io.send(io.arg, 0, &frame, 1), 1);
    assert_int_equal(wait_for_frames(&other, 0, &frame, 1), 1);
    assert_int_equal(other.send(other.arg, 0, &frame, 1), 1);
    assert_int_equal(wait_for_frames(&io, 0, &frame, 1), 1);
    assert_is(&io, &frame, 100, 0x42);
    dpdk->close(&other);
    dpdk->close(&io);
}

/* Pcap files as devices: frames that were sent into a file are received from it. */
static void
test_pcap(void **state)
{
    char folder[] = "/tmp/weir-pcap-XXXXXX", path[64], device[2][128];
    struct dp_frame frames[DP_BURST];

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/frames.pcap", folder);
    snprintf(device[0], sizeof device[0], "net_pcap0,tx_pcap=%s", path);
    snprintf(device[1], sizeof device[1], "net_pcap0,rx_pcap=%s", path);

    struct dp_io io = open_ports(&(struct dpdk_port){ .device = device[0] }, 1, N_FRAMES, JUMBO);
    for (uint8_t i = 0; i < 3; i++) {
        frames[i] = made(&io, 100 + 3000 * i, i);
    }
    assert_int_equal(io.send(io.arg, 0, frames, 3), 3);
    dpdk->close(&io);

    io = open_ports(&(struct dpdk_port){ .device = device[1] }, 1, N_FRAMES, MAX_LEN);
    assert_int_equal(wait_for_frames(&io, 0, frames, 3), 3);
    assert_is(&io, &frames[0], 100, 0);
    for (uint8_t i = 1; i < 3; i++) {
        assert_in_range(frames[i].len, MAX_LEN + 1, 100 + 3000 * i);
        assert_is(&io, &frames[i], frames[i].len, i);
    }
    assert_int_equal(io.n_missed(io.arg, 0), 0);
    dpdk->close(&io);
    unlink(path);
    rmdir(folder);
}

static int
open_pair(void **state)
{
    (void)state;
    pair = open_ports(veth, 2, N_FRAMES, MAX_LEN);
    return 0;
}

static int
close_pair(void **state)
{
    dpdk->close(&pair);
    return end(state);
}

int
main(void)
{
    const struct CMUnitTest others[] = {
        cmocka_unit_test(test_jumbo),   cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_null),    cmocka_unit_test(test_for_all),
        cmocka_unit_test(test_waiting), cmocka_unit_test(test_tap),
        cmocka_unit_test(test_pcap),
    };
    const struct CMUnitTest links[] = {
        cmocka_unit_test(test_both_ways), cmocka_unit_test(test_vlan),
        cmocka_unit_test(test_link),      cmocka_unit_test(test_dry),
        cmocka_unit_test(test_missed),    cmocka_unit_test(test_goes_away),
    };

    if (unshare(CLONE_NEWNET)) { /* A network namespace of the test's own. */
        puts("skipped: no network namespace can be made here; it takes root, or CAP_SYS_ADMIN");
        return SKIPPED;
    }
    int n_failed = cmocka_run_group_tests(others, begin_with_veth, NULL);
    return n_failed + cmocka_run_group_tests(links, open_pair, close_pair);
}
