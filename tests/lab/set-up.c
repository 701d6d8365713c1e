/* A lab after its set-up: each process checks its namespace, and frames pass from each end of a
 * link to the other. */

#define _GNU_SOURCE

#include "small.h"

#include <arpa/inet.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "packet/address.h"

/* Checks in the process of a node. Each returns the first violation, or null. */

static bool
ask(int socket, unsigned long request, const char *name, struct ifreq *r)
{
    snprintf(r->ifr_name, sizeof r->ifr_name, "%s", name);
    return !ioctl(socket, request, r);
}

static bool
has_offload(int socket, const char *name, uint32_t get)
{
    struct ethtool_value value = { .cmd = get, .data = 0 };
    struct ifreq r = { .ifr_data = (void *)&value };

    return !ask(socket, SIOCETHTOOL, name, &r) || value.data;
}

static const char *
look_at(const struct lab_child *c, const struct topo_port *port, const char *name)
{
    int s = socket(AF_INET, SOCK_DGRAM, 0);
    bool is_failed = c->scenario->topo.links[port->link].failed;
    uint8_t address[6];
    struct ifreq r;

    packet_port_address(c->node, port->number, address);
    if (!ask(s, SIOCGIFHWADDR, name, &r) || memcmp(r.ifr_hwaddr.sa_data, address, 6)) {
        return "its address is another";
    }
    uint64_t mtu_bytes = c->scenario->wire.mtu_bytes;
    if (!ask(s, SIOCGIFMTU, name, &r) || r.ifr_mtu < 1500 || (uint64_t)r.ifr_mtu < mtu_bytes) {
        return "its MTU is too small";
    }
    if (!ask(s, SIOCGIFFLAGS, name, &r) || !(r.ifr_flags & IFF_UP) != is_failed) {
        return is_failed ? "it is up, though its link has failed" : "it is not up";
    }
    static const uint32_t offloads[] = { ETHTOOL_GTSO, ETHTOOL_GGSO, ETHTOOL_GGRO,
                                         ETHTOOL_GTXCSUM };
    for (size_t i = 0; i < 4 && !is_failed; i++) {
        if (has_offload(s, name, offloads[i])) {
            return "an offload is on";
        }
    }
    close(s);
    return NULL;
}

/* The namespace has its interfaces and the loopback interface.  None has an IPv6 address, from
 * which the kernel would send frames. */
static const char *
look_around(const struct lab_child *c)
{
    const struct topo *t = &c->scenario->topo;
    const struct topo_node *node = &t->nodes[c->node];
    struct if_nameindex *names = if_nameindex();
    uint32_t n = 0;

    for (; names && names[n].if_index; n++) {
    }
    if_freenameindex(names);
    if (n != node->n_ports + 1) {
        return "it has more or fewer interfaces than ports";
    }
    for (uint32_t i = 0; i < node->n_ports; i++) {
        char name[IF_NAMESIZE];
        snprintf(name, sizeof name, "p%u", i);
        const char *wrong = look_at(c, &t->ports[node->first_port + i], name);
        if (wrong) {
            return wrong;
        }
    }
    FILE *addresses = fopen("/proc/net/if_inet6", "r");
    bool has_any = addresses && fgetc(addresses) != EOF;
    return has_any ? "the kernel has given it an IPv6 address" : NULL;
}

/* Number of open sockets.  If a socket of another process were open here, the end of that process
 * would not be noticed. */
static uint32_t
count_sockets(void)
{
    uint32_t n = 0;

    for (int i = 0; i < 100; i++) {
        struct stat s;
        n += !fstat(i, &s) && S_ISSOCK(s.st_mode);
    }
    return n;
}

enum {
    ETHERTYPE = 0x88b5,
    FRAME_BYTES = 60
}; /* ETHERTYPE is that of local experiments: 802, clause 9.2.4. */

static int
open_port(uint32_t number)
{
    char name[IF_NAMESIZE];
    int s = socket(AF_PACKET, SOCK_RAW, htons(ETHERTYPE));

    snprintf(name, sizeof name, "p%u", number);
    struct sockaddr_ll at = { .sll_family = AF_PACKET,
                              .sll_protocol = htons(ETHERTYPE),
                              .sll_ifindex = (int)if_nametoindex(name) };
    return bind(s, (struct sockaddr *)&at, sizeof at) ? -1 : s;
}

