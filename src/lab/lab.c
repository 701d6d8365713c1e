/* Sets up a lab step by step, and removes it if a step fails. */

#include "lab/lab.h"

#include <stdlib.h>

#include "base/array.h"
#include "bind/bind.h"
#include "dataplane/dpdk.h"
#include "dataplane/io.h"
#include "lab/namespace.h"
#include "lab/process.h"
#include "lab/run-folder.h"
#include "lab/veth.h"
#include "packet/packet.h"
#include "run/stopping.h"
#include "sim/live.h"

/* The minimum MTU of interfaces, which does not include the Ethernet header. Foreign frames must
 * fit, too. */
enum { LEAST_MTU = 1500 };

static int
check_packets(const struct scenario *s, struct err *err)
{
    return s->wire.mtu_bytes <= DP_MAX_LEN + PACKET_FCS_BYTES
               ? EXIT_GOOD
               : run_fail(err, EXIT_USER,
                          "a lab has packets of up to %d bytes, and the scenario's mtu is %ju",
                          DP_MAX_LEN + PACKET_FCS_BYTES, (uintmax_t)s->wire.mtu_bytes);
}

static int
check_nodes(const struct scenario *s, struct err *err)
{
    struct model model;
    bool good = bind_model(s, &model, err) && sim_live_can_run(&model, err);

    model_free(&model);
    return good ? EXIT_GOOD : EXIT_USER;
}

int
lab_check_virtual(const struct scenario *s, struct err *err)
{
    int code = check_packets(s, err);

    return code == EXIT_GOOD ? check_nodes(s, err) : code;
}

/* The number of devices of a node: failed links have none. */
static uint32_t
count_devices(const struct topo *t, const struct topo_node *node)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < node->n_ports; i++) {
        n += topo_is_live(t, node->first_port + i);
    }
    return n;
}

/* Checks the number of devices; without DPDK the limit is unknown. */
static int
check_devices(const struct topo *t, struct err *err)
{
    struct err none;
    const struct dpdk_calls *dpdk = dpdk_load(&none);

    for (uint32_t id = 0; dpdk && id < t->n_nodes; id++) {
        uint32_t n = count_devices(t, &t->nodes[id]);
        if (n > dpdk->max_devices) {
            return run_fail(
                err, EXIT_USER,
                "%s has %u links, and with DPDK as it is built here a node of a lab has "
                "at most %u; use more switches with fewer links, or --virtual",
                t->nodes[id].name, n, dpdk->max_devices);
        }
    }
    return EXIT_GOOD;
}

int
lab_check(const struct scenario *s, struct err *err)
{
    if (s->topo.n_nodes > LAB_MAX_NODES) {
        return run_fail(err, EXIT_USER,
                        "a lab has a process for each node, at most %d, and the scenario has %zu "
                        "nodes; --virtual runs them in one process",
                        LAB_MAX_NODES, s->topo.n_nodes);
    }
    int code = lab_check_virtual(s, err);
    return code == EXIT_GOOD ? check_devices(&s->topo, err) : code;
}

static int
prepare(struct lab *l, struct err *err)
{
    run_folder_clean_all();
    return run_folder_make(l->folder, err) && namespace_enter_lab(err) ? EXIT_GOOD : EXIT_WORLD;
}

static int
start_all(struct lab *l, struct err *err)
{
    for (uint32_t i = 0; i < l->n; i++) {
        if (!process_start(l, i, err)) {
            return EXIT_WORLD;
        }
    }
    return EXIT_GOOD;
}

static int
await_all(struct lab *l, enum lab_word word, struct err *err)
{
    int code = EXIT_GOOD;

    for (uint32_t i = 0; i < l->n && code == EXIT_GOOD; i++) {
        code = process_await(l, i, word, err);
    }
    return code;
}

static bool
make_links(const struct lab *l, struct err *err)
{
    uint64_t mtu_bytes = l->scenario->wire.mtu_bytes;
    pid_t pids[LAB_MAX_NODES];

    for (uint32_t i = 0; i < l->n; i++) {
        pids[i] = l->processes[i].pid;
    }
    return veth_make_all(&l->scenario->topo, pids,
                         mtu_bytes < LEAST_MTU ? LEAST_MTU : (uint32_t)mtu_bytes, err);
}

static bool
tell_all(const struct lab *l, enum lab_word word, struct err *err)
{
    bool good = true;

    for (uint32_t i = 0; i < l->n && good; i++) {
        good = process_send(l->processes[i].socket, word, "", err);
    }
    return good;
}

static int
link_all(struct lab *l, struct err *err)
{
    int code = await_all(l, LAB_APART, err);

    if (code == EXIT_GOOD && (!make_links(l, err) || !tell_all(l, LAB_LINKED, err))) {
        code = EXIT_WORLD;
    }
    return code == EXIT_GOOD ? await_all(l, LAB_UP, err) : code;
}

static int (*const steps[])(struct lab *, struct err *) = { prepare, start_all, link_all };

int
lab_open(struct lab *l, const struct scenario *s, lab_main *main, struct err *err)
{
    uint32_t n = (uint32_t)s->topo.n_nodes;
    int code = lab_check(s, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    *l = (struct lab){ .scenario = s, .main = main, .n = n };
    l->processes = array_new(n, sizeof *l->processes);
    for (uint32_t i = 0; i < n; i++) {
        l->processes[i].socket = -1;
    }
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == EXIT_GOOD; i++) {
        code = stopping_is_asked() ? run_fail(err, EXIT_STOPPED, "stopped") : steps[i](l, err);
    }
    if (code != EXIT_GOOD) {
        lab_close(l);
    }
    return code;
}

void
lab_close(struct lab *l)
{
    process_end_all(l);
    if (*l->folder) {
        run_folder_remove(l->folder);
    }
    free(l->processes);
    *l = (struct lab){ 0 };
}
