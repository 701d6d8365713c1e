/* A swap: every rank sends a parcel to every other rank.
 *
 * All messages are begun at the same time and then polled one after another, so no two ranks wait
 * for each other.  Two ranks exchange one message each as long as a parcel fits into it; MPI keeps
 * messages of one pair in order, so a rank that is ahead may begin its next swap. */

#include <string.h>

#include "base/moment.h"
#include "mpi/pairs.h"

enum { TAG_FIRST = 1, TAG_REST = 2 };

/* Numbers of transfers. */

static uint32_t
transfer_in(uint32_t rank)
{
    return 2 * rank;
}

static uint32_t
transfer_out(uint32_t rank)
{
    return 2 * rank + 1;
}

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void
send(struct mpi *m, uint32_t to, const void *bytes, size_t n, int tag)
{
    m->pairs[to].is_sending = true;
    m->counts.n_messages++;
    m->counts.n_bytes += n;
    m->calls->send(transfer_out(to), bytes, n, to, tag);
}

static void
begin_pair(struct mpi *m, uint32_t with, const struct sim_parcel *out)
{
    struct mpi_pair *p = &m->pairs[with];
    uint64_t n = out->n;

    p->n_out = n;
    p->piece_out = least(n, MPI_FIRST_ROOM);
    p->handed = p->taken = 0;
    p->is_first = p->is_receiving = true;
    m->calls->receive(transfer_in(with), p->first_in, MPI_FIRST_BYTES, with, TAG_FIRST);
    memcpy(p->first_out, &n, sizeof n);
    if (p->piece_out) {
        memcpy(p->first_out + sizeof n, out->bytes, p->piece_out);
    }
    send(m, with, p->first_out, sizeof n + p->piece_out, TAG_FIRST);
}

static bool
go_on_sending(struct mpi *m, uint32_t to, const struct sim_parcel *out, struct err *err)
{
    struct mpi_pair *p = &m->pairs[to];
    enum transfer_state state = m->calls->test(transfer_out(to));

    if (state != TRANSFER_DONE) {
        return state == TRANSFER_UNDER_WAY || mpi_lose(m, to, "it cannot be sent to", err);
    }
    p->handed += p->piece_out;
    p->is_sending = false;
    if (p->handed < p->n_out) {
        p->piece_out = least(p->n_out - p->handed, TRANSFER_MOST_BYTES);
        send(m, to, (const char *)out->bytes + p->handed, p->piece_out, TAG_REST);
    }
    return true;
}

/* The first message carries the number of bytes and the first of them. */
static void
take_first(struct mpi_pair *p, struct sim_parcel *in)
{
    memcpy(&p->n_in, p->first_in, sizeof p->n_in);
    sim_parcel_room(in, p->n_in);
    in->n = p->n_in;
    p->piece_in = least(p->n_in, MPI_FIRST_ROOM);
    if (p->piece_in) {
        memcpy(in->bytes, p->first_in + sizeof p->n_in, p->piece_in);
    }
    p->is_first = false;
}

static bool
go_on_receiving(struct mpi *m, uint32_t from, struct sim_parcel *in, struct err *err)
{
    struct mpi_pair *p = &m->pairs[from];
    enum transfer_state state = m->calls->test(transfer_in(from));

    if (state != TRANSFER_DONE) {
        return state == TRANSFER_UNDER_WAY || mpi_lose(m, from, "nothing comes from it", err);
    }
    if (p->is_first) {
        take_first(p, in);
    }
    p->taken += p->piece_in;
    p->is_receiving = p->taken < p->n_in;
    if (p->is_receiving) {
        p->piece_in = least(p->n_in - p->taken, TRANSFER_MOST_BYTES);
        m->calls->receive(transfer_in(from), (char *)in->bytes + p->taken, p->piece_in, from,
                          TAG_REST);
    }
    return true;
}

/* Checks all messages once. Returns the number of messages that are still on their way; -1 if a
 * rank is lost. */
static int64_t
go_on(struct mpi *m, const struct sim_parcel *out, struct sim_parcel *in, struct err *err)
{
    int64_t n_left = 0;

    for (uint32_t i = 0; i < m->ranks.n; i++) {
        const struct mpi_pair *p = &m->pairs[i];
        if ((p->is_sending && !go_on_sending(m, i, &out[i], err)) ||
            (p->is_receiving && !go_on_receiving(m, i, &in[i], err))) {
            return -1;
        }
        n_left += p->is_sending + p->is_receiving;
    }
    return n_left;
}

bool
mpi_swap(void *arg, const struct sim_parcel *out, struct sim_parcel *in, struct err *err)
{
    struct mpi *m = arg;
    struct mpi_wait wait = mpi_wait_begin();
    int64_t n_left, n_left_before = 0;

    /* Each rank begins with the next one, so that not all send to the same rank at the same
     * time. */
    for (uint32_t i = 1; i < m->ranks.n; i++) {
        uint32_t with = (m->ranks.rank + i) % m->ranks.n;
        begin_pair(m, with, &out[with]);
    }
    while ((n_left = go_on(m, out, in, err)) > 0) {
        if (n_left == n_left_before && !mpi_wait_on(m, &wait, err)) {
            return false;
        }
        n_left_before = n_left;
    }
    m->counts.n_swaps++;
    m->counts.waited_s += moment_seconds() - wait.since_s;
    return n_left == 0;
}
