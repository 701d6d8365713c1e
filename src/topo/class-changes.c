/* For packets that change class from hop to hop: finds out whether they can deadlock, and whether
 * they have a class on their whole path. */

#include "topo/class-changes.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Buffers are numbered by port and class.  Queues of hosts drain at once, so they are not buffers
 * of the graph. */

static uint32_t
n_buffers(const struct topo_class_changes *m)
{
    return (uint32_t)m->topo->n_ports * m->n_classes;
}

static const struct topo_node *
node_at(const struct topo_class_changes *m, uint32_t port)
{
    return &m->topo->nodes[m->topo->ports[port].node];
}

/* The buffer that a packet reaches when it leaves through a port; TOPO_NONE if the packet has no
 * class there, or if a host is there. */
static uint32_t
buffer_beyond(const struct topo_class_changes *m, uint32_t out, uint32_t cls)
{
    uint32_t in = m->topo->ports[out].peer;
    uint8_t next = m->arrives_as[in * m->n_classes + cls];

    return next == TOPO_NO_CLASS || node_at(m, in)->kind == TOPO_NIC ? TOPO_NONE
                                                                     : in * m->n_classes + next;
}

/* These functions find out whether packets can deadlock for any routes. */

struct flood {
    const struct topo_class_changes *m;
    uint32_t *n_before; /* [buffer]: the number of buffers that wait for it. */
    bool *is_met;
    uint32_t *queue, n;
};

static void
meet(struct flood *f, uint32_t buffer)
{
    if (buffer != TOPO_NONE && !f->is_met[buffer]) {
        f->is_met[buffer] = true;
        f->queue[f->n++] = buffer;
    }
}

/* Calls 'each' for all buffers that a buffer may wait for. */
static void
each_next(struct flood *f, uint32_t buffer, void (*each)(struct flood *, uint32_t next))
{
    const struct topo_node *at = node_at(f->m, buffer / f->m->n_classes);
    bool is_any = f->m->waits && f->m->waits[at->index] == DEPEND_FOR_ALL;
    uint32_t first = is_any ? 0 : buffer % f->m->n_classes,
             end = is_any ? f->m->n_classes : first + 1;

    for (uint32_t out = at->first_port; out < at->first_port + at->n_ports; out++) {
        for (uint32_t cls = first; cls < end; cls++) {
            uint32_t next = buffer_beyond(f->m, out, cls);
            if (next != TOPO_NONE) {
                each(f, next);
            }
        }
    }
}

static void
count_before(struct flood *f, uint32_t next)
{
    f->n_before[next]++;
    meet(f, next);
}

static void
take_off(struct flood *f, uint32_t next)
{
    if (--f->n_before[next] == 0) {
        f->queue[f->n++] = next;
    }
}

/* Removes buffers for which no buffer waits, repeatedly; any buffers that remain are in cycles or
 * behind them. */
static bool
leaves_cycles(struct flood *f)
{
    uint32_t n_met = f->n, *met = array_new(n_met, sizeof *met);

    memcpy(met, f->queue, n_met * sizeof *met);
    f->n = 0;
    for (uint32_t i = 0; i < n_met; i++) {
        if (!f->n_before[met[i]]) {
            f->queue[f->n++] = met[i];
        }
    }
    for (uint32_t i = 0; i < f->n; i++) {
        each_next(f, f->queue[i], take_off);
    }
    free(met);
    return f->n < n_met;
}

bool
topo_class_changes_can_cycle(const struct topo_class_changes *m)
{
    struct flood f = { .m = m,
                       .n_before = array_new(n_buffers(m), sizeof *f.n_before),
                       .is_met = array_new(n_buffers(m), sizeof *f.is_met),
                       .queue = array_new(n_buffers(m), sizeof *f.queue) };

    for (uint32_t port = 0; port < m->topo->n_ports; port++) {
        if (node_at(m, port)->kind == TOPO_NIC) {
            for (uint32_t cls = 0; cls < m->n_classes; cls++) {
                meet(&f, m->sent >> cls & 1 ? buffer_beyond(m, port, cls) : TOPO_NONE);
            }
        }
    }
    for (uint32_t i = 0; i < f.n; i++) {
        each_next(&f, f.queue[i], count_before);
    }
    bool can = leaves_cycles(&f);
    free(f.n_before);
    free(f.is_met);
    free(f.queue);
    return can;
}

