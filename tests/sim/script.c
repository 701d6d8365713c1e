/* A program of messages for tests. */

#include "script.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

struct state {
    struct script *script;
    uint32_t rank;
    uint64_t log; /* A hash of all that it has heard, with times. */
};

static struct script_rank *
rank_of(const struct state *s)
{
    return &s->script->ranks[s->rank];
}

static void
note(struct state *s, uint64_t value)
{
    s->log = (s->log ^ value) * 0x9e3779b97f4a7c15;
    s->log ^= s->log >> 29;
}

static void
start(void *state, void *what, uint32_t rank)
{
    *(struct state *)state = (struct state){ what, rank, 1 };
}

static void
stop(void *state)
{
    (void)state;
}

static void
begin(void *state, weir_ps now)
{
    rank_of(state)->begin_ps = now;
    note(state, (uint64_t)now);
}

static void
sent(void *state, uint32_t token, weir_ps now)
{
    struct script_rank *r = rank_of(state);

    r->posted[token].sent_ps = now;
    r->n_sent++;
    note(state, token);
    note(state, (uint64_t)now);
}

static void
arrived(void *state, const struct program_message *m, weir_ps now)
{
    struct script_rank *r = rank_of(state);

    ARRAY_PUSH(r->seen, r->n_seen, r->max_seen) = (struct script_seen){ *m, now };
    note(state, m->tag);
    note(state, m->bytes ^ (uint64_t)m->order << 40 ^ (uint64_t)m->source << 52);
    note(state, (uint64_t)now);
}

static uint32_t
order_of(const struct script_rank *r, uint32_t link)
{
    uint32_t n = 0;

    for (size_t i = 0; i < r->n_posted; i++) {
        n += r->posted[i].link == link;
    }
    return n;
}

static void
post(struct state *s, const struct script_send *send, weir_ps now, struct program_out *out)
{
    struct script_rank *r = rank_of(s);
    const struct model_connection *to = &s->script->links[r->first_link + send->link];
    uint32_t order = order_of(r, send->link);

    ARRAY_PUSH(out->sends, out->n_sends, out->max_sends) =
        (struct program_send){ .bytes = send->bytes,
                               .tag = send->tag,
                               .token = (uint32_t)r->n_posted,
                               .label = (uint32_t)r->n_posted,
                               .to = to->peer,
                               .order = order,
                               .channel = to->channel };
    ARRAY_PUSH(r->posted, r->n_posted, r->max_posted) =
        (struct script_posted){ .bytes = send->bytes,
                                .tag = send->tag,
                                .at_ps = now,
                                .sent_ps = -1,
                                .link = send->link,
                                .order = order };
}

/* The answer to a message has a size of its own, and goes to any rank. */
static void
answer(struct state *s, const struct program_message *m, weir_ps now, struct program_out *out)
{
    const struct script_rank *r = rank_of(s);
    uint64_t chance = m->tag ^ m->bytes << 17 ^ m->order;
    uint64_t drawn = weir_random(&chance);

    if (m->tag & SCRIPT_ANSWERS && r->n_links) {
        post(s,
             &(struct script_send){ .link = (uint32_t)(drawn % r->n_links),
                                    .bytes = (drawn >> 8) % 5 ? (drawn >> 16) % 9000 : 0,
                                    .tag = m->tag - 1 },
             now, out);
    }
}

static weir_ps
run_rank(void *state, weir_ps now, struct program_out *out)
{
    struct script_rank *r = rank_of(state);

    for (; r->n_answered < r->n_seen; r->n_answered++) {
        answer(state, &r->seen[r->n_answered].message, now, out);
    }
    for (; r->next < r->n_sends && r->sends[r->next].at_ps <= now; r->next++) {
        post(state, &r->sends[r->next], now, out);
    }
    return r->next < r->n_sends ? r->sends[r->next].at_ps : WEIR_NEVER;
}

/* A rank does not know what will still arrive.  The run ends when nothing is on its way. */
static bool
is_done(const void *state)
{
    (void)state;
    return false;
}

/* The log goes where the hash of results covers it. */
static void
report(const void *state, struct program_report *to)
{
    const struct state *s = state;

    to->begin_ps = rank_of(s)->begin_ps;
    to->computing_ps = (weir_ps)s->log;
    snprintf(to->waits_for, sizeof to->waits_for, "rank %u has heard %zu messages", s->rank,
             rank_of(s)->n_seen);
}

const struct program script_program = { .name = "script",
                                        .state_bytes = sizeof(struct state),
                                        .start = start,
                                        .stop = stop,
                                        .begin = begin,
                                        .sent = sent,
                                        .arrived = arrived,
                                        .run = run_rank,
                                        .is_done = is_done,
                                        .report = report };

