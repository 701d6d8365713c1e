/* Reading figures.yaml: declarations that its parts share.
 *
 * A value of most keys may be one word, a list of words, or a map from names to words.  All three
 * are read as items: each item has a name in the figure, by default the word itself.
 *
 *     struct figure_items items;
 *     if (!figure_items_read(scn_child(n, "workload"), &items, err)) ...
 *     for (size_t i = 0; i < items.n; i++) ... items.all[i].word, items.all[i].label
 *
 * A column of struct rec_figure that is a list has a line for each item, with tabs between its
 * parts. */

#ifndef RUN_FIGURE_READING_H
#define RUN_FIGURE_READING_H

#include <stdio.h>

#include "answer/figure-name.h"
#include "run/reproduction.h"

enum { FIGURE_MAX_ITEMS = 64, FIGURE_MAX_PATH = 4096, FIGURE_METRIC_BYTES = 80 };

struct figure_item {
    const char *label, *word; /* Null: the key is missing. */
    const struct scn_node *node;
};

struct figure_items {
    struct figure_item all[FIGURE_MAX_ITEMS];
    size_t n; /* The number of items, at least 1. */
};

bool figure_items_read(const struct scn_node *, struct figure_items *, struct err *);

/* A column of lines, while it is written. */
struct figure_text {
    FILE *out;
    char *text;
    size_t len;
};

/* A figure while it is read. */
struct figure_reading {
    struct reproduction *r;
    const struct scn_node *node;
    const char *file; /* The file figures.yaml. */
    struct rec_figure row;
    char name[FIGURE_NAME_BYTES], scenario[64], quantity[FIGURE_METRIC_BYTES];
    struct figure_text drawn, subjects, filters, published;
    struct figure_items in;
    const char *unit; /* The unit of published values. */
    bool has_base;    /* The line named by `relative` exists. */
};

/* Kinds of figures.  Each is a bit, since a figure of runs may show runs of scenarios and of
 * studies. */
enum {
    FIGURE_OF_SCENARIO = 1, /* Single runs of one scenario. */
    FIGURE_OF_STUDY_RUNS = 2,
    FIGURE_OF_STUDIES = 4,
    FIGURE_OF_STATEMENTS = 8
};

/* Whether a figure of this kind has all its keys. */
bool figure_check_keys(const struct scn_node *, unsigned kind, struct err *);

/* Writes a line from its parts, the last of which is followed by null. Tabs and newlines within
 * parts become blanks. */
void figure_line(struct figure_text *, const char *part, ...);

/* Reads the word of a key, "" if the key is missing.  Returns false if the value is not a word. */
bool figure_word(const struct scn_node *n, const char *key, const char **word, struct err *err);

/* The file of an item of `in`: its path, and the study; for a scenario the study is empty. */
struct figure_file {
    char path[FIGURE_MAX_PATH];
    struct scn_study study; /* Freed by the caller if 'is_study'. */
    bool is_study;
};

int figure_file_read(const struct figure_reading *, const struct figure_item *,
                     struct figure_file *, struct err *);

/* Finds the axis that a key of the figure names. If the figure lacks the key, the axis is null, and
 * there is no error. */
bool figure_axis(const struct figure_reading *, const struct scn_study *, const char *key,
                 const struct scn_study_axis **, struct err *);

/* The values of an axis that `where` selects, in the order of `where`; all values, if `where` does
 * not name the axis. */
bool figure_values(const struct figure_reading *, const struct scn_study_axis *,
                   struct figure_items *, struct err *);

/* figure-grid.c: bars, lines and tables of metrics of studies, or of statements. */
int figure_read_grid(struct figure_reading *, struct err *);

/* figure-runs.c: single runs, drawn as lines over time or as flows that have ended. */
bool figure_is_of_runs(const struct scn_node *);
int figure_read_runs(struct figure_reading *, struct err *);

#endif