/* These functions follow the routes.  A path that visits a switch twice is a loop and does not
 * count. */

struct search {
    const struct topo_class_changes *m;
    uint32_t from, to; /* NICs; TOPO_NONE as 'from': any NIC. */
    uint32_t *met_for; /* [buffer]: 1 + the last NIC whose paths include it. */
    uint32_t *before;  /* [buffer]: the previous buffer on the path; the buffer itself if a host
                        * fills it. */
    uint32_t *queue, n;
};

/* The next hops of a switch to a NIC, as ports.  A NIC at this switch without its own leaf has been
 * reached. */
static uint32_t
list_choices(const struct search *s, uint32_t at, const uint16_t **choices)
{
    const struct topo *t = s->m->topo;
    uint32_t leaf = t->nodes[s->to].leaf;
    bool is_there = t->leaves[leaf] == at && t->leaf_nics[leaf] == TOPO_NONE;

    return is_there ? 0 : topo_choices(t, at, leaf, choices);
}

static uint32_t
node_of(const struct search *s, uint32_t buffer)
{
    return s->m->topo->ports[buffer / s->m->n_classes].node;
}

static bool
was_at(const struct search *s, uint32_t buffer, uint32_t node)
{
    bool was = node_of(s, buffer) == node;

    for (; !was && s->before[buffer] != buffer; was = node_of(s, buffer) == node) {
        buffer = s->before[buffer];
    }
    return was;
}

/* Writes the path from a host to a buffer. */
static void
trace_back(const struct search *s, uint32_t buffer, struct topo_path *w)
{
    const struct topo *t = s->m->topo;

    if (s->before[buffer] == buffer) {
        topo_path_add(w, topo_beyond(t, buffer / s->m->n_classes));
    } else {
        trace_back(s, s->before[buffer], w);
    }
    topo_path_add(w, node_of(s, buffer));
}

/* Continues the path from a switch to the NIC without visiting a switch twice; false if there is no
 * such path. */
static bool
trace_on(const struct search *s, uint32_t at, struct topo_path *w)
{
    const struct topo *t = s->m->topo;
    const uint16_t *choices;
    bool is_there = at == s->to;

    for (size_t i = 0; i < w->n; i++) {
        if (w->nodes[i] == at) {
            return false;
        }
    }
    topo_path_add(w, at);
    if (is_there || t->nodes[at].kind == TOPO_NIC) {
        return is_there;
    }
    uint32_t n = list_choices(s, at, &choices);
    for (uint32_t i = 0; i < n && !is_there; i++) {
        uint32_t out = t->nodes[at].first_port + choices[i];
        is_there = trace_on(s, topo_beyond(t, out), w);
    }
    if (!n && topo_port_to(t, at, s->to) != TOPO_NONE) {
        topo_path_add(w, s->to);
        is_there = true;
    }
    w->n -= !is_there;
    return is_there;
}

/* Whether packets that leave a buffer through a port have no class at the other end. */
static bool
ends_at(const struct search *s, uint32_t buffer, uint32_t out, struct topo_path *w)
{
    trace_back(s, buffer, w);
    w->n_good = w->n;
    if (trace_on(s, topo_beyond(s->m->topo, out), w)) {
        return true;
    }
    topo_path_free(w);
    return false;
}

static void
visit(struct search *s, uint32_t buffer, uint32_t before)
{
    if (s->met_for[buffer] != s->to + 1) {
        s->met_for[buffer] = s->to + 1;
        s->before[buffer] = before;
        s->queue[s->n++] = buffer;
    }
}

/* True if packets have a class at all next hops of a buffer; otherwise sets the path to a hop
 * without a class. */
