/* Writes the report of a switch on real ports: a line per second while it runs, and at the end
 * tables of ports, classes and frames. */

#include <stdio.h>

#include "base/json.h"
#include "lab/losses.h"
#include "output/form-table.h"
#include "output/text-width.h"
#include "output/value.h"
#include "run/signals.h"
#include "switch/running.h"

/* The table of ports. */

struct port_row {
    const char *to, *device;
    uint64_t is_up, received, received_bytes, sent, sent_bytes, frames, dropped, missed;
};

static const struct column port_columns[] = {
    { "to", COLUMN_TEXT, .offset = offsetof(struct port_row, to), .head = "port to" },
    { "device", COLUMN_TEXT, .offset = offsetof(struct port_row, device), .head = "device" },
    { "up", COLUMN_YES, .offset = offsetof(struct port_row, is_up), .head = "up" },
    { "n_received", COLUMN_COUNT, .offset = offsetof(struct port_row, received),
      .head = "received" },
    { "received_bytes", COLUMN_BYTES, .offset = offsetof(struct port_row, received_bytes),
      .head = "bytes" },
    { "n_sent", COLUMN_COUNT, .offset = offsetof(struct port_row, sent), .head = "sent" },
    { "sent_bytes", COLUMN_BYTES, .offset = offsetof(struct port_row, sent_bytes),
      .head = "bytes" },
    { "n_frames_sent", COLUMN_COUNT, .offset = offsetof(struct port_row, frames),
      .head = "control frames sent" },
    { "n_dropped", COLUMN_COUNT, .offset = offsetof(struct port_row, dropped), .head = "dropped" },
    { "n_dropped_device", COLUMN_COUNT, .offset = offsetof(struct port_row, missed),
      .head = "dropped by its device" },
    { 0 },
};

static struct port_row
port_row(const struct switch_running *r, uint32_t number)
{
    uint32_t port = r->topo->nodes[r->node].first_port + number;
    struct sim_port_result result = sim_port_result(dp_node_sim(r->dp), port);
    struct dp_crossed c = dp_node_crossed(r->dp, number);
    const struct switch_port *p = &r->ports[number];

    return (struct port_row){ .to = p->peer,
                              .device = p->is_down ? NULL : p->device,
                              .is_up = r->io.is_up(r->io.arg, number),
                              .received = c.in.n_frames,
                              .received_bytes = c.in.frame_bytes,
                              .sent = c.out.n_frames,
                              .sent_bytes = c.out.frame_bytes,
                              .frames = result.n_frames_sent,
                              .dropped = sim_n_gone(&result),
                              .missed = c.n_missed };
}

static struct form_table
port_table(const struct switch_running *r, struct port_row rows[SWITCH_MAX_PORTS])
{
    for (uint32_t i = 0; i < r->n_ports; i++) {
        rows[i] = port_row(r, i);
    }
    return (struct form_table){ NULL, port_columns, rows, r->n_ports, sizeof *rows };
}

/* The table of classes: those whose queues at a port were ever used or blocked. */

/* Stands for an unknown time. Times are doubles, because they may be too long for whole
 * picoseconds. */
#define UNKNOWN_PS (-1.0)

struct class_row {
    const char *to;
    uint64_t cls, peak_input_bytes, peak_output_bytes;
    struct signal_counts counts;
    double paused_ps;
};

#define CLASS(MEMBER)   .offset = offsetof(struct class_row, MEMBER)
#define CLASS_COUNT(ID) .offset = offsetof(struct class_row, counts.n) + (ID) * sizeof(uint64_t)

static const struct column class_columns[] = {
    { "to", COLUMN_TEXT, CLASS(to), .head = "port to", .is_name = true },
    { "class", COLUMN_COUNT, CLASS(cls), .head = "class", .is_name = true },
    { "peak_input_queue_bytes", COLUMN_BYTES, CLASS(peak_input_bytes), .head = "peak input queue" },
    { "peak_output_queue_bytes", COLUMN_BYTES, CLASS(peak_output_bytes),
      .head = "peak output queue" },
    { "n_pfc_pauses", COLUMN_COUNT, CLASS_COUNT(SIGNAL_PFC_PAUSES), .head = "PFC pauses" },
    { "n_fafc_pauses", COLUMN_COUNT, CLASS_COUNT(SIGNAL_FAFC_PAUSES), .head = "FAFC pauses" },
    { "paused_ps", COLUMN_REAL_TIME, CLASS(paused_ps), .head = "time paused" },
    { "n_link_start_waits", COLUMN_COUNT, CLASS_COUNT(SIGNAL_LINK_WAITS),
      .head = "link start waits" },
    { 0 },
};

