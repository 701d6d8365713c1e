/* Random scenarios: any network, any traffic, any engine.  A seed is a scenario.
 *
 *     struct draw d;
 *     draw_start(&d, seed);
 *     struct sim *sim = simple_net_sim_new(&d.config, &err);   null: does not fit, draw again
 *     ...
 *     draw_stop(&d);
 *
 * Runs are cut off at some thousand packets and some thousand windows, so that hundreds of them
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
    bool is_trap;      /* A ring, full of flows that all go the same way around. */
    bool is_lossy;     /* Packets and frames are lost on some link. */
    bool is_piped;     /* Switches have pipelines; some of these */
    bool may_overflow; /* drop what does not fit their outputs, */
    bool may_stand;    /* or stop until it fits; */
    bool is_shared;    /* others have one memory, which output queues may fill. */
    bool is_crossed;   /* Switches have crossbars. */
    bool has_points;   /* QCN acts in addition to link-level engines. */
    bool is_astray;    /* Static routes or a hop limit: some packets may never arrive. */
};

void draw_start(struct draw *, uint64_t seed);
void draw_stop(struct draw *);

/* Whether lossless classes lost more than engines allow. Engines that watch inputs promise nothing
 * for full outputs, for a memory that outputs fill, or for links that are down. */
bool draw_is_broken(const struct draw *, const struct sim *);

/* Describes the drawn scenario in one line. */
void draw_tell(const struct draw *, char *text, size_t max);
void draw_print(const struct draw *);

/* Fails the test, with the seed and what was drawn. */
void draw_fail(const struct draw *, uint64_t seed, const char *what);

/* Several threads also account for waits.  Null: refused. */
struct sim *draw_sim(const struct draw *, uint32_t n_threads);

/* Sets a parameter of the kind of switch. */
void draw_set_kind(struct draw *, const char *name, uint64_t value);

#endif
