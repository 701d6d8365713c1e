/* Time accounting: what the time between two ends of tasks counts as. */

#include "graph/executor-state.h"

static weir_ps
between(weir_ps at, weir_ps from, weir_ps to)
{
    return at < from ? from : at > to ? to : at;
}

/* The wait up to now, which a message ended that was sent at 'sent_ps'. */
static void
account_message(struct executor *x, weir_ps now, weir_ps sent_ps)
{
    struct executor_state *s = x->state;

    s->wait_sent_ps = between(sent_ps, s->wait_from_ps, now);
    x->times.peer_ps += s->wait_sent_ps - s->wait_from_ps;
    x->times.network_ps += now - s->wait_sent_ps;
}

/* Another message ends the same wait: the one that was sent first counts, so that the order of
 * events at one instant does not matter. */
static void
account_same(struct executor *x, weir_ps now, weir_ps sent_ps)
{
    struct executor_state *s = x->state;
    weir_ps sent = between(sent_ps, s->wait_from_ps, now);

    if (s->wait_sent_ps != WEIR_NEVER && sent < s->wait_sent_ps) {
        x->times.network_ps += s->wait_sent_ps - sent;
        x->times.peer_ps -= s->wait_sent_ps - sent;
        s->wait_sent_ps = sent;
    }
}

void
executor_account(struct executor *x, weir_ps now, enum executor_ended_by by, weir_ps sent_ps)
{
    struct executor_state *s = x->state;
    weir_ps waited = now - s->since_ps;

    if (!waited) {
        if (by == EXECUTOR_BY_MESSAGE) {
            account_same(x, now, sent_ps);
        }
        return;
    }
    s->wait_from_ps = s->since_ps;
    s->wait_sent_ps = WEIR_NEVER;
    s->since_ps = now;
    if (s->n_running) {
        x->times.computing_ps += waited;
    } else if (s->n_unsent) {
        x->times.network_ps += waited;
    } else if (by == EXECUTOR_BY_MESSAGE) {
        account_message(x, now, sent_ps);
    } else {
        x->times.delayed_ps += waited;
    }
}
