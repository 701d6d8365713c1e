/* Records notes of events, with their times.
 *
 * A thread writes down the events of its own nodes as they happen.  On request, the notes of all
 * threads and of other ranks are sorted.  The order depends on neither threads nor ranks: by time,
 * then by port.  Notes of one port at one time keep the order in which they were written. */

#include "base/array.h"
#include "sim/observers.h"
#include "sim/view.h"
#include "sim/watch.h"
#include "sim/wires.h"

const struct sim_note_about sim_note_kinds[SIM_N_NOTES] = {
    [SIM_NOTE_PAUSE] = { "pause",
                         "The peer paused this class at the port, by PFC, by FAFC or by both.",
                         "end of the pause, in ps" },
    [SIM_NOTE_RESUME] = { "resume", "The pause was ended by a resume, or ran out.", NULL },
    [SIM_NOTE_RATE] = { "rate", "The peer set the rate at which the port sends this class.",
                        "bits per second; NULL: no limit" },
    [SIM_NOTE_DROP] = { "drop",
                        "A packet that came in by the port was dropped: on arrival, or later "
                        "because no route led on.",
                        "bytes of the packet" },
    [SIM_NOTE_OVERFLOW] = { "overflow",
                            "A packet was dropped at the end of a pipeline: the queue that it was "
                            "to leave the port by had no room.",
                            "bytes of the packet" },
    [SIM_NOTE_EXPIRE] = { "expire",
                          "A packet was dropped on arrival: it had crossed too many switches.",
                          "bytes of the packet" },
    [SIM_NOTE_LOSS] = { "loss",
                        "A packet, or a control frame if no flow is named, was lost on the link.",
                        "bytes of the packet or frame" },
    [SIM_NOTE_AGAIN] = { "again", "The flow goes back and retransmits packets.",
                         "number of the first one" },
    [SIM_NOTE_LINK_DOWN] = { "link-down", "The link went down; at time 0: it is never used.", "0" },
    [SIM_NOTE_LINK_UP] = { "link-up", "The link came up again.", "1" },
    [SIM_NOTE_LINK_RATE] = { "link-rate", "The port sends at another rate from now on.",
                             "bits per second" },
    [SIM_NOTE_LINK_WAIT] = { "link-wait",
                             "The link came up, and the port waits for the first message of its "
                             "peer about this class.",
                             "end of the wait without a message, in ps" },
    [SIM_NOTE_LINK_GO] = { "link-go", "The wait at the start of the link ended.", NULL },
    [SIM_NOTE_STORM] = { "storm",
                         "The watchdog of the port found a pause storm and acts on this class from "
                         "now on.",
                         "bytes that wait in the queue" },
    [SIM_NOTE_RESTORED] = { "restored", "The watchdog of the port no longer acts on this class.",
                            "packets dropped so far" },
    [SIM_NOTE_DISCARD] = { "discard",
                           "The watchdog dropped a packet that was to leave by the port.",
                           "bytes of the packet" },
    [SIM_NOTE_FLUSH] = { "flush",
                         "A packet that was to leave by the port was dropped, as its link is down.",
                         "bytes of the packet" },
    [SIM_NOTE_STALL] = { "stall", "The host stopped draining this class.",
                         "bytes that the host holds" },
    [SIM_NOTE_DRAIN] = { "drain", "The host drains this class again.",
                         "bytes that the host holds" },
    [SIM_NOTE_MESSAGE] = { "message",
                           "A message to the sender of the flow was sent because of the queue of "
                           "the port.",
                           NULL },
    [SIM_NOTE_HEARD] = { "heard", "A message about the flow arrived, and takes effect.", NULL },
    [SIM_NOTE_BLAME] = { "blame",
                         "Packets that came in by the port, sent in this class, wait mostly for "
                         "one "
                         "output of the node; only with `record.why`.  `text`: their class there, "
                         "if it changed.",
                         "the id of that output's port" },
};

void
sim_note(struct sim_thread *t, const struct sim_node *n, const struct sim_note *note)
{
    if (!(t->sim->config.notes >> note->kind & 1)) {
        return;
    }
    struct sim_note *to = &ARRAY_PUSH(t->notes, t->n_notes, t->max_notes);
    *to = *note;
    to->flow = note->flow < t->sim->model.n_flows ? note->flow : SIM_NO_FLOW; /* A foreign packet
                                                                               * has no flow. */
    to->port = t->sim->model.topo->nodes[n->id].first_port + note->port;
}

void
sim_note_slot(struct sim_thread *t, const struct sim_node *n, uint32_t slot,
              enum sim_note_kind kind, uint64_t value, weir_ps now)
{
    sim_note(t, n,
             &(struct sim_note){ .at_ps = now,
                                 .port = slot / n->n_classes,
                                 .flow = SIM_NO_FLOW,
                                 .value = value,
                                 .kind = (uint8_t)kind,
                                 .cls = (uint8_t)(slot % n->n_classes) });
}

/* Records that one limit shuts the gate from now until a given time.  After a link has come up, its
 * wait lasts until the limit changes. */
