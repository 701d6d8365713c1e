/* The knobs of HPCC's simulator, which its config.txt may set, and the keys of Weir to which they
 * map.
 *
 *     RATE_AI 50Mb/s          hpcc.ai: 50Mbps, if CC_MODE is 3
 *     ENABLE_TRACE 1          ignored
 *
 * One table serves the reader (hpcc-config.c), its errors, `weir explain` and the documentation.
 * Names and defaults are those of scratch/third.cc in
 * alibaba-edu/High-Precision-Congestion-Control, commit 9f4be2a. */

#ifndef SCN_HPCC_KNOBS_H
#define SCN_HPCC_KNOBS_H

#include <stdio.h>

#include "base/json.h"
#include "scenario/tree.h"

/* Values of CC_MODE as bits, so that a knob can say which of them use it. */
enum scn_cc {
    SCN_CC_NONE = 1,
    SCN_CC_DCQCN = 2,
    SCN_CC_HPCC = 4,
    SCN_CC_TIMELY = 8,
    SCN_CC_DCTCP = 16,
    SCN_CC_PINT = 32,
};

struct scn_cc_mode {
    unsigned number; /* The value of CC_MODE in the config. */
    enum scn_cc bit;
    const char *transport;
    unsigned header_bytes; /* The header bytes of a data packet, including Ethernet's. */
    const char *name;
};

extern const struct scn_cc_mode scn_cc_modes[]; /* The last entry has no name. */

/* The syntax of a value in the config. */
enum scn_knob_kind {
    SCN_KNOB_FLAG,    /* 0 or 1. */
    SCN_KNOB_COUNT,   /* 4000 */
    SCN_KNOB_RATIO,   /* 0.95 */
    SCN_KNOB_US,      /* 55, in microseconds. */
    SCN_KNOB_SECONDS, /* 3.01 */
    SCN_KNOB_MIB,     /* 32 */
    SCN_KNOB_RATE,    /* 50Mb/s */
    SCN_KNOB_WORD,    /* mix/flow.txt */
    SCN_KNOB_LINK,    /* Three numbers, such as 0 0 0: microseconds after 2 s, and two nodes. */
    SCN_KNOB_MAP, /* A map, such as 1 100000000000 400: the number of pairs, then pairs of rate and
                   * value.
                   */
};

/* The use of a knob in a run. */
enum scn_knob_use {
    SCN_KNOB_EXACT,
    SCN_KNOB_NEAR,    /* Weir approximates the value. */
    SCN_KNOB_IGNORED, /* Weir has no use for it. */
    SCN_KNOB_UNUSED,  /* The simulator itself does not use it in this CC_MODE. */
};

struct scn_config;

struct scn_knob {
    const char *name;
    enum scn_knob_kind kind;
    const char *fallback; /* Null: the simulator has no default that works. */
    unsigned modes; /* The values of CC_MODE that use the knob, as bits of enum scn_cc; 0: all. */
    /* The key, such as "hpcc.eta"; in "*.ai" the * stands for the transport; or null. */
    const char *key;
    /* The only value that Weir implements; other values are approximated by it. */
    const char *only;
    const char *remark; /* A sentence about the mapping; null: the value is taken over unchanged. */

    /* Maps the value, if copying it to the key is not enough; else null.  Returns false with an
     * error on failure. */
    bool (*take)(struct scn_config *, const struct scn_knob *, const struct scn_node *value,
                 enum scn_knob_use *use);
};

extern const struct scn_knob scn_knobs[]; /* The last entry has no name. */

/* Settings of the simulator that no knob changes. */
struct scn_knobless {
    const char *key, *value;
    unsigned modes;
    const char *remark;
};

extern const struct scn_knobless scn_knobless[]; /* The last entry has no key. */

/* The names of uses: "taken over", "approximated", "ignored", "unused". */
extern const char *const scn_knob_uses[];

/* hpcc-tables.c: the tables for `weir topologies hpcc`. */
void scn_write_knobs_text(FILE *);
void scn_write_knobs_markdown(FILE *);
void scn_json_knobs(struct json *);

#endif
