/* The generator of collectives: counts the messages that an algorithm describes (collective.h). */

#include "graph/collective.h"

#include <assert.h>
#include <string.h>

struct stream {
    uint32_t started, ended; /* Items. */
};

struct lane { /* A channel. */
    uint32_t phase;
    struct stream streams[];
};

struct coll_state {
    uint32_t me;
    uint32_t n_left;         /* Channels that have not finished. */
    uint32_t next, past_end; /* Channels in which something may start now. */
    uint32_t n_streams;      /* Per channel. */
};

static uint32_t
phases_of(const struct coll_params *p)
{
    return p->algorithm->n_phases ? p->algorithm->n_phases(p->op) : 1;
}

static uint32_t
streams_of(const struct coll_view *view)
{
    return view->algorithm->n_receiving + view->algorithm->n_sending;
}

static uint32_t
max_streams(const struct coll_params *p)
{
    uint32_t max = 0;

    for (uint32_t i = 0; i < phases_of(p); i++) {
        const struct coll_view view = coll_view_of(p, 0, 0, i);
        max = streams_of(&view) > max ? streams_of(&view) : max;
    }
    return max;
}

static size_t
lane_bytes(uint32_t n_streams)
{
    return sizeof(struct lane) + n_streams * sizeof(struct stream);
}

static struct lane *
lane_of(struct coll_state *s, uint32_t channel)
{
    return (struct lane *)((char *)(s + 1) + channel * lane_bytes(s->n_streams));
}

size_t
coll_state_bytes(const struct coll_params *p)
{
    return sizeof(struct coll_state) + p->channels * lane_bytes(max_streams(p));
}

void
coll_start(const struct coll_params *p, struct coll_state *s, uint32_t me)
{
    assert(me < p->n);
    memset(s, 0, coll_state_bytes(p));
    s->me = me;
    s->n_left = p->channels;
    s->past_end = p->channels;
    s->n_streams = max_streams(p);
}

bool
coll_is_done(const struct coll_state *s)
{
    return !s->n_left;
}

void
coll_ended(const struct coll_params *p, struct coll_state *s, uint32_t token)
{
    uint32_t channel = token / s->n_streams;
    struct stream *stream = &lane_of(s, channel)->streams[token % s->n_streams];

    assert(channel < p->channels && stream->ended < stream->started);
    stream->ended++;
    if (s->next == s->past_end) {
        s->next = s->past_end = channel;
    }
    s->next = channel < s->next ? channel : s->next;
    s->past_end = channel >= s->past_end ? channel + 1 : s->past_end;
}

static bool
are_waits_over(const struct lane *lane, const struct coll_item *item)
{
    for (int i = 0; i < COLL_N_WAITS; i++) {
        if (lane->streams[item->waits[i].stream].ended < item->waits[i].items) {
            return false;
        }
    }
    return true;
}

static uint64_t
piece_bytes(const struct coll_view *view, struct coll_data data)
{
    uint64_t bytes = coll_data_bytes(view, data);

    if (data.pieces == 1) {
        return bytes;
    }
    return coll_part_at(bytes, data.pieces, data.piece + 1) -
           coll_part_at(bytes, data.pieces, data.piece);
}

enum progress { STEPS, WAITS, IS_OVER };

static struct coll_step
step_of(const struct coll_view *view, const struct coll_item *item, uint64_t bytes)
{
    return (struct coll_step){ .peer = view->peer + item->peer * view->stride,
                               .tag = item->tag,
                               .bytes = bytes,
                               .adds = item->adds,
                               .data = item->data };
}

/* Hot: several times per message.  Finds the next message of a stream that may start, and passes
 * over items that have no message. */
static enum progress
next_item(const struct coll_view *view, const struct coll_params *p, struct lane *lane, uint32_t i,
          struct coll_step *step)
{
    struct stream *stream = &lane->streams[i];
    bool receives = i < view->algorithm->n_receiving;
    uint32_t window = receives ? 1 : p->window;

    while (stream->started - stream->ended < window) {
        struct coll_item item = { 0 };
        if (!view->algorithm->item(view, i, stream->started, &item)) {
            return stream->started == stream->ended ? IS_OVER : WAITS;
        }
        uint64_t bytes = piece_bytes(view, item.data);
        bool is_void = !bytes && view->op != COLL_BARRIER;
        if (!is_void && !are_waits_over(lane, &item)) {
            return WAITS;
        }
        stream->started++;
        if (!is_void) {
            *step = step_of(view, &item, bytes);
            step->kind = receives ? COLL_RECV : COLL_SEND;
            step->phase = lane->phase;
            return STEPS;
        }
        stream->ended++;
    }
    return WAITS;
}

/* The next step of a channel in its phase. */
static enum progress
next_in_phase(const struct coll_params *p, struct coll_state *s, uint32_t channel,
              struct lane *lane, struct coll_step *step)
{
    const struct coll_view view = coll_view_of(p, s->me, channel, lane->phase);
    enum progress all = IS_OVER;

    for (uint32_t i = 0; i < streams_of(&view); i++) {
        enum progress progress = next_item(&view, p, lane, i, step);
        if (progress == STEPS) {
            step->channel = channel;
            step->token = channel * s->n_streams + i;
            return STEPS;
        }
        all = progress == WAITS ? WAITS : all;
    }
    return all;
}

/* The next step of a channel, which enters its next phase when all messages of a phase have ended.
 */
static bool
next_in_lane(const struct coll_params *p, struct coll_state *s, uint32_t channel,
             struct coll_step *step)
{
    struct lane *lane = lane_of(s, channel);
    uint32_t n_phases = phases_of(p);

    while (lane->phase < n_phases) {
        enum progress progress = next_in_phase(p, s, channel, lane, step);
        if (progress == STEPS) {
            step->tag = (step->tag * n_phases + lane->phase) * p->channels + channel;
        }
        if (progress != IS_OVER) {
            return progress == STEPS;
        }
        memset(lane->streams, 0, s->n_streams * sizeof *lane->streams);
        if (++lane->phase == n_phases) {
            s->n_left--;
        }
    }
    return false;
}

bool
coll_next(const struct coll_params *p, struct coll_state *s, struct coll_step *step)
{
    for (; s->next < s->past_end; s->next++) {
        if (next_in_lane(p, s, s->next, step)) {
            return true;
        }
    }
    return false;
}