void
script_start(struct script *s, uint32_t n_ranks)
{
    *s = (struct script){ .ranks = array_new(n_ranks, sizeof *s->ranks), .n_ranks = n_ranks };
}

void
script_rewind(struct script *s)
{
    for (uint32_t i = 0; i < s->n_ranks; i++) {
        struct script_rank *r = &s->ranks[i];
        r->n_posted = r->n_seen = r->next = r->n_answered = r->n_sent = 0;
    }
}

void
script_stop(struct script *s)
{
    for (uint32_t i = 0; i < s->n_ranks; i++) {
        free(s->ranks[i].sends);
        free(s->ranks[i].posted);
        free(s->ranks[i].seen);
    }
    free(s->ranks);
    free(s->links);
}

void
script_connect(struct script *s, uint32_t rank, uint32_t peer, uint32_t flow)
{
    struct script_rank *r = &s->ranks[rank];
    const struct model_connection *last = s->n_links ? &s->links[s->n_links - 1] : NULL;
    bool is_more = last && last->rank == rank && last->peer == peer;
    uint32_t channel = is_more ? last->channel + 1 : 0;

    r->first_link = r->n_links ? r->first_link : s->n_links;
    r->n_links++;
    ARRAY_PUSH(s->links, s->n_links, s->max_links) =
        (struct model_connection){ .rank = rank, .peer = peer, .channel = channel, .flow = flow };
}

void
script_send(struct script *s, uint32_t rank, struct script_send send)
{
    struct script_rank *r = &s->ranks[rank];

    ARRAY_ROOM(r->sends, r->n_sends, r->max_sends);
    size_t at = r->n_sends++;
    for (; at && r->sends[at - 1].at_ps > send.at_ps; at--) {
        r->sends[at] = r->sends[at - 1];
    }
    r->sends[at] = send;
}

const struct model_job *
script_job(struct script *s, const uint32_t *nodes)
{
    s->job = (struct model_job){ .program = &script_program,
                                 .what = s,
                                 .nodes = nodes,
                                 .n_ranks = s->n_ranks,
                                 .connections = s->links,
                                 .n_connections = s->n_links };
    return &s->job;
}

static const char *
check_seen(const struct script *s, uint32_t rank, const struct script_seen *seen)
{
    const struct program_message *m = &seen->message;

    if (m->source >= s->n_ranks || m->label >= s->ranks[m->source].n_posted) {
        return "a message that nobody sent has arrived";
    }
    const struct script_rank *from = &s->ranks[m->source];
    struct script_posted *p = &from->posted[m->label];
    if (s->links[from->first_link + p->link].peer != rank) {
        return "a message has arrived elsewhere";
    }
    if (p->n_arrived++) {
        return "a message has arrived twice";
    }
    if (p->bytes != m->bytes || p->tag != m->tag || p->order != m->order ||
        p->at_ps != m->sent_ps) {
        return "a message has arrived as another one";
    }
    return seen->at_ps > p->at_ps ? NULL : "a message has arrived too early";
}

/* Whether messages of each connection have arrived in their order. */
static bool
is_ordered(const struct script *s, const struct script_rank *r)
{
    size_t *next = array_new(s->n_links, sizeof *next);
    bool is = true;

    for (size_t i = 0; i < r->n_seen; i++) {
        const struct program_message *m = &r->seen[i].message;
        const struct script_rank *from = &s->ranks[m->source];
        size_t link = from->first_link + from->posted[m->label].link;
        is &= m->order >= next[link];
        next[link] = (size_t)m->order + 1;
    }
    free(next);
    return is;
}

const char *
script_check(const struct script *s, bool is_in_order)
{
    const char *wrong = NULL;

    for (uint32_t i = 0; i < s->n_ranks; i++) {
        for (size_t k = 0; k < s->ranks[i].n_posted; k++) {
            s->ranks[i].posted[k].n_arrived = 0;
        }
    }
    for (uint32_t i = 0; i < s->n_ranks && !wrong; i++) {
        const struct script_rank *r = &s->ranks[i];
        for (size_t k = 0; k < r->n_seen && !wrong; k++) {
            wrong = check_seen(s, i, &r->seen[k]);
        }
        if (!wrong && is_in_order && !is_ordered(s, r)) {
            wrong = "messages of a connection have arrived in another order";
        }
    }
    return wrong;
}

size_t
script_n_posted(const struct script *s)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->n_ranks; i++) {
        n += s->ranks[i].n_posted;
    }
    return n;
}

size_t
script_n_sent(const struct script *s)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->n_ranks; i++) {
        n += s->ranks[i].n_sent;
    }
    return n;
}

size_t
script_n_arrived(const struct script *s)
{
    size_t n = 0;

    for (uint32_t i = 0; i < s->n_ranks; i++) {
        n += s->ranks[i].n_seen;
    }
    return n;
}