static bool
go_on(struct search *s, uint32_t buffer, struct topo_path *w)
{
    const struct topo *t = s->m->topo;
    uint32_t at = node_of(s, buffer);
    const uint16_t *choices;
    uint32_t n = list_choices(s, at, &choices);

    for (uint32_t i = 0; i < n; i++) {
        uint32_t out = t->nodes[at].first_port + choices[i];
        uint32_t in = t->ports[out].peer, next = buffer_beyond(s->m, out, buffer % s->m->n_classes);
        if (node_at(s->m, in)->kind == TOPO_NIC) {
            continue;
        }
        if (next == TOPO_NONE && ends_at(s, buffer, out, w)) {
            return false;
        }
        if (next != TOPO_NONE && !was_at(s, buffer, t->ports[in].node)) {
            visit(s, next, buffer);
        }
    }
    return true;
}

static void
visit_first(struct search *s, uint32_t port)
{
    const struct topo *t = s->m->topo;
    uint32_t node = t->ports[port].node;
    bool is_wanted = s->from == TOPO_NONE ? node_at(s->m, port)->kind == TOPO_NIC && node != s->to
                                          : node == s->from;

    if (!is_wanted || !topo_is_live(t, port) ||
        !(topo_nic_ports(t, node, t->nodes[s->to].leaf) >> t->ports[port].number & 1)) {
        return;
    }
    for (uint32_t cls = 0; cls < s->m->n_classes; cls++) {
        uint32_t buffer = buffer_beyond(s->m, port, cls);
        if (s->m->sent >> cls & 1 && buffer != TOPO_NONE) {
            visit(s, buffer, buffer);
        }
    }
}

/* Searches the paths to one NIC. */
static bool
search_to(struct search *s, uint32_t to, struct topo_path *w)
{
    bool found = false;

    s->to = to;
    s->n = 0;
    for (uint32_t port = 0; port < s->m->topo->n_ports; port++) {
        visit_first(s, port);
    }
    for (uint32_t i = 0; i < s->n && !found; i++) {
        found = !go_on(s, s->queue[i], w);
    }
    return found;
}

/* NICs of one leaf have the same paths, so one search per leaf is enough. */
bool
topo_class_changes_find_short(const struct topo_class_changes *m, uint32_t from, uint32_t to,
                              struct topo_path *w)
{
    uint32_t n = n_buffers(m);
    struct search s = { .m = m,
                        .from = from,
                        .met_for = array_new(n, sizeof *s.met_for),
                        .before = array_new(n, sizeof *s.before),
                        .queue = array_new(n, sizeof *s.queue) };
    bool found = false, *is_done = array_new(m->topo->n_leaves, sizeof *is_done);

    *w = (struct topo_path){ 0 };
    for (uint32_t i = 0; i < m->topo->n_nodes && !found; i++) {
        const struct topo_node *nic = &m->topo->nodes[i];
        bool is_wanted = nic->kind == TOPO_NIC && topo_nic_is_live(m->topo, i) &&
                         (to == TOPO_NONE ? !is_done[nic->leaf] : i == to);
        if (is_wanted) {
            is_done[nic->leaf] = true;
            found = search_to(&s, i, w);
        }
    }
    free(is_done);
    free(s.met_for);
    free(s.before);
    free(s.queue);
    return found;
}

bool
topo_class_changes_is_short(const struct topo_class_changes *m, uint32_t from, const uint16_t *path,
                            uint32_t n_path, struct topo_path *w)
{
    const struct topo *t = m->topo;
    uint32_t port = t->nodes[from].first_port, cls = (uint32_t)__builtin_ctz(m->sent);

    *w = (struct topo_path){ 0 };
    topo_path_add(w, from);
    for (uint32_t i = 0; i < n_path; i++) {
        uint32_t in = t->ports[port].peer;
        cls = cls == TOPO_NO_CLASS ? cls : m->arrives_as[in * m->n_classes + cls];
        w->n_good += cls != TOPO_NO_CLASS;
        topo_path_add(w, t->ports[in].node);
        port = node_at(m, in)->first_port + path[i];
    }
    w->n_good++;
    topo_path_add(w, topo_beyond(t, port));
    return cls == TOPO_NO_CLASS;
}