/* The signals of a gate, including waits at the start of links: real cables may be unplugged even
 * if no link of the scenario fails. */
static struct signal_counts
counts_of(const struct model *p, const struct sim_gate_state *g)
{
    struct signal_counts s = signals_of_gate(p, g);

    s.n[SIGNAL_LINK_WAITS] = links_can_wait(p) ? g->n_link_start_waits : COLUMN_NO_COUNT;
    return s;
}

static double
paused_ps(const struct model *model, const struct sim_gate_state *g)
{
    return peers_can_pause(model) && g->paused_ps != WEIR_NEVER ? (double)g->paused_ps : UNKNOWN_PS;
}

static struct form_table
class_table(const struct switch_running *r, struct class_row *rows)
{
    const struct sim *sim = dp_node_sim(r->dp);
    const struct model *model = sim_model(sim);
    size_t n = 0;

    for (uint32_t i = 0; i < r->n_ports; i++) {
        uint32_t port = r->topo->nodes[r->node].first_port + i;
        for (uint8_t cls = 0; cls < model->n_classes; cls++) {
            struct sim_gate_state g = sim_gate_state(sim, port, cls, dp_node_now(r->dp));
            uint64_t input = sim_queue_peak_bytes(sim, port, cls);
            uint64_t output = sim_output_peak_bytes(sim, port, cls);
            if (input || output || g.n_pfc_pauses || g.n_fafc_pauses || g.n_link_start_waits) {
                rows[n++] = (struct class_row){ .to = r->ports[i].peer,
                                                .cls = cls,
                                                .peak_input_bytes = input,
                                                .peak_output_bytes = output,
                                                .counts = counts_of(model, &g),
                                                .paused_ps = paused_ps(model, &g) };
            }
        }
    }
    return (struct form_table){ NULL, class_columns, rows, n, sizeof *rows };
}

/* The table of frames by kind, and of frames that were not forwarded. */

struct count_row {
    const char *what;
    uint64_t n;
};

static const struct column count_columns[] = {
    { "what", COLUMN_TEXT, .offset = offsetof(struct count_row, what), .head = "frames" },
    { "n", COLUMN_COUNT, .offset = offsetof(struct count_row, n), .head = "number" },
    { 0 },
};

enum { MAX_COUNTS = DP_N_WHATS + 6 };

static void
add_count(struct count_row *rows, size_t *n, const char *what, uint64_t count)
{
    if (count) {
        rows[(*n)++] = (struct count_row){ what, count };
    }
}

static struct form_table
count_table(const struct switch_running *r, struct count_row rows[MAX_COUNTS])
{
    struct dp_counts c = dp_node_counts(r->dp);
    size_t n = 0;

    for (size_t i = 0; i < DP_N_WHATS; i++) {
        add_count(rows, &n, dp_whats[i].words, c.n_whats[i]);
    }
    add_count(rows, &n, "flooded, as the port of their receiver is unknown", c.n_flooded);
    add_count(rows, &n, "without a path to their receiver", c.n_without_way);
    add_count(rows, &n, "without memory", c.n_without_memory);
    add_count(rows, &n, "dropped on arrival, as the switch held its maximum",
              lab_unheld_at(dp_node_sim(r->dp), r->node));
    add_count(rows, &n, "not taken in time by the device of a port", c.n_refused);
    add_count(rows, &n, "dropped by the device of a port on arrival", c.n_missed);
    return (struct form_table){ NULL, count_columns, rows, n, sizeof *rows };
}

/* The report at the end. */

enum { N_TABLES = 3 };

struct tables {
    struct port_row ports[SWITCH_MAX_PORTS];
    struct class_row classes[SWITCH_MAX_PORTS * WEIR_MAX_CLASSES];
    struct count_row counts[MAX_COUNTS];
    struct form_table all[N_TABLES];
};

static void
fill_tables(struct tables *t, const struct switch_running *r)
{
    t->all[0] = port_table(r, t->ports);
    t->all[1] = class_table(r, t->classes);
    t->all[2] = count_table(r, t->counts);
}