static void
set_shut(struct sim_node *n, struct sim_hold *h, enum sim_shut_by by, weir_ps until_ps, weir_ps now)
{
    struct sim_shut *s = &h->by[by];
    bool was_shut = s->until_ps >= now && !s->is_start;

    if (s->until_ps == until_ps) {
        return;
    }
    s->until_ps = until_ps;
    s->is_start = n->starts_link;
    if (until_ps > now) {
        h->n_starts += s->is_start;
        s->n += !s->is_start && !was_shut;
    }
}

/* The time until which the gate is shut: for the start of a link, or for other reasons. If two
 * limits shut it, the later time counts. */
static weir_ps
shut_until_ps(const struct sim_hold *h, bool is_start)
{
    weir_ps until_ps = 0;

    for (size_t i = 0; i < SIM_N_SHUT_BY; i++) {
        const struct sim_shut *s = &h->by[i];
        until_ps = s->is_start == is_start && s->until_ps > until_ps ? s->until_ps : until_ps;
    }
    return until_ps;
}

/* Ends a span of shut time. A span that ran out ended at that time, not when the next message
 * arrived. */
static void
end_span(struct sim_thread *t, struct sim_node *n, uint32_t slot, struct sim_shut_span *span,
         enum sim_note_kind ends, weir_ps now)
{
    weir_ps end = span->until_ps < now ? span->until_ps : now;

    span->total_ps = weir_after(span->total_ps, end - span->since_ps);
    span->until_ps = 0;
    sim_note_slot(t, n, slot, ends, 0, end);
}

static void
change_span(struct sim_thread *t, struct sim_node *n, uint32_t slot, struct sim_shut_span *span,
            weir_ps until_ps, enum sim_note_kind begins, enum sim_note_kind ends, weir_ps now)
{
    if (span->until_ps && (span->until_ps < now || until_ps <= now)) {
        end_span(t, n, slot, span, ends, now);
    }
    if (until_ps > now) {
        if (!span->until_ps) {
            span->since_ps = now;
            sim_note_slot(t, n, slot, begins, (uint64_t)until_ps, now);
        }
        span->until_ps = until_ps;
    }
}

/* Called when an engine has set the limits of a gate. */
void
sim_note_gate_change(struct sim_thread *t, struct sim_node *n, uint32_t slot, weir_ps now)
{
    const struct weir_gate *g = &n->weir.ctx.gates[slot];
    struct sim_hold *h = &n->holds[slot];

    set_shut(n, h, SIM_SHUT_BY_PAUSE, g->open_ps, now);
    set_shut(n, h, SIM_SHUT_BY_HOLD, weir_gate_is_held(g, now) ? g->next_ps : 0, now);
    if (n->starts_link || h->starting.until_ps) {
        change_span(t, n, slot, &h->starting, shut_until_ps(h, true), SIM_NOTE_LINK_WAIT,
                    SIM_NOTE_LINK_GO, now);
    }
    change_span(t, n, slot, &h->paused, shut_until_ps(h, false), SIM_NOTE_PAUSE, SIM_NOTE_RESUME,
                now);
    if (g->rate_bps != h->rate_bps) {
        h->rate_bps = g->rate_bps;
        h->n_rate_changes++;
        h->least_bps = g->rate_bps < h->least_bps ? g->rate_bps : h->least_bps;
        sim_note_slot(t, n, slot, SIM_NOTE_RATE, g->rate_bps, now);
    }
}

static void
end_spans_of(struct sim_thread *t, struct sim_node *n, weir_ps now)
{
    for (uint32_t slot = 0; slot < n->n_ports * n->n_classes; slot++) {
        struct sim_hold *h = &n->holds[slot];
        if (h->starting.until_ps && h->starting.until_ps <= now) {
            end_span(t, n, slot, &h->starting, SIM_NOTE_LINK_GO, now);
        }
        if (h->paused.until_ps && h->paused.until_ps <= now) {
            end_span(t, n, slot, &h->paused, SIM_NOTE_RESUME, now);
        }
    }
}

void
sim_end_spans(struct sim *sim)
{
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        struct sim_thread *t = &sim->threads[i];
        for (uint32_t k = 0; k < t->n_nodes; k++) {
            end_spans_of(t, &t->own[k], sim->now_ps);
        }
    }
}

static int
by_time(const void *a, const void *b)
{
    const struct sim_note *x = a, *y = b;
    if (x->at_ps != y->at_ps) {
        return x->at_ps < y->at_ps ? -1 : 1;
    }
    return x->port != y->port ? (x->port < y->port ? -1 : 1) : 0;
}

/* Appends notes to the notes of other threads and ranks. */
static void
append_notes(struct sim *sim, const struct sim_note *notes, size_t *n)
{
    for (size_t i = 0; i < *n; i++) {
        ARRAY_PUSH(sim->watch->notes, sim->watch->n_notes, sim->watch->max_notes) = notes[i];
    }
    *n = 0;
}

const struct sim_note *
sim_take_notes(struct sim *sim, size_t *n)
{
    sim->watch->n_notes = 0;
    for (uint32_t i = 0; i < sim->n_threads; i++) {
        append_notes(sim, sim->threads[i].notes, &sim->threads[i].n_notes);
    }
    if (sim->ranks.view) {
        append_notes(sim, sim->ranks.view->notes, &sim->ranks.view->n_notes);
    }
    array_sort(sim->watch->notes, sim->watch->n_notes, sizeof *sim->watch->notes, by_time);
    *n = sim->watch->n_notes;
    return sim->watch->notes;
}
