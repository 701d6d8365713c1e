/* Explains errors of devices that DPDK's drivers do not explain, and sets options of drivers. */

#include "dataplane/dpdk/drivers.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    LEAST_ROOM = 2048,
    PAGE = 4096,
    /* The minimum memory of the kernel for a packet socket, in each direction. */
    LEAST_EACH_WAY = 1 << 20,
    MOST_EACH_WAY = 1 << 25,
    /* Space for the kernel's header before a frame, and for a restored VLAN tag. */
    ROOM_BESIDE = 128,
};

uint32_t
driver_room(uint32_t max_len)
{
    uint32_t wanted = max_len + ROOM_BESIDE;

    return wanted <= LEAST_ROOM ? LEAST_ROOM : (wanted + PAGE - 1) / PAGE * PAGE;
}

/* The value of a setting in "name,key=value,...", with its length; null: the setting is missing. */
static const char *
setting(const char *text, const char *key, int *len)
{
    size_t key_len = strlen(key);

    for (const char *at = strchr(text, ','); at; at = strchr(at, ',')) {
        at++;
        if (!strncmp(at, key, key_len) && at[key_len] == '=') {
            *len = (int)strcspn(at + key_len + 1, ",");
            return at + key_len + 1;
        }
    }
    return NULL;
}

/* Asks Linux about an interface. */
static bool
ask(int fd, unsigned long request, const char *name, struct ifreq *r)
{
    snprintf(r->ifr_name, sizeof r->ifr_name, "%s", name);
    return !ioctl(fd, request, r);
}

static bool
refuse_rights(const char *text, struct err *err)
{
    return err_set(
        err,
        "the device '%s' needs the rights to open packet sockets and to set up "
        "interfaces: run as root, or give the program CAP_NET_RAW and CAP_NET_ADMIN (%s)",
        text, strerror(errno));
}

/* Checks an interface. It belongs to the user, so the check does not change it. */
static bool
check_interface(int fd, const char *text, uint32_t max_len, struct err *err)
{
    int len = 0;
    const char *value = setting(text, "iface", &len);
    char name[IF_NAMESIZE];
    struct ifreq r;

    if (!value) {
        return err_set(err, "the device '%s' must name its interface: net_af_packet0,iface=eth0",
                       text);
    }
    snprintf(name, sizeof name, "%.*s", len, value);
    if (!ask(fd, SIOCGIFMTU, name, &r)) {
        return err_set(err, "the device '%s' is on an interface that does not exist: '%s'", text,
                       name);
    }
    uint32_t mtu = (uint32_t)r.ifr_mtu;
    /* Loopback and IP tunnels have no Ethernet frames. */
    if (!ask(fd, SIOCGIFHWADDR, name, &r) || r.ifr_hwaddr.sa_family != ARPHRD_ETHER) {
        return err_set(err,
                       "the interface '%s' is not an Ethernet interface, so it cannot be a port of "
                       "a switch; 'ip link' shows Ethernet interfaces as link/ether",
                       name);
    }
    /* DPDK's driver sets the interface's address to its own value, and makes it accept all frames.
     * Setting the flags to their current values needs the same right. */
    if (!ask(fd, SIOCGIFFLAGS, name, &r) || !ask(fd, SIOCSIFFLAGS, name, &r)) {
        return refuse_rights(text, err);
    }
    return mtu + DRIVER_HEADER >= max_len ||
           err_set(err,
                   "the interface '%s' takes frames of up to %u B, but %u B are needed: 'ip link "
                   "set %s mtu %u'",
                   name, mtu + DRIVER_HEADER, max_len, name, max_len - DRIVER_HEADER);
}

/* Checks an interface of Linux. DPDK's driver reports little about missed frames, and loses frames
 * that are too long. */
static bool
check_packet_socket(const char *text, uint32_t max_len, struct err *err)
{
    int fd = socket(AF_PACKET, SOCK_RAW, 0);

    if (fd < 0) {
        return refuse_rights(text, err);
    }
    bool is_good = check_interface(fd, text, max_len, err);
    close(fd);
    return is_good;
}

/* Checks a TAP interface, which the driver creates. */
static bool
check_tap(const char *text, uint32_t max_len, struct err *err)
{
    (void)max_len;
    int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);

    if (fd < 0) {
        return err_set(err,
                       "the device '%s' needs /dev/net/tun, and the right to make interfaces: run "
                       "as root, or give the program CAP_NET_ADMIN (%s)",
                       text, strerror(errno));
    }
    close(fd);
    return true;
}

/* The memory for frames that wait at a packet socket. The same amount is reserved for sending. */
static uint32_t
bytes_each_way(uint32_t n_waiting, uint32_t max_len)
{
    uint64_t wanted = (uint64_t)n_waiting * driver_room(max_len), bytes = LEAST_EACH_WAY;

    while (bytes < wanted && bytes < MOST_EACH_WAY) {
        bytes *= 2;
    }
    return (uint32_t)bytes;
}

/* Whether the process may lock this much memory. It tries, because the result depends on limits,
 * rights and memory that is already locked. */
static bool
may_lock(uint64_t bytes)
{
    void *trial = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool may = trial != MAP_FAILED && !mlock2(trial, bytes, MLOCK_ONFAULT);

    if (trial != MAP_FAILED) {
        munmap(trial, bytes);
    }
    return may;
}

uint32_t
driver_most_waiting(uint32_t n_wanted, uint32_t n, uint32_t max_len)
{
    uint64_t bytes = bytes_each_way(n_wanted, max_len);

    while (bytes > LEAST_EACH_WAY && !may_lock(2 * bytes * n)) {
        bytes /= 2;
    }
    return (uint32_t)(bytes / driver_room(max_len));
}

/* Adds options of a packet socket, whose frames have 2 KiB by default, two in a page. Values that
 * the user set stay. */
static void
complete_packet_socket(char *text, size_t max, uint32_t max_len, uint32_t n_waiting)
{
    uint32_t room = driver_room(max_len), n_frames = bytes_each_way(n_waiting, max_len) / room;
    bool has_number = setting(text, "framecnt", &(int){ 0 });
    size_t n = strlen(text);

    if (setting(text, "framesz", &(int){ 0 })) {
        return;
    }
    n += (size_t)snprintf(text + n, max - n, ",framesz=%u,blocksz=%u", room,
                          room > PAGE ? room : PAGE);
    if (!has_number) {
        snprintf(text + n, max - n, ",framecnt=%u", n_frames);
    }
}

static const struct driver drivers[] = {
    { "net_af_packet", check_packet_socket, complete_packet_socket, true, true },
    { "net_tap", check_tap, NULL, false, false },
};

const struct driver *
driver_of(const char *text)
{
    for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
        if (!strncmp(text, drivers[i].prefix, strlen(drivers[i].prefix))) {
            return &drivers[i];
        }
    }
    return NULL;
}
