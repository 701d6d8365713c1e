/* Plans: the buffer that a switch must keep free, and its thresholds, computed without a
 * simulation.
 *
 * A plan starts from the ports of one switch: rate, cable, MTU, lossless classes.  Ports with the
 * same properties are of one kind.  Every scheme is a line of a table.  It has a bound: the buffer
 * that its paper or standard requires above a threshold, for one class of one port.  It has a
 * number of whole packets to add, because bounds assume fluid traffic (doc/theory.md), and the
 * number of classes that it separates.  From these follow the total need of the switch, the rest to
 * share, whether the plan fits, and changes that would make it fit.
 *
 *     struct plan plan = { .in = ... };            plan_fields has the defaults and ranges
 *     ARRAY_PUSH(plan.ports, ...) = port;          or plan_add_ports(&plan), all alike
 *     plan_finish(&plan, &err)                     finds kinds, and checks the inputs
 *     plan_need(&plan, scheme)                     the need of the whole switch
 *     plan_free(&plan);
 *
 * All results are computed by formulas.  `weir plan --verify` simulates the worst cases, too. */

#ifndef PLAN_H
#define PLAN_H

#include "base/err.h"
#include "weir/node.h"

/* Inputs of a plan, which plan_fields describes with units, defaults and ranges.  WEIR_AUTO means
 * that a value follows from others. */
struct plan_input {
    uint64_t rate_bps;
    uint64_t cable_mm, delay_ps; /* Two forms of one value: a cable has 5 ns per metre. */
    uint64_t mtu_bytes, response_ps;
    uint64_t ports, classes, hops;
    uint64_t buffer_bytes; /* The buffer of the chip; WEIR_AUTO: unknown. */
    uint64_t period_ps, rtt_ps;
    uint64_t pipeline_ps, pps; /* Set for a switch with a pipeline. */

    /* Values of SONiC's formula and profiles; the formula of 802.1Q also uses mac_phy_bytes. */
    uint64_t cell_bytes, mac_phy_bytes, gearbox_ps, small_percent, lossless_mtu_bytes;
    uint64_t xon_bytes, xon_offset_bytes;
    uint64_t dynamic_th; /* An index into the choices of the field (plan_dynamic_th()). */
    uint64_t static_th_bytes;
};

extern const struct weir_field plan_fields[];

/* Sets an input from a word. A size without a unit is in bytes, as is usual for MTUs. */
bool plan_field_parse(const struct weir_field *, const char *word, struct plan_input *,
                      struct err *);

enum { PLAN_NAME_BYTES = 40, PLAN_WORD_BYTES = 80 };

/* The values of a SONiC profile other than its headroom; WEIR_AUTO: it does not have the value. */
struct plan_profile {
    uint64_t xon_bytes, xon_offset_bytes;
    /* The bytes that a priority group reserves for itself: the size of the profile minus
     * headroom. */
    uint64_t own_bytes;
    bool is_beside; /* Headroom is in addition to the size. */
    /* SONiC marks such profiles in their names, and gives them a larger xon and one packet more
     * (sonic-read.c). */
    bool has_8_lanes;
};

/* A lossless profile in the file of a SONiC switch. */
struct plan_named {
    char name[PLAN_WORD_BYTES];
    uint64_t size_bytes, xon_bytes, xoff_bytes;
    uint64_t xon_offset_bytes; /* WEIR_AUTO: it is not given. */
};

/* The settings of one class of a port in a file. */
struct plan_group {
    /* 1 + the index among the plan's profiles; 0: the class is not lossless. */
    uint32_t profile;
    uint8_t first, last; /* The classes in the key of the row: "Ethernet0|3-4". */
    bool is_in_buffer;   /* Its memory is a part of the planned buffer. */
};