/* Sends the address of the port on its link, and receives that of the port at the other end. */
static const char *
meet(const struct lab_child *c, const struct topo_port *port, int s)
{
    const struct topo_port *peer = &c->scenario->topo.ports[port->peer];
    uint8_t frame[FRAME_BYTES] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, address[6];

    frame[12] = ETHERTYPE >> 8;
    frame[13] = ETHERTYPE & 0xff;
    packet_port_address(c->node, port->number, frame + 6);
    if (send(s, frame, sizeof frame, 0) != FRAME_BYTES) {
        return "no frame can be sent";
    }
    setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){ .tv_sec = 5 },
               sizeof(struct timeval));
    do { /* Skips the frame that the port has sent itself. */
        memset(frame, 0, sizeof frame);
        if (recv(s, frame, sizeof frame, 0) != FRAME_BYTES) {
            return "no frame has come";
        }
        packet_port_address(c->node, port->number, address);
    } while (!memcmp(frame + 6, address, 6));
    packet_port_address(peer->node, peer->number, address);
    return memcmp(frame + 6, address, 6) ? "a frame has come from another port" : NULL;
}

/* All nodes listen before one sends; the lab gives the signal. */
static const char *
meet_all(const struct lab_child *c)
{
    const struct topo *t = &c->scenario->topo;
    const struct topo_node *node = &t->nodes[c->node];
    const char *wrong = NULL;
    int sockets[8];
    char byte = 0;

    for (uint32_t i = 0; i < node->n_ports; i++) {
        sockets[i] = open_port(i);
    }
    if (send(c->socket, &byte, 1, 0) != 1 || recv(c->socket, &byte, 1, 0) != 1) {
        return "the lab does not answer";
    }
    for (uint32_t i = 0; i < node->n_ports && !wrong; i++) {
        const struct topo_port *port = &t->ports[node->first_port + i];
        wrong = t->links[port->link].failed ? NULL : meet(c, port, sockets[i]);
    }
    return wrong;
}

static int
look_and_meet(const struct lab_child *c)
{
    const char *wrong = count_sockets() == 1 ? look_around(c) : "it has sockets of others";
    const char *unmet = meet_all(c);
    char text[200];
    int len = snprintf(text, sizeof text, "%s", wrong ? wrong : unmet ? unmet : "good");

    send(c->socket, text, (size_t)len + 1, 0);
    return small_idle(c);
}

/* Checks in the process of the lab. */

static void
expect_process(const struct lab *l, uint32_t node)
{
    char path[64], name[32] = "", wanted[32];

    snprintf(path, sizeof path, "/proc/%d/comm", (int)l->processes[node].pid);
    FILE *file = fopen(path, "r");
    SMALL_EXPECT(file);
    SMALL_EXPECT(fgets(name, sizeof name, file));
    fclose(file);
    snprintf(wanted, sizeof wanted, "weir:%s\n", l->scenario->topo.nodes[node].name);
    SMALL_EXPECT(!strcmp(name, wanted));
}

/* The folder's list of processes begins with a line for the lab itself, followed by one line for
 * each node. */
static void
expect_folder(const struct lab *l)
{
    char path[RUN_FOLDER_BYTES + 10], name[32];
    int pid;

    snprintf(path, sizeof path, "%s/nodes", l->folder);
    FILE *file = fopen(path, "r");
    SMALL_EXPECT(file);
    SMALL_EXPECT(fscanf(file, "%d %*u %31s", &pid, name) == 2);
    SMALL_EXPECT(pid == getpid());
    for (uint32_t i = 0; i < l->n; i++) {
        SMALL_EXPECT(fscanf(file, "%d %*u %31s", &pid, name) == 2);
        SMALL_EXPECT(pid == l->processes[i].pid);
        SMALL_EXPECT(!strcmp(name, l->scenario->topo.nodes[i].name));
    }
    fclose(file);
}

static void
exchange(const struct lab *l)
{
    char text[200], byte = 0;

    for (uint32_t i = 0; i < l->n; i++) {
        SMALL_EXPECT(recv(l->processes[i].socket, text, sizeof text, 0) == 1);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        SMALL_EXPECT(send(l->processes[i].socket, &byte, 1, 0) == 1);
    }
    for (uint32_t i = 0; i < l->n; i++) {
        SMALL_EXPECT(recv(l->processes[i].socket, text, sizeof text, 0) > 0);
        small_expect(!strcmp(text, "good"), text, __FILE__, __LINE__);
    }
}

