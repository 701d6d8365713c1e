/* Shows hosts, flows and queues of a run that are silent, and since when. */

#include <stdio.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/run.h"

enum { MAX_SHOWN_SILENT = 6 };

/* "L1 to S1", with the class where there are several. */
static const char *
queue_name(const struct outcome *o, const struct sim_silent *q, char room[SCN_NAME_BYTES])
{
    const char *from = run_node_name(o, q->number),
               *to = run_node_name(o, o->s.topo.ports[q->number].peer);

    if (o->s.wire.classes > 1) {
        snprintf(room, SCN_NAME_BYTES, "%s to %s class %u", from, to, q->cls);
    } else {
        snprintf(room, SCN_NAME_BYTES, "%s to %s", from, to);
    }
    return room;
}

static const char *
host_name(const struct outcome *o, const struct sim_silent *host, char room[SCN_NAME_BYTES])
{
    (void)room;
    return o->s.topo.nodes[host->number].name;
}

static const char *
flow_name(const struct outcome *o, const struct sim_silent *flow, char room[SCN_NAME_BYTES])
{
    return scn_flow_name(&o->s, flow->number, room);
}

typedef const char *name_of(const struct outcome *, const struct sim_silent *,
                            char room[SCN_NAME_BYTES]);

/* "silent         16 hosts: H0 since 5.2ms, H1 since 5.3ms" */
static void
show_kind(const struct outcome *o, const char *one, const char *many,
          const struct sim_silent *items, size_t n, name_of *name)
{
    char room[SCN_NAME_BYTES];

    if (!n) {
        return;
    }
    printf("silent         %zu %s:", n, n == 1 ? one : many);
    for (size_t i = 0; i < n && i < MAX_SHOWN_SILENT; i++) {
        struct weir_text since = { 0 };
        weir_text_add(&since, "%T", (weir_ps)value_rounded((uint64_t)items[i].since_ps));
        printf("%s %s since %s", i ? "," : "", name(o, &items[i], room), since.s);
    }
    printf("%s\n", n > MAX_SHOWN_SILENT ? ", ..." : "");
}

void
run_show_silence(const struct outcome *o)
{
    const struct sim_silence *s = &o->silence;

    show_kind(o, "host", "hosts", s->hosts, s->n_hosts, host_name);
    show_kind(o, "flow", "flows", s->flows, s->n_flows, flow_name);
    show_kind(o, "queue", "queues", s->queues, s->n_queues, queue_name);
}

static void
write_kind(struct json *j, const char *key, const char *is, const struct outcome *o,
           const struct sim_silent *items, size_t n, name_of *name)
{
    char room[SCN_NAME_BYTES];

    json_open(j, key, '[');
    for (size_t i = 0; i < n; i++) {
        json_open(j, NULL, '{');
        json_text(j, is, name(o, &items[i], room));
        json_number(j, "since_ps", (uint64_t)items[i].since_ps);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
write_queue(struct json *j, const struct outcome *o, const struct sim_silent *q)
{
    json_open(j, NULL, '{');
    json_text(j, "node", run_node_name(o, q->number));
    json_text(j, "to", run_node_name(o, o->s.topo.ports[q->number].peer));
    json_number(j, "class", q->cls);
    json_number(j, "since_ps", (uint64_t)q->since_ps);
    json_close(j, '}');
}

void
run_write_silence(struct json *j, const struct outcome *o)
{
    const struct sim_silence *s = &o->silence;

    json_open(j, "silent", '{');
    write_kind(j, "hosts", "host", o, s->hosts, s->n_hosts, host_name);
    write_kind(j, "flows", "flow", o, s->flows, s->n_flows, flow_name);
    json_open(j, "queues", '[');
    for (size_t i = 0; i < s->n_queues; i++) {
        write_queue(j, o, &s->queues[i]);
    }
    json_close(j, ']');
    json_close(j, '}');
}