struct plan_port {
    char name[PLAN_NAME_BYTES];
    uint64_t rate_bps, cable_mm;
    weir_ps cable_ps;
    bool has_response; /* Its link has the response time below; otherwise the rate determines it. */
    weir_ps response_ps;
    uint32_t mtu_bytes;
    uint8_t lossless;          /* Bit c is set if class c is lossless. */
    uint64_t configured_bytes; /* The minimum configured headroom of a class; 0: none or unknown. */
    /* Classes that have headroom, or to which the switch will give headroom. */
    uint8_t grouped;
    uint8_t bare; /* Lossless classes that are known to have no headroom. */
    struct plan_group groups[WEIR_MAX_CLASSES];
    struct plan_profile profile;
    char lanes[PLAN_WORD_BYTES]; /* The text of SONiC's file; empty: unknown. */
    bool is_down, is_unwired;    /* SONiC gives such a port no lossless profile (sonic-read.c). */
    size_t kind;                 /* The index of its kind, if it has a lossless class. */
};

/* Ports with the same properties. */
struct plan_kind {
    struct weir_link link;
    uint64_t cable_mm, configured_bytes;
    struct plan_profile profile;
    uint8_t lossless, bare;
    uint32_t n_ports, n_classes;
    size_t first_port;
};

/* The configured action on queues that stay paused (sonic-watchdog.c). */
struct plan_watchdog {
    const char *action;                            /* Null: there is no action. */
    weir_ps detection_ps, restoration_ps, poll_ps; /* 0: the time is not given. */
    char port[PLAN_NAME_BYTES];                    /* A port with these settings. */
    uint32_t n_others;                             /* The number of ports with other settings. */
};

/* A shared pool of headroom for all groups, if a switch with SONiC has one. */
struct plan_headroom_pool {
    uint64_t bytes;              /* The xoff of the pool; 0: the ratio determines the size. */
    uint64_t over_subscription;  /* From DEFAULT_LOSSLESS_BUFFER_PARAMETER; 0: none. */
    uint64_t private_port_bytes; /* Bytes that each lossless port has for itself. */
};

struct plan {
    struct plan_input in;
    uint32_t gap_bytes;  /* The gap between packets in the scenario; else 0, as in the papers. */
    bool is_sonic;       /* The plan was read from SONiC's tables. */
    bool knows_cells;    /* The user gave the share of small packets, or the size of cells. */
    bool knows_cell;     /* The user gave the size of cells. */
    bool knows_response; /* The user gave the response time of peers. */
    bool assumes_mtu;    /* Neither a file nor the user gave the MTU. */
    bool knows_groups;   /* The file shows which classes have headroom. */
    char name[PLAN_NAME_BYTES];     /* The name of the switch; empty: unknown. */
    char platform[PLAN_WORD_BYTES]; /* The platform, as SONiC names it. */
    bool is_dynamic;                /* The switch's buffer manager computes profiles itself. */
    bool has_brackets;              /* The tables refer to each other as "[TABLE|name]". */
    char pool_name[PLAN_WORD_BYTES];
    uint64_t pool_bytes; /* The size of the pool that SONiC's lossless classes share; 0: unknown. */
    struct plan_named *profiles;
    size_t n_profiles, max_profiles;
    struct plan_headroom_pool headroom_pool;
    struct plan_port *ports;
    size_t n_ports, max_ports;
    struct plan_kind *kinds;
    size_t n_kinds, max_kinds;
    struct plan_watchdog watchdog;
    struct weir_text *warned; /* Warnings about the scenario from which the plan was read. */
    size_t n_warned, max_warned;
};

/* Adds the ports that the input describes. All are equal, and have SONiC's names. */
void plan_add_ports(struct plan *);

/* Makes the same plan at another rate, for tables of costs, without the ports that were read from a
 * file. */
bool plan_at_rate(struct plan *, const struct plan_input *, uint64_t rate_bps, struct err *);
extern const uint64_t plan_cost_rates_bps[]; /* 10 to 400 Gb/s; ends with 0. */

/* Groups the ports into kinds. Returns false if inputs contradict each other. */
bool plan_finish(struct plan *, struct err *);
void plan_free(struct plan *);

/* Whether headroom is shared; and the bytes of a shared headroom pool, including the private parts
 * of ports, for groups with this total xoff on this number of ports (0 if headroom is not
 * shared). */
bool plan_shares_headroom(const struct plan *);
uint64_t plan_headroom_pool_bytes(const struct plan *, uint64_t xoff_bytes, uint64_t n_ports);

