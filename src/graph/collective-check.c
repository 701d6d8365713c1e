/* Checks of parameters of collectives, names of operations, and bus bandwidth (collective.h). */

#include <inttypes.h>

#include "graph/collective.h"

const char *const coll_op_names[] = {
    [COLL_ALL_REDUCE] = "all-reduce",         [COLL_ALL_GATHER] = "all-gather",
    [COLL_REDUCE_SCATTER] = "reduce-scatter", [COLL_ALL_TO_ALL] = "all-to-all",
    [COLL_BROADCAST] = "broadcast",           [COLL_BARRIER] = "barrier",
    [COLL_SEND_RECV] = "send-recv",           [COLL_N_OPS] = 0,
};

#define FIELD(MEMBER, NAME, KIND, ...)                                                             \
    WEIR_FIELD(struct coll_settings, MEMBER, NAME, KIND, __VA_ARGS__, .source = "-")

const struct weir_field coll_fields[] = {
    FIELD(channels, "channels", WEIR_COUNT, .fallback = 1, .min = 1, .max = COLL_MAX_CHANNELS,
          .help = "Channels that carry equal parts of the bytes at the same time, each on its own "
                  "connections."),
    FIELD(chunk_bytes, "chunk", WEIR_BYTES, .fallback = WEIR_OFF, .min = 1, .max = COLL_MAX_BYTES,
          .may_be_off = true,
          .help = "Maximum size of a message; a larger one is cut into pieces that are forwarded "
                  "one by one.  off: messages are not cut."),
    FIELD(window, "window", WEIR_COUNT, .fallback = COLL_WINDOW, .min = 1, .max = COLL_MAX_WINDOW,
          .help = "Maximum number of unfinished messages that a member has sent to one peer of a "
                  "channel, or in a channel if the algorithm sends to all peers one after the "
                  "other."),
    { 0 },
};

static bool
check_members(const struct coll_params *p, struct err *err)
{
    if (p->n < 1 || p->n > COLL_MAX_MEMBERS) {
        return err_set(err, "a group of %" PRIu32 " members: give 1 to %d", p->n, COLL_MAX_MEMBERS);
    }
    if (p->root >= p->n) {
        return err_set(err, "root %" PRIu32 " is not a member: members are 0 to %" PRIu32, p->root,
                       p->n - 1);
    }
    return true;
}

static bool
check_sizes(const struct coll_params *p, struct err *err)
{
    if (p->channels < 1 || p->channels > COLL_MAX_CHANNELS) {
        return err_set(err, "%" PRIu32 " channels: give 1 to %d", p->channels, COLL_MAX_CHANNELS);
    }
    if (p->window < 1 || p->window > COLL_MAX_WINDOW) {
        return err_set(err, "a window of %" PRIu32 " messages: give 1 to %d", p->window,
                       COLL_MAX_WINDOW);
    }
    if (p->bytes > COLL_MAX_BYTES) {
        return err_set(err, "a collective of %" PRIu64 " bytes: the maximum is %" PRIu64, p->bytes,
                       COLL_MAX_BYTES);
    }
    if (p->op == COLL_BARRIER && p->bytes) {
        return err_set(err,
                       "a barrier of %" PRIu64 " bytes: a barrier moves no data; give no bytes",
                       p->bytes);
    }
    return true;
}

/* Tags and counters have 32 bits. */
static bool
check_pieces(const struct coll_params *p, struct err *err)
{
    uint32_t n_phases = p->algorithm->n_phases ? p->algorithm->n_phases(p->op) : 1;

    for (uint32_t i = 0; i < n_phases; i++) {
        const struct coll_view v = coll_view_of(p, 0, 0, i);
        bool fits = !p->chunk_bytes || v.bytes * v.copies / p->chunk_bytes < UINT32_MAX / 64;
        if (!fits || v.algorithm->n_tags(&v) > UINT32_MAX / (n_phases * p->channels)) {
            return err_set(err,
                           "chunks of %" PRIu64 " bytes: a member would send over 4 billion of "
                           "them; give larger ones",
                           p->chunk_bytes);
        }
    }
    return true;
}

bool
coll_check(const struct coll_params *p, struct err *err)
{
    const struct weir_plugin *about = &p->algorithm->about;

    if (!(p->algorithm->ops >> p->op & 1)) {
        return err_set(err, "algorithm %s has no %s", about->name, coll_op_names[p->op]);
    }
    return check_members(p, err) && check_sizes(p, err) &&
           (!p->algorithm->check || p->algorithm->check(p, err)) && check_pieces(p, err);
}

bool
coll_bus_factor(enum coll_op op, uint32_t n, double *factor)
{
    double others = (double)(n - 1) / n; /* The part of the data that others have. */

    switch (op) {
    case COLL_ALL_REDUCE:
        *factor = 2 * others;
        return true;
    case COLL_ALL_GATHER:
    case COLL_REDUCE_SCATTER:
    case COLL_ALL_TO_ALL:
        *factor = others;
        return true;
    case COLL_BROADCAST:
    case COLL_SEND_RECV:
        *factor = 1;
        return true;
    default:
        return false;
    }
}
