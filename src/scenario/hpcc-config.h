/* A config of HPCC's simulator while it is read, and the scenario made from it, over which the
 * user's scenario is merged.
 *
 *     hpcc-config.c    the file, and the loop over all knobs
 *     hpcc-take.c      knobs that are more than one value under one key
 *     hpcc-network.c   the network, which buffers, thresholds and windows depend on
 *     hpcc-knobs.c     the table */

#ifndef SCN_HPCC_CONFIG_H
#define SCN_HPCC_CONFIG_H

#include "scenario/hpcc-knobs.h"
#include "scenario/import.h"

/* The switch ports of one rate. */
struct scn_hpcc_rate {
    uint64_t rate_bps, headroom_bytes; /* The headroom is that of the longest link. */
    bool has_several;                  /* There are shorter links, which need less headroom. */
};

struct scn_hpcc_link {
    uint32_t node[2];
    uint64_t rate_bps, delay_ns;
};

struct scn_hpcc_net {
    uint32_t n_nodes;
    bool *is_switch;     /* [node]. */
    uint64_t *own_bytes; /* [node]: the sum of reserve and headroom of all its ports. */
    struct scn_hpcc_link *links;
    size_t n_links, max_links;
    struct scn_hpcc_rate *rates; /* In order of rate, the slowest first. */
    size_t n_rates, max_rates;
    uint64_t nic_bps; /* The rate of the first host. */
};

struct scn_config {
    struct resolver *r;
    const struct scn_source *source;
    const struct scn_node *at;              /* The word that names the file. */
    const struct scn_node *scenario, *sets; /* The user's scenario and settings; 'sets' may be
                                             * null. */
    struct scn_node *knobs;                 /* A map {KNOB: [words]} of the known knobs. */
    struct scn_node *tree;                  /* The tree of the scenario made from the config. */
    const struct scn_cc_mode *mode;
    struct scn_hpcc_net net;
};

/* hpcc-config.c.  If the topology names a config, merges 'scenario' over the config's scenario.
 * Takes ownership of 'scenario'.  Returns null with an error on failure. */
struct scn_node *scn_lay_over_config(struct resolver *, struct scn_node *scenario,
                                     const struct scn_node *sets);

/* The first function returns the i-th word of a knob, or its default. The second returns the first
 * word as a number. */
const struct scn_node *scn_config_word(const struct scn_config *, const char *knob, size_t i);
uint64_t scn_config_number(const struct scn_config *, const char *knob);

/* Whether the user sets a key, such as "flows.hpcc", or a parent of it. */
bool scn_config_is_said(const struct scn_config *, const char *key);

/* Adds words to the result, and creates missing maps.  In a key '*' stands for the transport. */
void scn_config_put(struct scn_config *, const char *key, const struct scn_node *at,
                    const char *word);
void scn_config_put_number(struct scn_config *, const char *key, const struct scn_node *at,
                           uint64_t number, const char *unit);
struct scn_node *scn_config_list(struct scn_config *, const char *key, const struct scn_node *at);

/* The value in Weir's syntax, which the caller frees. */
char *scn_config_text(const struct scn_knob *, const struct scn_node *word);

/* hpcc-network.c: reads the rates and links of a topology file, which need not be valid.  Returns
 * false with an error on failure. */
bool scn_hpcc_measure(struct resolver *, const struct scn_source *, struct scn_hpcc_net *);
void scn_hpcc_net_free(struct scn_hpcc_net *);

/* The longest base round-trip time between two hosts, by the simulator's formula: twice the delays,
 * and the transmission times of one packet without headers. */
uint64_t scn_hpcc_longest_rtt_ns(const struct scn_hpcc_net *, uint64_t payload_bytes);

enum { SCN_HPCC_RESERVE_BYTES = 4096 }; /* The reserve of each class of each port. */

/* The functions that take special knobs, in hpcc-take.c. */
typedef bool scn_take(struct scn_config *, const struct scn_knob *, const struct scn_node *value,
                      enum scn_knob_use *);

scn_take scn_take_mode, scn_take_marks, scn_take_thresholds, scn_take_probability;
scn_take scn_take_payload, scn_take_acks, scn_take_topology, scn_take_flows;
scn_take scn_take_least, scn_take_hyper, scn_take_window, scn_take_variable_window, scn_take_rtt;
scn_take scn_take_buffer, scn_take_link_down;

#endif
