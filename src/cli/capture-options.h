/* Options of commands that can capture the packets on the links of a run to a file (run/capture.h).
 *
 *     struct options { ...; struct capture capture; };
 *     static const struct verb_option options[] = { ..., CAPTURE_OPTIONS(struct options), { 0 }
 * }; */

#ifndef CLI_CAPTURE_OPTIONS_H
#define CLI_CAPTURE_OPTIONS_H

#include "cli/options.h"
#include "run/capture.h"

#define CAPTURE_AT(OPTIONS, MEMBER) .offset = offsetof(OPTIONS, capture.MEMBER)

/* clang-format off */
#define CAPTURE_OPTIONS(OPTIONS)                                                                   \
    { "--pcap", "OUT",                                                                             \
      "Writes the packets and frames that cross the links to OUT, for Wireshark. Each packet is "  \
      "written at every port that it passes, so choose a few ports or a short run. "               \
      "doc/captures.md says more.",                                                                \
      VERB_FILE, CAPTURE_AT(OPTIONS, path), .group = "Options for captures (with --pcap)" },       \
    { "--ports", "PORTS",                                                                          \
      "Captures at these ports only: S1:H1,S2:* is the port of S1 towards H1, and all ports of "   \
      "S2. Default: all ports.",                                                                   \
      VERB_WORD, CAPTURE_AT(OPTIONS, ports) },                                                     \
    { "--packets", "N", "Captures only the first N packets and frames. Default: all.",  \
      VERB_NUMBER, CAPTURE_AT(OPTIONS, max_packets), .min = 1, .max = UINT64_MAX },                \
    { "--snap", "BYTES",                                                                           \
      "Number of bytes to keep of each packet; 96 hold all headers. Default: all.", VERB_NUMBER,   \
      CAPTURE_AT(OPTIONS, snap_bytes), .min = CAPTURE_LEAST_SNAP, .max = UINT64_MAX },             \
    { "--force", NULL, "Replaces OUT if it exists.", VERB_FLAG, CAPTURE_AT(OPTIONS, force) }
/* clang-format on */

#endif
