/* Random scenarios: any network, any traffic, any engine.  A seed is a scenario.
 *
 *     struct draw d;
 *     draw_start(&d, seed);
 *     struct sim *sim = simple_net_sim_new(&d.config, &err);   null: refused, draw another one
 *     ...
 *     draw_stop(&d);
 *
 * A run is limited to a few thousand packets and a few thousand windows, so that hundreds of runs
 * take seconds. */

#ifndef TESTS_SIM_DRAW_H
#define TESTS_SIM_DRAW_H

#include "simple-net/simple-net.h"

enum {
    DRAW_MAX_FLOWS = 40,
    DRAW_MAX_EVENTS = 6,
    DRAW_MAX_PATH = 8,
    DRAW_MAX_STALLS = 3,
    DRAW_MAX_SLOWINGS = 6
};

struct draw {
    uint64_t chance;
    const char *network, *engine;
    struct topo topo;
    struct simple_net config;
    uint64_t kind_params[16];
    uint64_t transport_params[TP_PARAMS_MAX / sizeof(uint64_t)];
    uint64_t recovery_params[RC_PARAMS_MAX / sizeof(uint64_t)];
    struct simple_net_flow flows[DRAW_MAX_FLOWS];
    uint16_t paths[DRAW_MAX_FLOWS][DRAW_MAX_PATH];
    struct topo_link_event events[DRAW_MAX_EVENTS];
    struct model_stall stalls[DRAW_MAX_STALLS];
    struct topo_slowing slowings[DRAW_MAX_SLOWINGS];
    bool is_loop_free; /* Shortest paths of this network cannot close a cycle of waiting buffers. */
    bool is_trap;      /* A ring full of flows, all in the same direction. */
    bool is_lossy;     /* Packets and frames are lost on some link. */
    bool is_piped;     /* Switches have pipelines. */
    bool may_overflow; /* Pipelines drop packets that do not fit an output. */
    bool may_stand;    /* Pipelines stop for a packet that does not fit its output. */
    bool is_shared;    /* Switches have one memory, which output queues may fill. */
    bool is_crossed;   /* Switches have crossbars. */
    bool has_points;   /* QCN acts in addition to link-level engines. */
    bool is_astray;    /* Static routes or a hop limit: some packets may never arrive. */
};

void draw_start(struct draw *, uint64_t seed);
void draw_stop(struct draw *);

/* Whether lossless classes lost more than engines allow. Engines that watch inputs do not protect
 * full outputs, a memory that outputs fill, or links that are down. */
bool draw_is_broken(const struct draw *, const struct sim *);

/* Describes the scenario in one line. */
void draw_tell(const struct draw *, char *text, size_t max);
void draw_print(const struct draw *);

/* Fails the test, with the seed and the description of the scenario. */
void draw_fail(const struct draw *, uint64_t seed, const char *what);

/* The simulation of the scenario; null if it is refused. With several threads it also accounts for
 * waits. */
struct sim *draw_sim(const struct draw *, uint32_t n_threads);

/* Sets a parameter of the kind of switch. */
void draw_set_kind(struct draw *, const char *name, uint64_t value);

#endif
