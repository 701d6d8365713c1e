/* Draws a network and its cycles of buffers as DOT and SVG. */

#include "check/draw.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

enum { MAX_DRAWN = 200, STEP = 90, MARGIN = 60, HALF_BOX = 20 };

static const char *const colours[] = { "#c0392b", "#2471a3", "#1e8449", "#9a7d0a" };

enum { N_COLOURS = sizeof colours / sizeof *colours };

struct picture {
    FILE *out;
    const struct topo *t;
    const struct depend_cycles *cycles;
    bool *is_drawn; /* [node]. */
    uint32_t *tier; /* [node]. */
    uint32_t top;
    double *x, *y; /* [node]. */
};

static void
mark_drawn(struct picture *p)
{
    const struct topo *t = p->t;

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        p->is_drawn[i] = t->nodes[i].kind == TOPO_SWITCH && t->n_switches <= MAX_DRAWN;
    }
    for (size_t i = 0; i < p->cycles->n; i++) {
        const struct depend_cycle *c = &p->cycles->cycles[i];
        for (uint32_t j = 0; j < c->n; j++) {
            p->is_drawn[c->edges[j].at] = true;
        }
    }
}

static void
begin(struct picture *p)
{
    p->is_drawn = array_new(p->t->n_nodes, sizeof *p->is_drawn);
    p->tier = array_new(p->t->n_nodes, sizeof *p->tier);
    p->x = array_new(p->t->n_nodes, sizeof *p->x);
    p->y = array_new(p->t->n_nodes, sizeof *p->y);
    p->top = topo_find_tiers(p->t, p->tier);
    mark_drawn(p);
}

static void
end(struct picture *p)
{
    free(p->is_drawn);
    free(p->tier);
    free(p->x);
    free(p->y);
}

static void
each_link(const struct picture *p, void (*draw)(const struct picture *, const struct topo_link *))
{
    for (size_t i = 0; i < p->t->n_links; i++) {
        const struct topo_link *l = &p->t->links[i];
        if (p->is_drawn[l->node[0]] && p->is_drawn[l->node[1]]) {
            draw(p, l);
        }
    }
}

/* Calls 'draw' for each buffer of the cycles, as an arrow along the link that fills it. */
static void
each_arrow(const struct picture *p,
           void (*draw)(const struct picture *, uint32_t from, uint32_t to, const char *colour))
{
    const struct topo *t = p->t;

    for (size_t i = 0; i < p->cycles->n; i++) {
        for (uint32_t j = 0; j < p->cycles->cycles[i].n; j++) {
            uint32_t in = p->cycles->cycles[i].edges[j].in;
            if (in != TOPO_NONE) {
                draw(p, t->ports[t->ports[in].peer].node, t->ports[in].node,
                     colours[i % N_COLOURS]);
            }
        }
    }
}

/* These functions write DOT. */

static void
dot_link(const struct picture *p, const struct topo_link *l)
{
    fprintf(p->out, "  \"%s\" -> \"%s\" [dir=none, color=\"#aaaaaa\"%s]\n",
            p->t->nodes[l->node[0]].name, p->t->nodes[l->node[1]].name,
            l->failed ? ", style=dashed" : "");
}

static void
dot_arrow(const struct picture *p, uint32_t from, uint32_t to, const char *colour)
{
    fprintf(p->out, "  \"%s\" -> \"%s\" [color=\"%s\", penwidth=2, constraint=false]\n",
            p->t->nodes[from].name, p->t->nodes[to].name, colour);
}

void
draw_dot(FILE *out, const struct topo *t, const struct depend_cycles *cycles)
{
    struct picture p = { .out = out, .t = t, .cycles = cycles };

    begin(&p);
    fprintf(out, "digraph weir {\n  rankdir=BT\n  node [shape=box]\n");
    for (uint32_t tier = 0; tier <= p.top; tier++) {
        fprintf(out, p.top ? "  {rank=same" : "  {");
        for (uint32_t i = 0; i < t->n_nodes; i++) {
            if (p.is_drawn[i] && p.tier[i] == tier) {
                fprintf(out, "; \"%s\"", t->nodes[i].name);
            }
        }
        fprintf(out, "}\n");
    }
    each_link(&p, dot_link);
    each_arrow(&p, dot_arrow);
    fprintf(out, "}\n");
    end(&p);
}

/* These functions write SVG. */

