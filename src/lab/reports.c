/* Messages between a lab and its processes, in parts that a socket takes. */

#include "lab/reports.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { PART_BYTES = 32768 };

/* Before the bytes of each part. */
struct head {
    uint64_t word;
    weir_ps at;
    uint64_t n_bytes, first; /* The size of the message; where the bytes of this part stand in
                              * it. */
};

struct part {
    struct head head;
    uint8_t bytes[PART_BYTES];
};

void
lab_line_put(struct lab_line *l, enum lab_word word, weir_ps at, const void *bytes, size_t n)
{
    struct head head = { .word = word, .at = at, .n_bytes = n };

    sim_parcel_add(&l->out, &head, sizeof head);
    if (n) {
        sim_parcel_add(&l->out, bytes, n);
    }
}

bool
lab_line_is_empty(const struct lab_line *l)
{
    return l->n_sent == l->out.n;
}

/* The next part of the first message that has not been sent whole. */
static size_t
make_part(const struct lab_line *l, struct part *part)
{
    const uint8_t *message = (const uint8_t *)l->out.bytes + l->n_sent;

    memcpy(&part->head, message, sizeof part->head);
    size_t left = part->head.n_bytes - l->n_sent_here, n = left < PART_BYTES ? left : PART_BYTES;
    part->head.first = l->n_sent_here;
    memcpy(part->bytes, message + sizeof part->head + l->n_sent_here, n);
    return n;
}

static void
go_on_behind(struct lab_line *l, const struct head *head, size_t n)
{
    l->n_sent_here += n;
    if (l->n_sent_here == head->n_bytes) {
        l->n_sent += sizeof *head + head->n_bytes;
        l->n_sent_here = 0;
    }
    if (l->n_sent == l->out.n) {
        l->n_sent = l->out.n = 0;
    }
}

bool
lab_line_push(struct lab_line *l)
{
    struct part part;

    while (!lab_line_is_empty(l)) {
        size_t n = make_part(l, &part);
        ssize_t sent = send(l->socket, &part, sizeof part.head + n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) {
            return errno == EAGAIN || errno == EINTR || errno == ENOBUFS;
        }
        go_on_behind(l, &part.head, n);
    }
    return true;
}

/* A part is the next of the message that has begun, or begins one. */
static bool
fits(const struct lab_line *l, const struct part *part, size_t n)
{
    return n >= sizeof part->head && part->head.word < LAB_N_WORDS &&
           part->head.first == l->in.bytes.n &&
           n - sizeof part->head <= part->head.n_bytes - part->head.first;
}

static void
take_part(struct lab_line *l, const struct part *part, size_t n)
{
    l->in.word = (enum lab_word)part->head.word;
    l->in.at = part->head.at;
    if (n > sizeof part->head) {
        sim_parcel_add(&l->in.bytes, part->bytes, n - sizeof part->head);
    }
}

enum lab_heard
lab_line_pull(struct lab_line *l, bool waits, struct lab_message *m)
{
    struct part part;

    for (;;) {
        ssize_t n = recv(l->socket, &part, sizeof part, waits ? 0 : MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || (errno == EINTR && !waits))) {
            return LAB_NOTHING;
        }
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0 || !fits(l, &part, (size_t)n)) {
            return LAB_GONE;
        }
        take_part(l, &part, (size_t)n);
        if (l->in.bytes.n == part.head.n_bytes) {
            *m = l->in;
            l->in = (struct lab_message){ 0 };
            return LAB_MESSAGE;
        }
    }
}

void
lab_line_free(struct lab_line *l)
{
    sim_parcel_free(&l->out);
    sim_parcel_free(&l->in.bytes);
}

uint64_t
lab_clock_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}
