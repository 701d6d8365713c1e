/* Opens and closes devices. */

#include "dataplane/dpdk/devices.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <rte_dev.h>
#include <rte_ethdev.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "dataplane/dpdk/drivers.h"
#include "dataplane/dpdk/eal.h"
#include "dataplane/dpdk/said.h"

enum { N_DESCRIPTORS = DEVICE_KEEPS / 2, MOST_TEXT = 400, MOST_ADDED = 64, MOST_FILES = 1024 };

static bool
fail(const char *text, const char *what, int error, struct err *err)
{
    return err_set(err, "cannot %s the device '%s': %s", what, text,
                   *said_first() ? said_first() : strerror(error < 0 ? -error : EIO));
}

/* Finds a device on the PCI bus. Devices that the user named exist since EAL started. */
static bool
find_pci(const char *name, uint16_t *id, struct err *err)
{
    return !rte_eth_dev_get_port_by_name(name, id) ||
           err_set(err,
                   "there is no device '%s' on the PCI bus that DPDK can drive; dpdk-devbind.py "
                   "--status lists devices, and --bind gives one to a driver (vfio-pci)",
                   name);
}

static bool
probe(const char *text, const char *whole, uint16_t *id, struct err *err)
{
    char name[RTE_DEV_NAME_MAX_LEN], address[PCI_ADDRESS];

    if (eal_pci_address(text, address)) {
        return find_pci(address, id, err);
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ","), text);
    if (!rte_eth_dev_get_port_by_name(name, id)) {
        return err_set(err, "the device '%s' has the name of another one that is in use", text);
    }
    int error = rte_dev_probe(whole);
    if (error) {
        return fail(text, "open", error, err);
    }
    error = rte_eth_dev_get_port_by_name(name, id);
    return !error || err_set(err, "the device '%s' has no port for frames", text);
}

/* Sets up one queue in each direction, because one thread runs a node. */
static int
set_up_queues(uint16_t id, struct rte_mempool *pool)
{
    uint16_t n_in = N_DESCRIPTORS, n_out = N_DESCRIPTORS;
    int error = rte_eth_dev_adjust_nb_rx_tx_desc(id, &n_in, &n_out);

    if (!error) {
        error = rte_eth_rx_queue_setup(id, 0, n_in, SOCKET_ID_ANY, NULL, pool);
    }
    return error ? error : rte_eth_tx_queue_setup(id, 0, n_out, SOCKET_ID_ANY, NULL);
}

/* Sets the MTU for frames that are longer than usual. Some devices accept any length, and do not
 * support such a setting. */
static int
set_mtu(uint16_t id, uint32_t max_len)
{
    if (max_len <= RTE_ETHER_MTU + DRIVER_HEADER) {
        return 0;
    }
    int error = rte_eth_dev_set_mtu(id, (uint16_t)(max_len - DRIVER_HEADER));
    return error == -ENOTSUP ? 0 : error;
}

static int
configure(uint16_t id, bool has_own_mtu, uint32_t max_len)
{
    struct rte_eth_conf config = { 0 };
    int error = rte_eth_dev_configure(id, 1, 1, &config);

    return error || has_own_mtu ? error : set_mtu(id, max_len);
}

/* Disables flow control in the NIC: it neither obeys nor sends pauses, and delivers flow-control
 * frames like all others. Devices without flow control do not support such a setting. */
static void
leave_flow_control_to_us(uint16_t id)
{
    struct rte_eth_fc_conf control;

    if (!rte_eth_dev_flow_ctrl_get(id, &control)) {
        control.mode = RTE_ETH_FC_NONE;
        control.mac_ctrl_frame_fwd = 1;
        rte_eth_dev_flow_ctrl_set(id, &control);
    }
}

static bool
start(const char *text, uint16_t id, uint32_t max_len, struct rte_mempool *pool, struct err *err)
{
    const struct driver *driver = driver_of(text);
    int error = configure(id, driver && driver->has_own_mtu, max_len);

    if (!error) {
        error = set_up_queues(id, pool);
    }
    if (!error) {
        error = rte_eth_dev_start(id);
    }
    /* A switch accepts frames for any address. Some devices always do, and do not support such a
     * setting. */
    if (!error) {
        rte_eth_promiscuous_enable(id);
        leave_flow_control_to_us(id);
    }
    return !error || fail(text, "start", error, err);
}

/* Marks an interface as taken. Packet sockets would let two switches both read all its frames. A
 * name that begins with 0 is not a file: the kernel keeps it, for this network namespace, while the
 * socket is open (unix(7)). */
static bool
take_interface(int kernel, int interface)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    int n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "weir-port-%d", interface);

    return !bind(kernel, (const struct sockaddr *)&name,
                 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n));
}

static bool
is_packet_socket(int fd, int interface)
{
    struct sockaddr_ll address = { 0 };
    socklen_t len = sizeof address;

    return !getsockname(fd, (struct sockaddr *)&address, &len) && address.sll_family == AF_PACKET &&
           address.sll_ifindex == interface;
}

/* Finds the packet socket of an interface. DPDK does not expose it, but it is a file of this
 * process, which opens each interface only once. */