static int
run_lab(void *set)
{
    struct scenario s;
    struct err err = { 0 };
    struct lab l;

    small_read(&s, set);
    int code = lab_open(&l, &s, look_and_meet, &err);
    small_expect(code == EXIT_GOOD, err.text, __FILE__, __LINE__);
    for (uint32_t i = 0; i < l.n; i++) {
        expect_process(&l, i);
    }
    expect_folder(&l);
    exchange(&l);
    lab_close(&l);
    SMALL_EXPECT(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD);
    scn_free(&s);
    return EXIT_GOOD;
}

static void
a_lab_is_as_it_should_be(void **state)
{
    (void)state;
    assert_int_equal(small_run(run_lab, NULL), 0);
    small_expect_nobody(false);
    assert_false(small_has_folder());
}

static void
long_packets_fit(void **state)
{
    (void)state;
    assert_int_equal(small_run(run_lab, "wire.mtu=9000B"), 0);
}

static void
a_failed_link_is_there_and_down(void **state)
{
    (void)state;
    assert_int_equal(small_run(run_lab, "topology={kind: incast, hosts: 2, failed: [[S1, H3]]}"),
                     0);
    assert_false(small_has_folder());
}

/* A user other than root gets the same lab in a user namespace, or an error that names the missing
 * right. */

/* Whether the kernel lets a user make namespaces. */
static bool
users_have_namespaces(void)
{
    pid_t pid = fork();
    int status = 0;

    if (!pid) {
        _exit(unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0);
    }
    return waitpid(pid, &status, 0) == pid && !status;
}

static int
open_as_nobody(void *arg)
{
    struct scenario s;
    struct err err = { 0 };
    char folder[64];
    struct lab l;

    (void)arg;
    small_read(&s, NULL);
    snprintf(folder, sizeof folder, "/tmp/weir-lab-65534/%d", (int)getpid());
    if (setgid(65534) || setuid(65534) || setenv("XDG_RUNTIME_DIR", "/nowhere", 1)) {
        return EXIT_GOOD; /* Only root can become another user. */
    }
    /* Without this, /proc/self still belongs to root, and a process that starts as nobody cannot
     * read it. */
    prctl(PR_SET_DUMPABLE, 1);
    bool may = users_have_namespaces();
    SMALL_EXPECT(namespace_ask() == (may ? NAMESPACE_BY_USER : NAMESPACE_REFUSED));
    int code = lab_open(&l, &s, look_and_meet, &err);
    SMALL_EXPECT(code == (may ? EXIT_GOOD : EXIT_WORLD));
    if (may) {
        SMALL_EXPECT(!strcmp(err.text, ""));
        SMALL_EXPECT(!strcmp(l.folder, folder) && !access(folder, F_OK));
        exchange(&l);
        lab_close(&l);
    } else {
        SMALL_EXPECT(strstr(err.text, "run it as root"));
    }
    SMALL_EXPECT(access(folder, F_OK) == -1);
    return EXIT_GOOD;
}

static void
it_needs_no_root_where_users_have_namespaces(void **state)
{
    (void)state;
    assert_int_equal(small_run(open_as_nobody, NULL), 0);
    small_expect_nobody(false);
}

/* Labs that are too large to be set up. */

static void
a_lab_that_is_too_large_is_refused(void **state)
{
    const struct {
        const char *text, *wanted;
    } cases[] = {
        { "topology: {kind: fat-tree, k: 16}\nflows: [{from: H1, to: H2}]\n",
          "a lab has a process for each node, at most 512, and the scenario has 1344 nodes; "
          "--virtual runs them in one process" },
        { "topology: {kind: ring, switches: 3}\nwire: {mtu: 20KB}\nflows: [{from: H1, to: H2}]\n",
          "a lab has packets of up to 9220 bytes, and the scenario's mtu is 20000" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct scn_source source = { .name = "large.yaml", .text = cases[i].text };
        struct scenario s;
        struct err err;
        struct lab l;
        assert_true(scn_read(&s, &source, &(struct scn_files){ 0 }, NULL, 0, &err));
        assert_int_equal(lab_open(&l, &s, small_idle, &err), EXIT_USER);
        assert_string_equal(err.text, cases[i].wanted);
        scn_free(&s);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lab_is_as_it_should_be),
        cmocka_unit_test(long_packets_fit),
        cmocka_unit_test(a_failed_link_is_there_and_down),
        cmocka_unit_test(it_needs_no_root_where_users_have_namespaces),
        cmocka_unit_test(a_lab_that_is_too_large_is_refused),
    };
    return SMALL_MAIN("set-up", tests);
}
