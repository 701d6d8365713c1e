/* Reads the section `record`: the parts of a run that are sampled and recorded. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/resolver.h"

enum { MAX_AUTO_FLOWS = 1000, MAX_SAMPLES = 10000000 };

static void
record_all_ports(struct scenario *s)
{
    s->record.ports = array_new(s->topo.n_ports, sizeof(uint32_t));
    for (size_t i = 0; i < s->topo.n_ports; i++) {
        s->record.ports[s->record.n_ports++] = (uint32_t)i;
    }
}

static bool
record_listed_ports(struct resolver *r, const struct scn_node *list)
{
    struct scn_record *record = &r->s->record;
    size_t n = 0;

    record->ports = array_new(list->n_children, sizeof(uint32_t));
    for (size_t i = 0; i < list->n_children; i++) {
        if (!scn_find_port(r, list->children[i],
                           "a port, as in [S1, H1]: the port of S1 towards H1",
                           &record->ports[i])) {
            return false;
        }
    }
    array_sort_u32(record->ports, list->n_children);
    for (size_t i = 0; i < list->n_children; i++) {
        if (!n || record->ports[i] != record->ports[n - 1]) {
            record->ports[n++] = record->ports[i];
        }
    }
    record->n_ports = n;
    return true;
}

/* Without a run-out, which seldom lasts as long as it may. */
static bool
too_many_for_default(const struct scenario *s)
{
    return s->topo.n_ports > SCN_MAX_AUTO_PORTS &&
           s->run.time_ps / s->record.every_ps > SCN_MAX_AUTO_SAMPLES / s->topo.n_ports;
}

static bool
read_ports(struct resolver *r)
{
    const struct scn_node *n = scn_child(scn_child(r->root, "record"), "ports");
    bool is_word = n && n->kind == SCN_WORD;

    if (n && n->kind == SCN_LIST) {
        return record_listed_ports(r, n);
    }
    r->s->record.lacks_ports = !n && too_many_for_default(r->s);
    if (n ? is_word && !strcmp(n->word, "all") : !r->s->record.lacks_ports) {
        record_all_ports(r->s);
        return true;
    }
    return !n || (is_word && !strcmp(n->word, "none")) ||
           scn_fail(n, r->err, "expected all, none, or a list of ports as in [[S1, H1]]");
}

/* The default sampling period. It is longer if the run-out is much longer than the run, which would
 * give too many samples. */
static uint64_t
every_left_open(const struct scn_run *run)
{
    uint64_t wanted_ps = run->time_ps / 1000,
             least_ps = (run->time_ps + run->run_out_ps) / MAX_SAMPLES + 1;

    return wanted_ps > least_ps ? wanted_ps : least_ps;
}

bool
scn_read_record(struct resolver *r)
{
    struct scn_record *record = &r->s->record;
    uint64_t most_ps = r->s->run.time_ps + r->s->run.run_out_ps;
    const struct scn_node *every = scn_child(scn_child(r->root, "record"), "every");

    if (record->every_ps == WEIR_AUTO) {
        record->every_ps = every_left_open(&r->s->run);
    }
    if (record->flows == WEIR_AUTO) {
        record->flows = r->s->n_flows <= MAX_AUTO_FLOWS;
    }
    if (most_ps / record->every_ps > MAX_SAMPLES) {
        return scn_fail(every, r->err, "this makes %llu samples in one run; at most %d are allowed",
                        (unsigned long long)(most_ps / record->every_ps), MAX_SAMPLES);
    }
    return read_ports(r);
}
