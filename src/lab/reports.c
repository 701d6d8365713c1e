/* Messages between a lab and its processes, as bytes of a stream. */

#include "lab/reports.h"

#include <errno.h>
#include <sys/socket.h>

#include "base/moment.h"

enum {
    /* The memory for a message grows by this amount, so that the announcement of a large length
     * takes no memory by itself. */
    PART_BYTES = 65536
};

void
lab_line_put(struct lab_line *l, enum lab_word word, weir_ps at, const void *bytes, size_t n)
{
    struct lab_head head = { .word = word, .at = at, .n_bytes = n };

    sim_parcel_add(&l->out, &head, sizeof head);
    sim_parcel_add(&l->out, bytes, n);
}

bool
lab_line_is_empty(const struct lab_line *l)
{
    return l->n_sent == l->out.n;
}

bool
lab_line_push(struct lab_line *l)
{
    while (!lab_line_is_empty(l)) {
        ssize_t n = send(l->socket, (const char *)l->out.bytes + l->n_sent, l->out.n - l->n_sent,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0) {
            return errno == EAGAIN || errno == EINTR || errno == ENOBUFS;
        }
        l->n_sent += (size_t)n;
    }
    l->n_sent = l->out.n = 0;
    return true;
}

/* Receives more bytes of the header or of the body of a message, like recv(). */
static ssize_t
receive(struct lab_line *l, int flags)
{
    if (l->n_head < sizeof l->head) {
        char *to = (char *)&l->head + l->n_head;
        ssize_t n = recv(l->socket, to, sizeof l->head - l->n_head, flags);
        l->n_head += n > 0 ? (size_t)n : 0;
        return n;
    }
    size_t left = l->head.n_bytes - l->in.n, most = left < PART_BYTES ? left : PART_BYTES;
    ssize_t n = recv(l->socket, sim_parcel_more(&l->in, most), most, flags);
    l->in.n -= most - (n > 0 ? (size_t)n : 0);
    return n;
}

static bool
has_head(const struct lab_line *l)
{
    return l->n_head == sizeof l->head;
}

enum lab_heard
lab_line_pull(struct lab_line *l, bool waits, struct lab_message *m)
{
    while (!has_head(l) || l->in.n < l->head.n_bytes) {
        ssize_t n = receive(l, waits ? 0 : MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || (errno == EINTR && !waits))) {
            return LAB_NOTHING;
        }
        bool is_gone = n == 0 || (n < 0 && errno != EINTR);
        if (is_gone || (has_head(l) && l->head.word >= LAB_N_WORDS)) {
            return LAB_GONE;
        }
    }
    *m = (struct lab_message){ (enum lab_word)l->head.word, l->head.at, l->in };
    l->in = (struct sim_parcel){ 0 };
    l->n_head = 0;
    return LAB_MESSAGE;
}

void
lab_line_free(struct lab_line *l)
{
    sim_parcel_free(&l->out);
    sim_parcel_free(&l->in);
}

struct sim_config
lab_config_of_nodes(const struct sim_config *c)
{
    return (struct sim_config){ .until_ps = c->until_ps,
                                .seed = c->seed,
                                .measured = c->measured,
                                .notes = c->notes,
                                .why = c->why,
                                .units = c->units,
                                .captured = c->captured };
}

uint64_t
lab_clock_ns(void)
{
    return (uint64_t)moment_ns(CLOCK_MONOTONIC);
}