static int
find_packet_socket(int interface)
{
    for (int fd = 0; fd < MOST_FILES; fd++) {
        if (is_packet_socket(fd, interface)) {
            return fd;
        }
    }
    return -1;
}

/* Sends a request about an interface that is identified by its number, because another interface
 * may have got its name since. */
static bool
ask_by_number(const struct device *device, struct ifreq *ask)
{
    *ask = (struct ifreq){ .ifr_ifindex = device->interface };
    return !ioctl(device->kernel, SIOCGIFNAME, ask);
}

/* Whether the user or another program has made the interface accept all frames. */
static bool
takes_frames_for_all(const struct device *device)
{
    struct ifreq ask;

    return device->interface && ask_by_number(device, &ask) &&
           !ioctl(device->kernel, SIOCGIFFLAGS, &ask) && (ask.ifr_flags & IFF_PROMISC);
}

/* Finds the kernel's interface of a device, if there is one. The kernel then reports the state of
 * the link, because DPDK's driver for packet sockets reports all links as up. */
static bool
find_interface(struct device *device, const char *text, struct err *err)
{
    const struct driver *driver = driver_of(text);
    bool must_take = driver && driver->is_open_to_all;
    struct rte_eth_dev_info info;

    device->interface = rte_eth_dev_info_get(device->id, &info) ? 0 : (int)info.if_index;
    device->kernel = device->interface ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
    device->frames = must_take ? find_packet_socket(device->interface) : -1;
    device->was_for_all = takes_frames_for_all(device);
    return device->kernel < 0 || !must_take || take_interface(device->kernel, device->interface) ||
           err_set(err, "the interface of the device '%s' is a port of a switch that runs already",
                   text);
}

bool
device_open(struct device *device, const struct dpdk_port *asked, uint32_t max_len,
            struct rte_mempool *pool, struct err *err)
{
    const char *text = asked->device;
    const struct driver *driver = driver_of(text);
    char whole[MOST_TEXT + MOST_ADDED];

    if (strlen(text) >= MOST_TEXT) {
        return err_set(err, "a device has at most %u characters, not %zu", MOST_TEXT - 1,
                       strlen(text));
    }
    if (driver && !driver->check(text, max_len, err)) {
        return false;
    }
    snprintf(whole, sizeof whole, "%s", text);
    if (driver && driver->complete) {
        driver->complete(whole, sizeof whole, max_len, asked->n_waiting);
    }
    said_forget();
    if (!probe(text, whole, &device->id, err)) {
        return false;
    }
    if (!find_interface(device, text, err) || !start(text, device->id, max_len, pool, err)) {
        device_close(device);
        return false;
    }
    return true;
}

void
device_close(const struct device *device)
{
    struct rte_eth_dev_info info;
    bool is_there = !rte_eth_dev_info_get(device->id, &info);

    if (!device->was_for_all) {
        rte_eth_promiscuous_disable(device->id);
    }
    rte_eth_dev_stop(device->id);
    rte_eth_dev_close(device->id);
    if (is_there && info.device) {
        rte_dev_remove(info.device);
    }
    if (device->kernel >= 0) {
        close(device->kernel);
    }
}

/* Whether an interface is up. The carrier that its driver reports is always current; flags follow
 * some milliseconds later, or up to a second if the kernel is busy. */
static bool
interface_is_up(const struct device *device)
{
    struct ethtool_value cable = { .cmd = ETHTOOL_GLINK };
    struct ifreq ask;

    if (!ask_by_number(device, &ask)) {
        return false;
    }
    ask.ifr_data = (void *)&cable;
    if (!ioctl(device->kernel, SIOCETHTOOL, &ask)) {
        return cable.data;
    }
    return !ioctl(device->kernel, SIOCGIFFLAGS, &ask) && (ask.ifr_flags & IFF_RUNNING);
}

/* The number of frames dropped since the last call. The kernel reports each dropped frame only
 * once. */
static uint64_t
newly_dropped(int packet_socket)
{
    struct tpacket_stats stats = { 0 };
    socklen_t len = sizeof stats;

    return getsockopt(packet_socket, SOL_PACKET, PACKET_STATISTICS, &stats, &len) ? 0
                                                                                  : stats.tp_drops;
}

/* The number of missed frames.  Drivers without counters report 0, like DPDK's for packet sockets,
 * for which the kernel's counters are used.  If a later version of DPDK reads these, too, each
 * reader gets a part.  Drivers of NICs count a lack of memory whenever an allocation fails, even if
 * no frame is dropped.  To avoid that, the pool has frames that only devices take (ports.c). */
uint64_t
device_n_missed(struct device *device)
{
    struct rte_eth_stats stats;

    device->n_dropped += device->frames < 0 ? 0 : newly_dropped(device->frames);
    return device->n_dropped +
           (rte_eth_stats_get(device->id, &stats) ? 0 : stats.imissed + stats.rx_nombuf);
}

bool
device_is_up(const struct device *device)
{
    struct rte_eth_link link;

    return !rte_eth_link_get_nowait(device->id, &link) && link.link_status == RTE_ETH_LINK_UP &&
           (!device->interface || interface_is_up(device));
}
