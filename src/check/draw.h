/* Draws a network and its cycles of buffers as DOT for Graphviz, or as SVG.
 *
 * Large networks show only switches of cycles; hosts are never drawn. */

#ifndef CHECK_DRAW_H
#define CHECK_DRAW_H

#include <stdio.h>

#include "topo/depend.h"

void draw_dot(FILE *, const struct topo *, const struct depend_cycles *);
void draw_svg(FILE *, const struct topo *, const struct depend_cycles *);

#endif
