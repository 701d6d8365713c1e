/* How a run is cut into parts, for people and for programs. */

#ifndef CLI_SHOW_CUT_H
#define CLI_SHOW_CUT_H

#include <stdio.h>

#include "model/model.h"

/* Into so many; a table and sentences, or JSON.  Returns an exit code, and has told what is wrong.
 */
int cut_show(FILE *, const struct model *, uint32_t n_parts, bool json);

#endif
