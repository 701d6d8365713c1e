/* Relays as a program: chunks of messages at their source, at their relay, and at their
 * destination. */

#include "graph/relay-program.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/out-of-memory.h"

/* A message to a destination or to a relay, or a chunk from a relay, until it has been sent.  Its
 * place in the list is the token of all its chunks. */
struct outgoing {
    struct program_relay relay;
    weir_ps sent_ps;
    uint32_t n_unsent;    /* Chunks. */
    uint32_t inner_token; /* The token of the inner program; or the next unused place. */
    bool is_forwarded;    /* A chunk of another rank. */
};

/* A message of which some chunks have arrived, here as its relay or as its destination. */
struct partial {
    uint64_t key; /* Source and number. */
    uint64_t bytes;
    uint32_t n_missing; /* Chunks. */
};

struct rank {
    const struct relay_job *job;
    uint32_t rank;
    uint32_t n_numbers;        /* Messages that this rank has sent over relays. */
    struct outgoing *outgoing; /* [token] */
    size_t n_outgoing, max_outgoing;
    uint32_t unused;          /* The first of the unused places; RELAY_NONE: there is none. */
    struct partial *partials; /* By key. */
    size_t n_partials, max_partials;
    struct program_message *chunks; /* To be forwarded now. */
    size_t n_chunks, max_chunks;
    struct program_out answers; /* Messages of the inner program. */
    uint64_t n_forwarding;      /* Chunks that it has forwarded, and that have not left. */
    uint64_t n_sent, n_arrived; /* Messages of the inner program. */
    uint64_t n_relayed, relayed_bytes;
    alignas(max_align_t) unsigned char inner[];
};

/* Starting. */

static void
start_rank(void *state, void *what, uint32_t rank)
{
    struct rank *r = state;

    r->job = what;
    r->rank = rank;
    r->unused = RELAY_NONE;
    r->job->inner->start(r->inner, r->job->what, rank);
}

static void
stop_rank(void *state)
{
    struct rank *r = state;

    r->job->inner->stop(r->inner);
    free(r->outgoing);
    free(r->partials);
    free(r->chunks);
    free(r->answers.sends);
}

static void
begin_rank(void *state, weir_ps now)
{
    struct rank *r = state;

    r->job->inner->begin(r->inner, now);
}

/* Tokens. */

static uint32_t
add_outgoing(struct rank *r, const struct outgoing *o)
{
    uint32_t token = r->unused;

    if (token == RELAY_NONE) {
        token = (uint32_t)r->n_outgoing;
        ARRAY_PUSH(r->outgoing, r->n_outgoing, r->max_outgoing) = *o;
        return token;
    }
    r->unused = r->outgoing[token].inner_token;
    r->outgoing[token] = *o;
    return token;
}

static void
remove_outgoing(struct rank *r, uint32_t token)
{
    r->outgoing[token].inner_token = r->unused;
    r->unused = token;
}

static void
annotate(const void *state, uint32_t token, struct program_message *m)
{
    const struct rank *r = state;

    m->relay = r->outgoing[token].relay;
    m->sent_ps = r->outgoing[token].sent_ps;
}

static void
message_sent(void *state, uint32_t token, weir_ps now)
{
    struct rank *r = state;
    const struct outgoing o = r->outgoing[token];

    if (--r->outgoing[token].n_unsent) {
        return;
    }
    remove_outgoing(r, token);
    if (o.is_forwarded) {
        r->n_forwarding--;
        return;
    }
    r->n_sent++;
    r->job->inner->sent(r->inner, o.inner_token, now);
}

/* Sending. */

static void
post(struct program_out *out, const struct program_send *s)
{
    ARRAY_PUSH(out->sends, out->n_sends, out->max_sends) = *s;
}

static uint32_t
count_chunks(const struct rank *r, uint64_t bytes)
{
    uint64_t n = bytes ? (bytes - 1) / r->job->chunk_bytes + 1 : 1;

    if (n > UINT32_MAX) {
        oom_fail("a message is relayed in more than %u chunks, which is the maximum", UINT32_MAX);
    }
    return (uint32_t)n;
}

static void
send_chunks(struct rank *r, struct program_send s, uint32_t relay, weir_ps now,
            struct program_out *out)
{
    uint64_t left = s.bytes, chunk = r->job->chunk_bytes;
    uint32_t n = count_chunks(r, s.bytes);

    s.token = add_outgoing(r, &(struct outgoing){ .relay = { s.to, r->n_numbers++, n },
                                                  .sent_ps = now,
                                                  .n_unsent = n,
                                                  .inner_token = s.token });
    s.to = relay;
    for (; n; n--) {
        s.bytes = left < chunk ? left : chunk;
        left -= s.bytes;
        post(out, &s);
    }
}

static void
send_message(struct rank *r, struct program_send s, weir_ps now, struct program_out *out)
{
    uint32_t relay = relay_between(&r->job->table, r->rank, s.to);

    if (relay != RELAY_NONE) {
        send_chunks(r, s, relay, now, out);
        return;
    }
    s.token = add_outgoing(
        r, &(struct outgoing){ .sent_ps = now, .n_unsent = 1, .inner_token = s.token });
    post(out, &s);
}