static uint32_t
count_drawn(const struct picture *p, uint32_t tier)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < p->t->n_nodes; i++) {
        n += p->is_drawn[i] && (tier == TOPO_NONE || p->tier[i] == tier);
    }
    return n;
}

/* Places switches in a row for each tier, with those that have hosts at the bottom; rows are
 * centred. */
static void
lay_in_rows(struct picture *p, double *width, double *height)
{
    uint32_t widest = 1;

    for (uint32_t tier = 0; tier <= p->top; tier++) {
        uint32_t n = count_drawn(p, tier);
        widest = n > widest ? n : widest;
    }
    *width = STEP * (double)widest;
    *height = 2 * STEP * (double)p->top;
    for (uint32_t tier = 0; tier <= p->top; tier++) {
        double step = *width / (double)(count_drawn(p, tier) + 1), x = step;
        for (uint32_t i = 0; i < p->t->n_nodes; i++) {
            if (p->is_drawn[i] && p->tier[i] == tier) {
                p->x[i] = x;
                p->y[i] = 2 * STEP * (double)(p->top - tier);
                x += step;
            }
        }
    }
}

static void
lay_in_circle(struct picture *p, double *width, double *height)
{
    const double turn = 6.283185307179586;
    uint32_t n = count_drawn(p, TOPO_NONE), at = 0;
    double radius = STEP * (double)(n < 4 ? 4 : n) / turn;

    *width = *height = 2 * radius;
    for (uint32_t i = 0; i < p->t->n_nodes; i++) {
        if (p->is_drawn[i]) {
            p->x[i] = radius + radius * sin(turn * at / n);
            p->y[i] = radius - radius * cos(turn * at / n);
            at++;
        }
    }
}

static void
svg_link(const struct picture *p, const struct topo_link *l)
{
    fprintf(p->out, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='#aaa'%s/>\n",
            p->x[l->node[0]], p->y[l->node[0]], p->x[l->node[1]], p->y[l->node[1]],
            l->failed ? " stroke-dasharray='4 4'" : "");
}

/* Draws an arrow, curved to its right, so that both directions of a link are visible, and ending
 * before the boxes. */
static void
svg_arrow(const struct picture *p, uint32_t from, uint32_t to, const char *colour)
{
    double dx = p->x[to] - p->x[from], dy = p->y[to] - p->y[from], length = hypot(dx, dy);
    double short_of = 1.4 * HALF_BOX / length, bend = 12 / length;

    fprintf(p->out,
            "<path d='M%.1f %.1f Q%.1f %.1f %.1f %.1f' fill='none' stroke='%s' stroke-width='2' "
            "marker-end='url(#head)'/>\n",
            p->x[from] + dx * short_of, p->y[from] + dy * short_of, p->x[from] + dx / 2 - dy * bend,
            p->y[from] + dy / 2 + dx * bend, p->x[to] - dx * short_of, p->y[to] - dy * short_of,
            colour);
}

static void
svg_nodes(const struct picture *p)
{
    for (uint32_t i = 0; i < p->t->n_nodes; i++) {
        if (p->is_drawn[i]) {
            fprintf(p->out,
                    "<rect x='%.1f' y='%.1f' width='%d' height='%d' rx='4' fill='#fff' "
                    "stroke='#444'/>\n<text x='%.1f' y='%.1f'>%s</text>\n",
                    p->x[i] - HALF_BOX, p->y[i] - HALF_BOX / 2, 2 * HALF_BOX, HALF_BOX, p->x[i],
                    p->y[i] + 4, p->t->nodes[i].name);
        }
    }
}

void
draw_svg(FILE *out, const struct topo *t, const struct depend_cycles *cycles)
{
    struct picture p = { .out = out, .t = t, .cycles = cycles };
    double width, height;

    begin(&p);
    if (p.top) {
        lay_in_rows(&p, &width, &height);
    } else {
        lay_in_circle(&p, &width, &height);
    }
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='%d %d %.0f %.0f' "
            "font-family='sans-serif' font-size='12' text-anchor='middle'>\n"
            "<defs><marker id='head' markerWidth='8' markerHeight='8' refX='6' refY='3' "
            "orient='auto'><path d='M0 0L6 3L0 6z'/></marker></defs>\n",
            -MARGIN, -MARGIN, width + 2 * MARGIN, height + 2 * MARGIN);
    each_link(&p, svg_link);
    each_arrow(&p, svg_arrow);
    svg_nodes(&p);
    fprintf(out, "</svg>\n");
    end(&p);
}
