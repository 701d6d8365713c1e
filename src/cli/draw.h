/* A network and the rings of buffers in it, as a picture: DOT for Graphviz, or SVG as it is.
 *
 * Of large networks only the switches of rings are drawn; hosts never are. */

#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include <stdio.h>

#include "topo/depend.h"

void draw_dot(FILE *, const struct topo *, const struct depend_cycles *);
void draw_svg(FILE *, const struct topo *, const struct depend_cycles *);

#endif
