/* Shows the queues of a run, the gates that send into and out of them, and the paused times of
 * links. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run.h"
#include "output/form-table.h"

enum { MAX_SHOWN_QUEUES = 8 };

/* The sides of a switch.  An input queue is shown with the gate of the peer that fills it, an
 * output queue with the gate of its own port. */
static const struct side {
    const char *key, *peer;
    const char *heads[2]; /* heads[1] is the heading in networks with several classes. */
    size_t peak;          /* The fact whose name the column of peaks has. */
    size_t (*list)(const struct outcome *, struct run_queue **);
} sides[] = {
    { "queues",
      "from",
      { "input queue", "input queue, class" },
      FACT_peak_input_queue_bytes,
      run_list_queues },
    { "outputs",
      "to",
      { "output queue", "output queue, class" },
      FACT_peak_output_queue_bytes,
      run_list_outputs },
};

enum { N_SIDES = sizeof sides / sizeof *sides };

COLUMN_GET(run_queue, get_name, run_place_add(cell_made(cell), &r->at, sides[c->nth].peer, ", "))
COLUMN_GET(run_queue, get_node, cell_text(cell, r->at.ends.here))
COLUMN_GET(run_queue, get_peer, cell_text(cell, r->at.ends.there))

#define AT(MEMBER) .offset = offsetof(struct run_queue, MEMBER)
#define SIGNAL(ID) AT(signals.n[ID])

enum { NAME, NODE, PEER, CLASS, PEAK };

/* The columns. make_columns() names those that differ by side. In text, signals that the engines of
 * this run cannot send have no column. */
static const struct column columns[] = {
    [NAME] = { .kind = COLUMN_TEXT, .get = get_name },
    [NODE] = { "node", COLUMN_TEXT, .get = get_node },
    [PEER] = { .kind = COLUMN_TEXT, .get = get_peer },
    [CLASS] = { "class", COLUMN_COUNT, AT(at.cls) },
    [PEAK] = { .kind = COLUMN_BYTES, AT(peak_bytes), .head = "peak" },
    { "mean_bytes", COLUMN_BYTES, AT(mean_bytes) },
    { "bytes", COLUMN_BYTES, AT(bytes), .head = "at the end" },
    { "n_pfc_pauses", COLUMN_COUNT, SIGNAL(SIGNAL_PFC_PAUSES), .head = "PFC pauses",
      .is_optional = true },
    { "n_fafc_pauses", COLUMN_COUNT, SIGNAL(SIGNAL_FAFC_PAUSES), .head = "FAFC pauses",
      .is_optional = true },
    { "n_link_start_waits", COLUMN_COUNT, SIGNAL(SIGNAL_LINK_WAITS) },
    { "paused_ps", COLUMN_TIME, AT(paused_ps) },
    { NULL, COLUMN_SHARE, AT(paused_share), .head = "paused", .is_optional = true },
    { NULL, COLUMN_RATE, AT(least_bps), .head = "lowest rate", .is_optional = true,
      .unknown = "-" },
    { 0 },
};

enum { N_COLUMNS = sizeof columns / sizeof *columns };

static void
make_columns(const struct outcome *o, size_t side, struct column made[N_COLUMNS])
{
    memcpy(made, columns, sizeof columns);
    made[NAME].head = sides[side].heads[o->s.wire.classes > 1];
    made[NAME].nth = side;
    made[PEER].name = sides[side].peer;
    made[PEAK].name = run_facts[sides[side].peak].name;
}

void
run_show_queues(const struct outcome *o)
{
    for (size_t side = 0; side < N_SIDES; side++) {
        struct column made[N_COLUMNS];
        struct run_queue *queues;
        size_t n = sides[side].list(o, &queues);
        make_columns(o, side, made);
        n = n < MAX_SHOWN_QUEUES ? n : MAX_SHOWN_QUEUES;
        printf("\n");
        form_table_show(stdout, &(struct form_table){ NULL, made, queues, n, sizeof *queues },
                        FORM_TEXT);
        free(queues);
    }
}

void
run_write_queues(struct json *j, const struct outcome *o)
{
    for (size_t side = 0; side < N_SIDES; side++) {
        struct column made[N_COLUMNS];
        struct run_queue *queues;
        size_t n = sides[side].list(o, &queues);
        make_columns(o, side, made);
        form_table_json(j, sides[side].key,
                        &(struct form_table){ NULL, made, queues, n, sizeof *queues });
        free(queues);
    }
}

/* Shows pauses: "time paused 2.36 ms over all links; most: S1 to L1, 526 us, 26.3 % of the run". */
void
run_show_backpressure(const struct outcome *o, const struct run_facts *f)
{
    struct weir_text in, out;

    printf("peak queues    %s at an input, %s at an output\n",
           run_text(&in, "%b", f->peak_input_queue_bytes),
           run_text(&out, "%b", f->peak_output_queue_bytes));
    if (f->paused_ps < 0) {
        return;
    }
    printf("time paused    %s over all links", run_text(&in, "%t", (uint64_t)f->paused_ps));
    if (f->most_paused_link[0]) {
        printf("; most: %s", f->most_paused_link);
        if (o->s.wire.classes > 1) {
            printf(", class %llu", (unsigned long long)f->most_paused_class);
        }
        printf(", %s, %.1f %% of the run", run_text(&out, "%t", (uint64_t)f->most_paused_ps),
               100 * (double)f->most_paused_ps / (double)f->until_ps);
    }
    printf("\n");
}
