/* Plans: how much buffer a switch must keep free, and where thresholds go, before anything runs.
 *
 * A plan starts from the ports of one switch: rate, cable, MTU, lossless classes.  Ports with the
 * same properties make a kind.  Every scheme is a line of a table.  It has a bound: the room that
 * its paper or standard requires above a threshold, for one class of one port.  It has whole
 * packets on top of it, as bounds are for fluid (doc/theory.md), and the number of classes that it
 * keeps apart. From these follow the total need of the switch, the rest to share, whether it fits,
 * and what would.
 *
 *     struct plan plan = { .in = ... };              plan_fields has the defaults and ranges
 *     ARRAY_PUSH(plan.ports, ...) = port;            or plan_add_ports(&plan), all alike
 *     plan_finish(&plan, &err)                       kinds, and what goes with what
 *     plan_need(&plan, scheme)                       of the whole switch
 *     plan_free(&plan);
 *
 * All of it is arithmetic: nothing here is simulated.  `weir plan --verify` does that. */

#ifndef PLAN_H
#define PLAN_H

#include "base/err.h"
#include "weir/node.h"

/* Inputs of a plan; plan_fields has every one with its unit, default and range.  WEIR_AUTO where it
 * follows from others. */
struct plan_input {
    uint64_t rate_bps;
    uint64_t cable_mm, delay_ps; /* One value; for a cable, 5 ns per metre. */
    uint64_t mtu_bytes, response_ps;
    uint64_t ports, classes, hops;
    uint64_t buffer_bytes; /* The buffer of the chip; WEIR_AUTO: not known. */
    uint64_t period_ps, rtt_ps;
    uint64_t pipeline_ps, pps; /* Set for a switch with a pipeline. */

    /* Values of SONiC's formula and profiles; mac_phy_bytes is used by 802.1Q's, too. */
    uint64_t cell_bytes, mac_phy_bytes, gearbox_ps, small_percent, lossless_mtu_bytes;
    uint64_t xon_bytes, xon_offset_bytes;
    uint64_t dynamic_th; /* An index: see plan_dynamic_th(). */
    uint64_t static_th_bytes;
};

extern const struct weir_field plan_fields[];

/* Sets one of them from a word.  Sizes may be bare numbers, as MTU mostly are: bytes. */
bool plan_field_parse(const struct weir_field *, const char *word, struct plan_input *,
                      struct err *);

enum { PLAN_NAME_BYTES = 40, PLAN_WORD_BYTES = 80 };

/* Values of a SONiC profile other than its headroom; WEIR_AUTO: nothing. */
struct plan_profile {
    uint64_t xon_bytes, xon_offset_bytes;
    uint64_t own_bytes; /* Bytes that a priority group reserves for itself: its size, less
                         * headroom. */
    bool is_beside;     /* Headroom is not part of the size. */
    bool has_8_lanes;   /* SONiC names such profiles, and gives them more: see sonic-read.c. */
};

/* A lossless profile as the file of a SONiC switch has it. */
struct plan_named {
    char name[PLAN_WORD_BYTES];
    uint64_t size_bytes, xon_bytes, xoff_bytes;
    uint64_t xon_offset_bytes; /* WEIR_AUTO: not given. */
};

/* The settings of one class of a port in a file. */
struct plan_group {
    uint32_t profile;    /* 1 + place among the plan's profiles; 0: no lossless one. */
    uint8_t first, last; /* Classes in the key of its row: "Ethernet0|3-4". */
    bool is_in_buffer;   /* Its memory is part of the buffer that is planned. */
};