static void
forward(struct rank *r, const struct program_message *m, struct program_out *out)
{
    uint32_t token = add_outgoing(
        r, &(struct outgoing){ .relay = { m->source, m->relay.number, m->relay.n_chunks },
                               .sent_ps = m->sent_ps,
                               .n_unsent = 1,
                               .is_forwarded = true });

    r->n_forwarding++;
    r->relayed_bytes += m->bytes;
    post(out, &(struct program_send){ .bytes = m->bytes,
                                      .tag = m->tag,
                                      .token = token,
                                      .to = m->relay.rank,
                                      .order = m->order,
                                      .label = m->label,
                                      .channel = m->channel });
}

static weir_ps
run_rank(void *state, weir_ps now, struct program_out *out)
{
    struct rank *r = state;

    for (size_t i = 0; i < r->n_chunks; i++) {
        forward(r, &r->chunks[i], out);
    }
    r->n_chunks = 0;
    weir_ps next = r->job->inner->run(r->inner, now, &r->answers);
    for (size_t i = 0; i < r->answers.n_sends; i++) {
        send_message(r, r->answers.sends[i], now, out);
    }
    r->answers.n_sends = 0;
    return next;
}

/* Arriving. */

/* Adds a chunk to its message; true: no other chunk is missing. */
static bool
add_chunk(struct rank *r, uint32_t source, const struct program_message *m, uint64_t *all_bytes)
{
    uint64_t key = (uint64_t)source << 32 | m->relay.number;
    size_t at = 0;

    ARRAY_SEARCH(at, r->n_partials, r->partials[middle].key < key);
    if (at == r->n_partials || r->partials[at].key != key) {
        ARRAY_ROOM(r->partials, r->n_partials, r->max_partials);
        memmove(&r->partials[at + 1], &r->partials[at],
                (r->n_partials++ - at) * sizeof *r->partials);
        r->partials[at] = (struct partial){ .key = key, .n_missing = m->relay.n_chunks };
    }
    *all_bytes = r->partials[at].bytes += m->bytes;
    if (--r->partials[at].n_missing) {
        return false;
    }
    memmove(&r->partials[at], &r->partials[at + 1], (--r->n_partials - at) * sizeof *r->partials);
    return true;
}

/* Only the first of the two connections stays within a server. */
static bool
is_at_relay(const struct rank *r, const struct program_message *m)
{
    const struct relay_place *places = r->job->table.places;

    return places[m->source].server == places[r->rank].server;
}

static void
deliver(struct rank *r, const struct program_message *m, weir_ps now)
{
    r->n_arrived++;
    r->job->inner->arrived(r->inner, m, now);
}

static void
message_arrived(void *state, const struct program_message *m, weir_ps now)
{
    struct program_message whole = *m;
    struct rank *r = state;

    if (!m->relay.n_chunks) {
        deliver(r, m, now);
        return;
    }
    if (is_at_relay(r, m)) {
        ARRAY_PUSH(r->chunks, r->n_chunks, r->max_chunks) = *m;
        r->n_relayed += add_chunk(r, m->source, m, &whole.bytes);
        return;
    }
    whole.source = m->relay.rank;
    whole.relay = (struct program_relay){ 0 };
    if (add_chunk(r, whole.source, m, &whole.bytes)) {
        deliver(r, &whole, now);
    }
}

/* The end. */

static bool
rank_is_done(const void *state)
{
    const struct rank *r = state;

    return !r->n_chunks && !r->n_forwarding && r->job->inner->is_done(r->inner);
}

static void
report_rank(const void *state, struct program_report *to)
{
    const struct rank *r = state;

    r->job->inner->report(r->inner, to);
    to->n_sent = r->n_sent;
    to->n_arrived = r->n_arrived;
    to->n_relayed = r->n_relayed;
    to->relayed_bytes = r->relayed_bytes;
}

static void
list_spans(const void *state, struct program_span *spans, size_t n)
{
    const struct rank *r = state;

    r->job->inner->list_spans(r->inner, spans, n);
}

const void *
relay_inner(const void *state)
{
    return ((const struct rank *)state)->inner;
}

/* Jobs. */

void
relay_job_init(struct relay_job *job, const struct program *inner, void *what,
               const struct relay_place *places, uint32_t n_ranks, uint64_t chunk_bytes)
{
    *job = (struct relay_job){ .program = { .name = inner->name,
                                            .state_bytes = sizeof(struct rank) + inner->state_bytes,
                                            .start = start_rank,
                                            .stop = stop_rank,
                                            .begin = begin_rank,
                                            .sent = message_sent,
                                            .arrived = message_arrived,
                                            .run = run_rank,
                                            .annotate = annotate,
                                            .is_done = rank_is_done,
                                            .report = report_rank,
                                            .list_spans = inner->list_spans ? list_spans : NULL },
                               .inner = inner,
                               .what = what,
                               .chunk_bytes = chunk_bytes };
    relay_table_init(&job->table, places, n_ranks);
}

void
relay_job_free(struct relay_job *job)
{
    relay_table_free(&job->table);
}