/* The number of ports with lossless classes. */
uint64_t plan_n_ports(const struct plan *);

/* Whether two switches have the same needs: their kinds of ports and their memory are equal. */
bool plan_is_alike(const struct plan *, const struct plan *);

/* Writes up to 'max' warnings about the reliability of the numbers; returns their number. */
size_t plan_warnings(const struct plan *, struct weir_text *said, size_t max);

/* Reads a length such as "300m" or "1.5km" as millimetres.  Returns false, with an error that shows
 * the right form, if it is not a length or far too long. */
bool plan_length_parse(const char *text, uint64_t *mm, struct err *);

/* The delay of a cable: 5 ns per metre, as in TTL 2.1. */
weir_ps plan_cable_ps(uint64_t mm);
uint64_t plan_cable_mm(weir_ps);

/* The exponent that SONiC calls dynamic_th, from -8 to 7. The input has its index among the choices
 * of the field. */
int plan_dynamic_th(const struct plan_input *);

/* Adds the classes of a mask as SONiC lists them: "3,4". */
void plan_add_classes(uint8_t classes, struct weir_text *);

/* The mask for a number of classes, which start at 3, as in RoCE. */
uint8_t plan_classes_mask(uint64_t n_classes);

/* Formulas for PFC's headroom: the worst case that 802.1Q and 802.3 allow, and SONiC's.  Eq. 15 of
 * TTL is in weir/bounds.h. */
uint64_t plan_802_1q_bytes(const struct plan *, const struct plan_kind *);
/* The slowest response that 802.3 allows. */
weir_ps plan_slowest_response_ps(const struct plan *, uint64_t rate_bps);
/* Rounded up to whole KiB. */
uint64_t plan_sonic_bytes(const struct plan *, const struct plan_kind *);
uint64_t plan_sonic_exact_bytes(const struct plan *, const struct plan_kind *);

/* The response time of a peer: the value that the user gave, or the maximum of 802.3. */
weir_ps plan_peer_response_ps(const struct plan *, const struct plan_kind *);

/* SONiC's defaults for a port without a profile.  On ports of 8 lanes, xon is twice that of the
 * pipeline minus 1 KiB, and there is one packet in addition. */
uint64_t plan_sonic_xon_bytes(uint64_t pipeline_bytes, bool has_8_lanes);
struct plan_profile plan_sonic_profile(const struct plan_input *, bool has_8_lanes, uint64_t mtu);

/* The settings of a profile other than its headroom. */
struct plan_profile plan_named_profile(const struct plan *, const struct plan_named *,
                                       bool has_8_lanes);

/* The credit that CBFC must advertise so that a free link runs at line rate: all bytes that can be
 * sent before the next credit message arrives. */
uint64_t plan_credit_window_bytes(const struct plan *, const struct plan_kind *);
weir_ps plan_period_ps(const struct plan *, const struct plan_kind *);

/* Schemes of flow control. */

struct plan_scheme {
    const char *key;    /* "gfc-buffer". */
    const char *title;  /* The name for users. */
    const char *asks;   /* The bound, as its source writes it. */
    const char *engine; /* The engine that implements the scheme; null: none. */
    bool has_tau;
    uint64_t (*bound)(const struct plan *, const struct plan_kind *);
    uint32_t n_whole; /* The number of MTUs to add to the bound, because packets are not fluid. */
    /* The number of MTUs below the threshold that keep a free link from being throttled. */
    uint32_t n_under;
    /* The scheme separates one of so many classes; 0: it separates all classes. */
    uint32_t class_of;
    bool is_shared;        /* All classes share the bytes that keep outputs busy. */
    const char *threshold; /* The parameter at which the headroom begins; null: derived. */
    bool has_outputs;      /* Inputs and outputs have separate buffers (plan_capfc_resolve()). */
};

extern const struct plan_scheme plan_schemes[]; /* A scheme without a key ends the list. */

const struct plan_scheme *plan_scheme_find(const char *key);

/* Whether PFC frames have a bit for each class that the scheme separates. TTL needs a class for
 * each hop. */
bool plan_scheme_has_classes(const struct plan *, const struct plan_scheme *);