struct plan_port {
    char name[PLAN_NAME_BYTES];
    uint64_t rate_bps, cable_mm;
    weir_ps cable_ps;
    bool has_response; /* Its link has the following response time; else the rate decides it. */
    weir_ps response_ps;
    uint32_t mtu_bytes;
    uint8_t lossless;          /* Bit c: class c is. */
    uint64_t configured_bytes; /* The minimum that a class has today; 0: none has, or not known. */
    uint8_t grouped;           /* Classes that have headroom, or that the switch gives some. */
    uint8_t bare;              /* Lossless classes that are known to have none. */
    struct plan_group groups[WEIR_MAX_CLASSES];
    struct plan_profile profile;
    char lanes[PLAN_WORD_BYTES]; /* As in SONiC's file; empty: unknown. */
    bool is_down, is_unwired;    /* SONiC gives it no lossless profile: sonic-read.c. */
    size_t kind;                 /* Where it is of one: if it has a lossless class. */
};

struct plan_kind { /* Ports with the same properties. */
    struct weir_link link;
    uint64_t cable_mm, configured_bytes;
    struct plan_profile profile;
    uint8_t lossless, bare;
    uint32_t n_ports, n_classes;
    size_t first_port;
};

/* The action on queues that stay paused, as the switch is configured: sonic-watchdog.c. */
struct plan_watchdog {
    const char *action;                            /* Null: there is none. */
    weir_ps detection_ps, restoration_ps, poll_ps; /* 0: not given. */
    char port[PLAN_NAME_BYTES];                    /* The port that has it, */
    uint32_t n_others;                             /* and how many have another. */
};

/* On a switch that runs SONiC: one pool of headroom for all groups, if it has that. */
struct plan_headroom_pool {
    uint64_t bytes;              /* xoff of the pool; 0: as large as the ratio has it. */
    uint64_t over_subscription;  /* From DEFAULT_LOSSLESS_BUFFER_PARAMETER; 0: none. */
    uint64_t private_port_bytes; /* Bytes that each lossless port keeps of its own. */
};

struct plan {
    struct plan_input in;
    uint32_t gap_bytes;  /* The gap of the scenario that it is about; else 0, as the papers have
                          * it. */
    bool is_sonic;       /* It was read from SONiC's tables. */
    bool knows_cells;    /* The user gave the share of small packets, or the size of cells. */
    bool knows_cell;     /* The same of the size of a cell alone. */
    bool knows_response; /* The user gave the response time of peers. */
    bool knows_groups;   /* The file says which classes have headroom. */
    char name[PLAN_NAME_BYTES];     /* The name of the switch; empty: not known. */
    char platform[PLAN_WORD_BYTES]; /* The same, as SONiC names it. */
    bool is_dynamic;                /* Its buffer manager works profiles out by itself. */
    bool has_brackets;              /* Its tables refer to each other as "[TABLE|name]". */
    char pool_name[PLAN_WORD_BYTES];
    uint64_t pool_bytes; /* The pool that SONiC's lossless classes share; 0: not known. */
    struct plan_named *profiles;
    size_t n_profiles, max_profiles;
    struct plan_headroom_pool headroom_pool;
    struct plan_port *ports;
    size_t n_ports, max_ports;
    struct plan_kind *kinds;
    size_t n_kinds, max_kinds;
    struct plan_watchdog watchdog;
    struct weir_text *warned; /* Warnings about the scenario that it was read from. */
    size_t n_warned, max_warned;
};

/* The ports that the input speaks of, all alike, by the names that SONiC would give them. */
void plan_add_ports(struct plan *);

/* The same plan at another rate: for tables of costs.  Ports that were read stay behind. */
bool plan_at_rate(struct plan *, const struct plan_input *, uint64_t rate_bps, struct err *);
extern const uint64_t plan_cost_rates_bps[]; /* 10 to 400 Gb/s; ends with 0. */

/* Kinds from ports.  False if something does not go with something else. */
bool plan_finish(struct plan *, struct err *);
void plan_free(struct plan *);

/* The share of the buffer of a pool of headroom for groups whose xoff add up to this, on this
 * number of ports: the pool, and the private part of ports. 0: headroom is not shared. */
bool plan_shares_headroom(const struct plan *);
uint64_t plan_headroom_pool_bytes(const struct plan *, uint64_t xoff_bytes, uint64_t n_ports);

