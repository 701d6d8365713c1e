/* How long a node did not poll its ports, compared with the time that thresholds were derived for.
 * Frames that come between two polls take effect at the second, and too many of them find no room.
 *
 * Nodes on a busy machine poll late, and so do nodes that a user stops: a measured tau does not
 * show that, as no node asked for a pause meanwhile. */

#ifndef LAB_LOOKS_H
#define LAB_LOOKS_H

#include "dataplane/node.h"
#include "model/model.h"
#include "run/outcome.h"

/* The delay that frames may have before they take effect; WEIR_NEVER: no engine there has
 * thresholds for it. */
weir_ps lab_looks_allowed_ps(const struct model *, uint32_t node);

/* Reports in words that a node polled more seldom than that, if it did: else false. */
bool lab_looks_are_seldom(const char *node, weir_ps most_ps, weir_ps allowed_ps,
                          struct weir_text *why);

/* The end of a link that was held up for longer than the other, [node]; SIM_NONE: neither was for
 * longer than nodes may take to respond. */
uint32_t lab_looks_held_up(const struct model *, uint32_t link, const struct dp_counts *);

/* Says in the outcome of a lab which switch was held up for longest, and which host of those that
 * were sent what they did not get: [node]. */
void lab_looks_warn(struct outcome *, const struct dp_counts *);

#endif