/* Whether the configured headroom is known for every port; and whether a scheme's formula applies.
 * That of configured headroom applies only if headroom is configured. */
bool plan_knows_configured(const struct plan *);
bool plan_scheme_applies(const struct plan *, const struct plan_scheme *);

/* The number of classes that a port of a kind separates. */
uint64_t plan_scheme_classes(const struct plan *, const struct plan_scheme *,
                             const struct plan_kind *);

struct plan_need {
    uint64_t bound_bytes;
    uint64_t headroom_bytes; /* The bound plus whole packets. */
    uint64_t under_bytes;
    uint64_t busy_bytes; /* C RTT, so that outputs do not run empty (TTL 2.2). */
};

/* The need of one class of one port. */
struct plan_need plan_slot_need(const struct plan *, const struct plan_scheme *,
                                const struct plan_kind *);
/* The need of the switch. */
struct plan_need plan_need(const struct plan *, const struct plan_scheme *);

/* The minimum need. With less, the switch loses packets or never runs at line rate. */
static inline uint64_t
plan_least_bytes(const struct plan_need *n)
{
    return n->headroom_bytes + n->under_bytes;
}

/* Whether a scheme fits into the buffer, which must be known.  A scheme that needs more classes
 * than exist never fits. */
bool plan_fits(const struct plan *, const struct plan_scheme *);

/* Limits with which a plan would fit: the maximum number of classes, cable length and packet
 * length. PLAN_NOTHING means that there is no limit. InfiniBand's smallest MTU is 256; RoCE is not
 * used with less. */
#define PLAN_NOTHING UINT64_MAX
enum { PLAN_MAX_REMEDIES = 4, PLAN_LEAST_MTU = 256 };

struct plan_caps {
    uint64_t classes, cable_mm, mtu_bytes;
};

/* The minimum bytes that the switch needs with these limits, as plan_least_bytes() returns them. */
uint64_t plan_capped_bytes(const struct plan *, const struct plan_scheme *,
                           const struct plan_caps *);

/* Finds remedies that make the plan fit, each of which is sufficient; returns their number. */
size_t plan_find_remedies(const struct plan *, const struct plan_scheme *,
                          struct plan_caps remedies[PLAN_MAX_REMEDIES]);

/* Thresholds. The first function returns an equal part of the buffer for each class of each port,
 * the second for each class that a scheme separates. */
uint64_t plan_room_bytes(const struct plan *);
uint64_t plan_scheme_room_bytes(const struct plan *, const struct plan_scheme *);

/* Whether a scheme needs a class for every hop, but neither the hops nor enough classes were
 * given. */
bool plan_lacks_hops(const struct plan *, const struct plan_scheme *);

/* Derives the parameters of a scheme's engine with that part of the buffer, at a node with ports of
 * these kinds. Returns false with a reason on failure. */
bool plan_resolve(const struct plan *, const struct plan_scheme *, const struct plan_kind *,
                  size_t n_kinds, struct weir_stack *, struct weir_text *why);

/* Sets a parameter in bytes of a stack's only engine. */
void plan_set_bytes(struct weir_stack *, const char *name, uint64_t bytes);

/* CaPFC at a switch with a pipeline: the need of one class of a port at its input and output, at
 * its output alone, and the size of its input. The output gets the rest of the buffer. Thresholds
 * are those of a node with all ports of the plan. */
uint64_t plan_capfc_bytes(const struct plan *, const struct plan_kind *);
uint64_t plan_capfc_egress_bytes(const struct plan *, const struct plan_kind *);
uint64_t plan_capfc_input_bytes(const struct plan *);
bool plan_capfc_resolve(const struct plan *, struct weir_stack *, struct weir_text *why);
void plan_capfc_add_rooms(const struct plan *, struct weir_text *);

/* The packet rate of the pipeline: the given one, or one that is enough for packets of any
 * length. */
uint64_t plan_pps(const struct plan *);

/* The queue length at which PFC with a dynamic threshold sends a pause, when 'n_long' queues are
 * long at the same time.  Each queue may have 2^dynamic_th times the free part of the shared
 * buffer. */
uint64_t plan_trigger_bytes(const struct plan *, uint64_t shared_bytes, uint64_t n_long);

#endif