/* How many ports have lossless classes. */
uint64_t plan_n_ports(const struct plan *);

/* True if two switches need the same: their kinds and their memory are equal. */
bool plan_is_alike(const struct plan *, const struct plan *);

/* Warnings to read before the numbers are trusted: up to 'max' sentences; returns their number. */
size_t plan_warnings(const struct plan *, struct weir_text *said, size_t max);

/* "300m", "1.5km" as millimetres; false, with what would be right, if it is not a length or an
 * absurd one. */
bool plan_length_parse(const char *text, uint64_t *mm, struct err *);

/* The delay of a cable: 5 ns a metre, as TTL 2.1 has it. */
weir_ps plan_cable_ps(uint64_t mm);
uint64_t plan_cable_mm(weir_ps);

/* The exponent that SONiC calls dynamic_th, -8 to 7, and its place among the choices of the field.
 */
int plan_dynamic_th(const struct plan_input *);

/* "3,4": classes of a mask, as SONiC lists them. */
void plan_add_classes(uint8_t classes, struct weir_text *);

/* The classes meant by a number of them: from 3 on, as in RoCE. */
uint8_t plan_classes_mask(uint64_t n_classes);

/* Formulas for PFC's headroom other than Eq. 15 of TTL, which is in weir/bounds.h: the worst case
 * that 802.1Q and 802.3 allow, and SONiC's. */
uint64_t plan_802_1q_bytes(const struct plan *, const struct plan_kind *);
weir_ps plan_slowest_response_ps(const struct plan *, uint64_t rate_bps); /* The slowest that 802.3
                                                                           * allows. */
uint64_t plan_sonic_bytes(const struct plan *, const struct plan_kind *); /* In whole KiB. */
uint64_t plan_sonic_exact_bytes(const struct plan *, const struct plan_kind *);

/* The response time of a peer: from the user, or the maximum of 802.3. */
weir_ps plan_peer_response_ps(const struct plan *, const struct plan_kind *);

/* SONiC's defaults for a port without a profile: xon, which on ports of 8 lanes is twice the
 * pipeline's less 1 KiB, and there also a packet on top of it. */
uint64_t plan_sonic_xon_bytes(uint64_t pipeline_bytes, bool has_8_lanes);
struct plan_profile plan_sonic_profile(const struct plan_input *, bool has_8_lanes, uint64_t mtu);

/* The settings of a profile apart from its headroom. */
struct plan_profile plan_named_profile(const struct plan *, const struct plan_named *,
                                       bool has_8_lanes);

/* The credit that CBFC must advertise so that a free link runs at line rate: all bytes that can be
 * sent until the next credit message is heard. */
uint64_t plan_credit_window_bytes(const struct plan *, const struct plan_kind *);
weir_ps plan_period_ps(const struct plan *, const struct plan_kind *);

/* Schemes. */

struct plan_scheme {
    const char *key;    /* "gfc-buffer". */
    const char *title;  /* For people. */
    const char *asks;   /* The bound, as its source writes it. */
    const char *engine; /* The engine that runs it; null: none does. */
    bool has_tau;
    uint64_t (*bound)(const struct plan *, const struct plan_kind *);
    uint32_t n_whole;  /* MTU on top of the bound, as packets come whole. */
    uint32_t n_under;  /* MTU under the threshold, so that a free link is not throttled. */
    uint32_t class_of; /* It keeps one of this many classes apart; 0: all of them, as they are. */
    bool is_shared;    /* All classes share the bytes that keep outputs busy. */
    const char *threshold; /* The parameter under the headroom; null: derived. */
    bool has_outputs; /* Inputs and outputs have buffers of their own: see plan_capfc_resolve(). */
};

extern const struct plan_scheme plan_schemes[]; /* Ends with no key. */

const struct plan_scheme *plan_scheme_find(const char *key);

/* Whether PFC frames have a bit for each of its classes; TTL has one for each hop. */
bool plan_scheme_has_classes(const struct plan *, const struct plan_scheme *);

