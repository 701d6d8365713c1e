/* Draws a table as SVG: the names of lines at the left, the names of the x axis above the
 * columns. */

#include "report/plot-table.h"

#include <math.h>
#include <string.h>

#include "base/xml.h"

enum { MARGIN = 12, TITLE = 20, ROW = 24, GAP = 22 };

/* Slightly more than the width of a Helvetica character at 12 px, as in plot-svg.c. */
#define CHAR_WIDTH 6.9

/* The text of a cell; "": the line has no point there. */
static void
write_cell(const struct plot_line *l, size_t column, char out[PLOT_LABEL_BYTES])
{
    out[0] = '\0';
    for (size_t k = 0; k < l->n; k++) {
        if (l->x[k] != (double)column + 1) {
            continue;
        }
        if (l->words && l->words[k]) {
            snprintf(out, PLOT_LABEL_BYTES, "%s", l->words[k]);
        } else if (!isnan(l->y[k])) {
            snprintf(out, PLOT_LABEL_BYTES, "%.3g", l->y[k]);
        }
    }
}

static double
wider(double width, const char *text)
{
    return fmax(width, CHAR_WIDTH * (double)strlen(text));
}

static double
width_of_names(const struct plot *p)
{
    double width = 0;

    for (size_t i = 0; i < p->n_lines; i++) {
        width = wider(width, p->lines[i].label);
    }
    return width;
}

static double
width_of_column(const struct plot *p, size_t column)
{
    char cell[PLOT_LABEL_BYTES];
    double width = wider(0, p->x_names[column]);

    for (size_t i = 0; i < p->n_lines; i++) {
        write_cell(&p->lines[i], column, cell);
        width = wider(width, cell);
    }
    return width;
}

static void
write_text(FILE *out, double x, double y, const char *more, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, more);
    xml_text(out, text);
    fputs("</text>\n", out);
}

static void
write_column(const struct plot *p, size_t column, double right, FILE *out)
{
    char cell[PLOT_LABEL_BYTES];

    write_text(out, right, TITLE + ROW + 16, "class=\"head\" text-anchor=\"end\"",
               p->x_names[column]);
    for (size_t i = 0; i < p->n_lines; i++) {
        write_cell(&p->lines[i], column, cell);
        write_text(out, right, TITLE + ROW * (double)(i + 2) + 16, "text-anchor=\"end\"", cell);
    }
}

/* Writes the rows, with a rule below the head and below each row. */
static void
write_rows(const struct plot *p, double width, FILE *out)
{
    for (size_t i = 0; i <= p->n_lines; i++) {
        double bottom = TITLE + ROW * (double)(i + 2);
        fprintf(out, "<path class=\"rule\" d=\"M%d %.1fH%.1f\"/>\n", MARGIN, bottom,
                width - MARGIN);
        if (i < p->n_lines) {
            write_text(out, MARGIN, bottom + 16, "class=\"name\"", p->lines[i].label);
        }
    }
}

void
plot_write_table(const struct plot *p, FILE *out)
{
    double right = MARGIN + width_of_names(p), width = right;
    double height = TITLE + ROW * (double)(p->n_lines + 3) + MARGIN;

    for (size_t c = 0; c < p->n_x_names; c++) {
        width += GAP + width_of_column(p, c);
    }
    width = fmax(width, MARGIN + fmax(wider(0, p->title) * 1.1, wider(0, p->y_title))) + MARGIN;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" "
            "height=\"%.0f\">\n"
            "<style>text { font: 12px Helvetica, Arial, sans-serif; }\n"
            ".rule { stroke: #000; stroke-opacity: 0.25; } .head { font-weight: bold; }\n"
            "</style>\n",
            width, height, width, height);
    write_text(out, MARGIN, TITLE, "style=\"font-weight: bold\"", p->title);
    write_rows(p, width, out);
    for (size_t c = 0; c < p->n_x_names; c++) {
        right += GAP + width_of_column(p, c);
        write_column(p, c, right, out);
    }
    write_text(out, MARGIN, height - MARGIN, "class=\"note\"", p->y_title);
    fputs("</svg>\n", out);
}