void
switch_write_text(FILE *out, const struct switch_running *r)
{
    struct switch_lateness late = switch_lateness_of(r);
    struct tables t;

    fill_tables(&t, r);
    fprintf(out, "%s ran for %.1f s\n", r->topo->nodes[r->node].name, (double)r->now_ns / 1e9);
    for (size_t i = 0; i < N_TABLES; i++) {
        if (t.all[i].n_rows) {
            fputc('\n', out);
            form_table_show(out, &t.all[i], FORM_TEXT);
        }
    }
    fputc('\n', out);
    if (dp_node_counts(r->dp).n_whats[DP_TOO_LONG]) {
        text_print(out, 0,
                   "bytes received are a minimum: a device may deliver only a part of a frame that "
                   "is too long");
    }
    switch_lateness_write_text(out, &late);
    if (r->captured) {
        fprintf(out, "%s has %llu frames; %llu were left out\n", r->captured->path,
                (unsigned long long)r->captured->n_written,
                (unsigned long long)r->captured->n_left_out);
    }
    if (r->violation) {
        fprintf(out, "VIOLATION      %s\n", r->violation);
    }
}

static void
write_capture(struct json *j, const struct switch_captured *c)
{
    json_open(j, "capture", '{');
    json_text(j, "file", c->path);
    json_number(j, "written", c->n_written);
    json_number(j, "left_out", c->n_left_out);
    json_close(j, '}');
}

void
switch_write_json(FILE *out, const struct switch_running *r)
{
    static const char *const keys[N_TABLES] = { "ports", "classes", "frames" };
    struct switch_lateness late = switch_lateness_of(r);
    struct json j = { .out = out, .lines = 2 };
    struct tables t;

    fill_tables(&t, r);
    json_open(&j, NULL, '{');
    json_text(&j, "node", r->topo->nodes[r->node].name);
    json_fixed(&j, "time_s", (double)r->now_ns / 1e9, 6);
    json_text(&j, "violation", r->violation);
    switch_lateness_write_json(&j, &late);
    for (size_t i = 0; i < N_TABLES; i++) {
        form_table_json(&j, keys[i], &t.all[i]);
    }
    if (r->captured) {
        write_capture(&j, r->captured);
    }
    json_close(&j, '}');
}

/* Lines while the switch runs. */

void
switch_write_links(FILE *out, struct switch_running *r)
{
    for (uint32_t i = 0; i < r->n_ports; i++) {
        bool is_up = dp_node_is_up(r->dp, i);
        if (is_up != r->ports[i].is_shown_up) {
            r->ports[i].is_shown_up = is_up;
            fprintf(out, "%.2fs: the port to %s is %s\n", (double)r->now_ns / 1e9, r->ports[i].peer,
                    is_up ? "up" : "down");
        }
    }
}

enum { LINES_PER_HEAD = 20 };

static struct switch_standing
standing_of(const struct switch_running *r)
{
    const struct sim *sim = dp_node_sim(r->dp);
    struct switch_standing s = { 0 };

    for (uint32_t i = 0; i < r->n_ports; i++) {
        uint32_t port = r->topo->nodes[r->node].first_port + i;
        struct sim_port_result result = sim_port_result(sim, port);
        struct dp_crossed c = dp_node_crossed(r->dp, i);
        s.n_received += c.in.n_frames;
        s.received_bytes += c.in.frame_bytes;
        s.n_sent += c.out.n_frames;
        s.sent_bytes += c.out.frame_bytes;
        s.n_controls += result.n_frames_sent;
        s.n_dropped += sim_n_gone(&result) + c.n_missed;
        for (uint8_t cls = 0; cls < sim_model(sim)->n_classes; cls++) {
            s.held_bytes += sim_queue_bytes(sim, port, cls);
        }
    }
    return s;
}

void
switch_write_second(FILE *out, struct switch_ticker *k, const struct switch_running *r)
{
    struct switch_standing now = standing_of(r);
    double seconds = (double)(r->now_ns - k->last_ns) / 1e9;
    struct weir_text held = { 0 };

    if (k->n_lines++ % LINES_PER_HEAD == 0) {
        fprintf(out, "%7s %11s %9s %10s %9s %9s %10s %8s\n", "time", "received/s", "Mb/s", "sent/s",
                "Mb/s", "held", "control/s", "dropped");
    }
    weir_text_add(&held, "%b", now.held_bytes);
    fprintf(out, "%5.0f s %11.0f %9.1f %10.0f %9.1f %9s %10.0f %8llu\n", (double)r->now_ns / 1e9,
            (double)(now.n_received - k->last.n_received) / seconds,
            (double)(now.received_bytes - k->last.received_bytes) * 8e-6 / seconds,
            (double)(now.n_sent - k->last.n_sent) / seconds,
            (double)(now.sent_bytes - k->last.sent_bytes) * 8e-6 / seconds, held.s,
            (double)(now.n_controls - k->last.n_controls) / seconds,
            (unsigned long long)now.n_dropped);
    fflush(out);
    k->last_ns = r->now_ns;
    k->last = now;
}