/* Whether the formula applies: that of configured headroom does only if some is configured.  And
 * whether it is known of every port. */
bool plan_knows_configured(const struct plan *);
bool plan_scheme_applies(const struct plan *, const struct plan_scheme *);

/* How many classes a port of a kind keeps apart. */
uint64_t plan_scheme_classes(const struct plan *, const struct plan_scheme *,
                             const struct plan_kind *);

struct plan_need {
    uint64_t bound_bytes;
    uint64_t headroom_bytes; /* The bound, and whole packets. */
    uint64_t under_bytes;
    uint64_t busy_bytes; /* TTL 2.2: C RTT, so that outputs do not run dry. */
};

struct plan_need
plan_slot_need(const struct plan *, const struct plan_scheme *,
               const struct plan_kind *); /* The value for one class of one port. */
struct plan_need plan_need(const struct plan *,
                           const struct plan_scheme *); /* The value for the switch. */

/* Less than this, and it loses packets or never runs at line rate. */
static inline uint64_t
plan_least_bytes(const struct plan_need *n)
{
    return n->headroom_bytes + n->under_bytes;
}

/* The buffer must be known.  One that needs more classes than there are fits nothing. */
bool plan_fits(const struct plan *, const struct plan_scheme *);

/* The limits that would fit: the maximum number of classes, cable length and packet length.
 * PLAN_NOTHING: unchanged.  InfiniBand's smallest MTU is 256; RoCE is not used with less. */
#define PLAN_NOTHING UINT64_MAX
enum { PLAN_MAX_REMEDIES = 4, PLAN_LEAST_MTU = 256 };

struct plan_caps {
    uint64_t classes, cable_mm, mtu_bytes;
};

/* The bytes that the switch needs with these; plan_least_bytes() of it. */
uint64_t plan_capped_bytes(const struct plan *, const struct plan_scheme *,
                           const struct plan_caps *);

/* Remedies to make it fit, each of which is enough; returns their number. */
size_t plan_find_remedies(const struct plan *, const struct plan_scheme *,
                          struct plan_caps remedies[PLAN_MAX_REMEDIES]);

/* Thresholds.  The buffer cut evenly: the part of each class of each port; and each of a
 * scheme's. */
uint64_t plan_room_bytes(const struct plan *);
uint64_t plan_scheme_room_bytes(const struct plan *, const struct plan_scheme *);

/* Whether it keeps a class for every hop, and neither the hops nor enough classes were given. */
bool plan_lacks_hops(const struct plan *, const struct plan_scheme *);

/* The parameters that the engine of a scheme derives with that room, at a node with ports of these
 * kinds; false, and why not. */
bool plan_resolve(const struct plan *, const struct plan_scheme *, const struct plan_kind *,
                  size_t n_kinds, struct weir_stack *, struct weir_text *why);

/* Sets a parameter in bytes of a stack's only engine. */
void plan_set_bytes(struct weir_stack *, const char *name, uint64_t bytes);

/* CaPFC, at a switch with a pipeline: the need of a class of a port at its input and its output, at
 * its output alone, and the size of its input; the rest of the room is the output's.  Its
 * thresholds are those of a node with all ports of the plan. */
uint64_t plan_capfc_bytes(const struct plan *, const struct plan_kind *);
uint64_t plan_capfc_egress_bytes(const struct plan *, const struct plan_kind *);
uint64_t plan_capfc_input_bytes(const struct plan *);
bool plan_capfc_resolve(const struct plan *, struct weir_stack *, struct weir_text *why);
void plan_capfc_add_rooms(const struct plan *, struct weir_text *);

/* Packets per second that its pipeline takes: as given, or enough for any length of packets. */
uint64_t plan_pps(const struct plan *);

/* The threshold at which PFC with a dynamic threshold sends a pause when 'n' (port, class) are long
 * at once: each has 2^dynamic_th times the free part of the shared buffer. */
uint64_t plan_trigger_bytes(const struct plan *, uint64_t shared_bytes, uint64_t n_long);

#endif
