/* Sets up a switch on real ports: finds it in the scenario, opens its devices, and creates the node
 * on them. */

#include <stdio.h>

#include "base/text.h"
#include "bind/bind.h"
#include "dataplane/frame-needs.h"
#include "run/exit.h"
#include "switch/running.h"

/* The switch and the devices of its ports. */

static bool
find_only_switch(struct switch_running *r, struct err *err)
{
    const struct topo *t = r->topo;

    if (t->n_switches != 1) {
        return err_set(err, "switch: the scenario has %u switches: --node says which one to run",
                       t->n_switches);
    }
    r->node = 0;
    while (t->nodes[r->node].kind != TOPO_SWITCH) {
        r->node++;
    }
    return true;
}

static bool
find_node(struct switch_running *r, struct err *err)
{
    const struct topo *t = r->topo;
    const char *name = r->request->node;
    char offer[200];

    if (!name) {
        return find_only_switch(r, err);
    }
    r->node = topo_find_node(t, name);
    if (r->node == TOPO_NONE) {
        text_offer(name, &t->by_name[0].name, sizeof t->by_name[0], t->n_nodes, offer,
                   sizeof offer);
        return err_set(err, "--node: no node '%s'%s", name, offer);
    }
    return t->nodes[r->node].kind == TOPO_SWITCH ||
           err_set(err, "--node: %s is a host, and only a switch can be run", name);
}

/* Steps of the set-up. */

static int
open_devices(struct switch_running *r, const struct model *model, struct err *err)
{
    struct dpdk_port devices[SWITCH_MAX_PORTS];

    for (uint32_t i = 0; i < r->n_ports; i++) {
        devices[i] =
            (struct dpdk_port){ .is_down = r->ports[i].is_down,
                                .n_waiting = dp_frames_waiting(model, r->node, i, r->n_ports) };
        devices[i].device = r->ports[i].is_down ? NULL : r->ports[i].device;
    }
    r->dpdk = dpdk_load(err);
    if (!r->dpdk || !r->dpdk->begin(r->request->eal, err)) {
        return EXIT_WORLD;
    }
    r->max_frames = dp_frames_of_switch(model, r->node);
    return r->dpdk->open(devices, r->n_ports, r->max_frames, dp_longest_frame(model), &r->io, err)
               ? EXIT_GOOD
               : EXIT_WORLD;
}

/* Captures a frame. The node's clock is set back from time to time, so times are converted to the
 * time since the start. While the node is being created, the time is 0. */
static void
capture_frame(void *running, uint32_t port, const struct dp_frame *frame, weir_ps at, bool is_sent)
{
    const struct switch_running *r = running;
    int64_t at_ns = r->dp ? dp_node_ns(r->dp, at) : 0;

    switch_capture_add(r->capture, port, frame, at_ns, is_sent);
}

static int
make_node(struct switch_running *r, struct model *model, struct err *err)
{
    for (size_t i = 0; i < model->n_warnings; i++) {
        fprintf(r->request->messages, "warning: %s\n", model->warnings[i].text);
    }
    r->network = dp_network_of(model);
    dp_answer_at_once(model);
    const struct dp_config config = { .network = r->network,
                                      .io = &r->io,
                                      .node = r->node,
                                      .sim = { .until_ps = WEIR_NEVER,
                                               .seed = r->scenario->run.seed },
                                      .model = model,
                                      .is_open = true,
                                      .max_frames = r->max_frames,
                                      .tap = r->capture ? capture_frame : NULL,
                                      .tap_arg = r };
    r->dp = dp_node_new(&config, err);
    return r->dp ? EXIT_GOOD : EXIT_USER;
}

/* Opens the node. Once the node exists, it owns the model. */
static int
open_node(struct switch_running *r, struct err *err)
{
    struct model model;
    int code = bind_model(r->scenario, &model, err) ? open_devices(r, &model, err) : EXIT_USER;

    if (code == EXIT_GOOD && r->request->pcap) {
        r->capture =
            switch_capture_begin(r->topo, r->node, r->request->pcap, r->request->force, &code, err);
    }
    if (code != EXIT_GOOD) {
        model_free(&model);
        return code;
    }
    return make_node(r, &model, err);
}

int
switch_set_up(struct switch_running *r, struct err *err)
{
    return find_node(r, err) && switch_ports_read(r, err) ? open_node(r, err) : EXIT_USER;
}

void
switch_clean_up(struct switch_running *r)
{
    struct switch_captured ignored;
    struct err err;

    if (r->capture) {
        switch_capture_end(r->capture, &ignored, &err);
    }
    if (r->dp) {
        dp_node_free(r->dp);
    }
    if (r->io.arg) {
        r->dpdk->close(&r->io);
    }
    if (r->dpdk) {
        r->dpdk->end();
    }
    dp_network_free(&r->network);
}
