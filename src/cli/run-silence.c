/* Shows the silent hosts, flows and queues of a run, and the time since when they are silent. */

#include <stdio.h>

#include "base/json.h"
#include "cli/cli.h"
#include "cli/run.h"

enum { MAX_SHOWN_SILENT = 6 };

/* Adds the name of a queue, such as "L1 to S1", with the class if there are several. */
static void
add_queue(struct weir_text *t, const struct outcome *o, const struct sim_silent *q)
{
    struct run_place at = run_place_of(o, q->number, q->cls);

    run_place_add(t, &at, "to", " class ");
}

static void
add_host(struct weir_text *t, const struct outcome *o, const struct sim_silent *host)
{
    weir_text_add(t, "%s", o->s.topo.nodes[host->number].name);
}

static void
add_flow(struct weir_text *t, const struct outcome *o, const struct sim_silent *flow)
{
    char room[SCN_NAME_BYTES];

    weir_text_add(t, "%s", scn_flow_name(&o->s, flow->number, room));
}

typedef void add_name(struct weir_text *, const struct outcome *, const struct sim_silent *);

/* Shows silent items of one kind, such as "silent 16 hosts: H0 since 5.2 ms, H1 since 5.3 ms". */
static void
show_kind(const struct outcome *o, const char *one, const char *many,
          const struct sim_silent *items, size_t n, add_name *add)
{
    if (!n) {
        return;
    }
    printf("silent         %zu %s:", n, n == 1 ? one : many);
    for (size_t i = 0; i < n && i < MAX_SHOWN_SILENT; i++) {
        struct weir_text text = { 0 };
        add(&text, o, &items[i]);
        weir_text_add(&text, " since ");
        value_add_time(&text, items[i].since_ps);
        printf("%s %s", i ? "," : "", text.s);
    }
    printf("%s\n", n > MAX_SHOWN_SILENT ? ", ..." : "");
}

void
run_show_silence(const struct outcome *o)
{
    const struct sim_silence *s = &o->silence;

    show_kind(o, "host", "hosts", s->hosts, s->n_hosts, add_host);
    show_kind(o, "flow", "flows", s->flows, s->n_flows, add_flow);
    show_kind(o, "queue", "queues", s->queues, s->n_queues, add_queue);
}

static void
write_kind(struct json *j, const char *key, const char *is, const struct outcome *o,
           const struct sim_silent *items, size_t n, add_name *add)
{
    json_open(j, key, '[');
    for (size_t i = 0; i < n; i++) {
        struct weir_text name = { 0 };
        add(&name, o, &items[i]);
        json_open(j, NULL, '{');
        json_text(j, is, name.s);
        json_number(j, "since_ps", (uint64_t)items[i].since_ps);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void
write_queue(struct json *j, const struct outcome *o, const struct sim_silent *q)
{
    json_open(j, NULL, '{');
    run_place_write(j, o, q->number, q->cls);
    json_number(j, "since_ps", (uint64_t)q->since_ps);
    json_close(j, '}');
}

void
run_write_silence(struct json *j, const struct outcome *o)
{
    const struct sim_silence *s = &o->silence;

    json_open(j, "silent", '{');
    write_kind(j, "hosts", "host", o, s->hosts, s->n_hosts, add_host);
    write_kind(j, "flows", "flow", o, s->flows, s->n_flows, add_flow);
    json_open(j, "queues", '[');
    for (size_t i = 0; i < s->n_queues; i++) {
        write_queue(j, o, &s->queues[i]);
    }
    json_close(j, ']');
    json_close(j, '}');
}
