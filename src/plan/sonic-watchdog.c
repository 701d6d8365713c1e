/* Converts PFC_WD of config_db.json to `switch.watchdog` of a scenario.
 *
 *     "PFC_WD": {
 *         "GLOBAL":    { "POLL_INTERVAL": "200" },
 *         "Ethernet0": { "action": "drop", "detection_time": "200", "restoration_time": "200" }
 *     }
 *
 * Times are milliseconds.  A scenario has one watchdog for all ports of a switch, so the settings
 * of the first port are used. A comment has the number of ports with other settings.  SONiC checks
 * its queues once per POLL_INTERVAL, so it may detect a storm later than detection_time by up to
 * this interval.  Weir detects it exactly at detection_time. */

#include <string.h>

#include "base/text.h"
#include "plan/files.h"

enum { MAX_MS = 100000 };

#define PS_PER_MS (WEIR_PS_PER_S / 1000)

static const char *const actions[] = { "drop", "forward", "alert", NULL };

static bool
read_ms(const struct scn_node *map, const char *key, weir_ps *time_ps, struct err *err)
{
    const struct scn_node *n = scn_child(map, key);
    uint64_t ms;

    if (!n) {
        return true;
    }
    if (n->kind != SCN_WORD || !text_number(n->word, &ms) || !ms || ms > MAX_MS) {
        return scn_fail(n, err, "%s of %s: expected milliseconds from 1 to %d, as in \"200\"", key,
                        map->key, MAX_MS);
    }
    *time_ps = (weir_ps)ms * PS_PER_MS;
    return true;
}

/* Reads the action on a storm. SONiC drops packets by default. */
static bool
read_action(const struct scn_node *map, const char **action, struct err *err)
{
    const struct scn_node *n = scn_child(map, "action");

    *action = actions[0];
    for (size_t i = 0; n && n->kind == SCN_WORD && actions[i]; i++) {
        if (!strcmp(n->word, actions[i])) {
            *action = actions[i];
            return true;
        }
    }
    return !n || scn_fail(n, err, "action of %s: expected drop, forward or alert", map->key);
}

static bool
read_entry(const struct scn_node *map, struct plan_watchdog *w, struct err *err)
{
    if (map->kind != SCN_MAP) {
        return scn_fail(map, err, "%s: expected fields, as in {\"detection_time\": \"200\"}",
                        map->key);
    }
    if (!strcmp(map->key, "GLOBAL")) {
        return read_ms(map, "POLL_INTERVAL", &w->poll_ps, err);
    }
    if (!scn_child(map, "detection_time")) {
        return scn_fail_key(
            map, err, "%s has no detection_time; expected \"detection_time\": \"200\"", map->key);
    }
    snprintf(w->port, sizeof w->port, "%s", map->key);
    return read_action(map, &w->action, err) &&
           read_ms(map, "detection_time", &w->detection_ps, err) &&
           read_ms(map, "restoration_time", &w->restoration_ps, err);
}

static bool
is_port(const struct plan *p, const char *name)
{
    for (size_t i = 0; i < p->n_ports; i++) {
        if (!strcmp(p->ports[i].name, name)) {
            return true;
        }
    }
    return false;
}

static bool
is_alike(const struct plan_watchdog *a, const struct plan_watchdog *b)
{
    return a->action == b->action && a->detection_ps == b->detection_ps &&
           a->restoration_ps == b->restoration_ps;
}

static bool
take(struct plan *p, const struct scn_node *map, struct err *err)
{
    struct plan_watchdog w = { 0 }, *first = &p->watchdog;

    if (!read_entry(map, &w, err)) {
        return false;
    }
    if (w.poll_ps) {
        first->poll_ps = w.poll_ps;
    }
    if (w.action && !is_port(p, w.port)) {
        return scn_fail_key(map, err, "'%s': PORT has no such port", w.port);
    }
    if (w.action && first->action) {
        first->n_others += !is_alike(&w, first);
    } else if (w.action) {
        w.poll_ps = first->poll_ps;
        *first = w;
    }
    return true;
}

bool
plan_read_watchdog(struct plan *p, const struct scn_node *root, struct err *err)
{
    const struct scn_node *table = scn_child(root, "PFC_WD");

    if (table && table->kind != SCN_MAP) {
        return scn_fail(table, err,
                        "PFC_WD: expected a table, as in {\"Ethernet0\": {\"action\": \"drop\"}}");
    }
    for (size_t i = 0; table && i < table->n_children; i++) {
        if (!take(p, table->children[i], err)) {
            return false;
        }
    }
    return true;
}

void
plan_add_watchdog(struct weir_text *keys, const struct plan *p)
{
    const struct plan_watchdog *w = &p->watchdog;

    if (w->action) {
        weir_text_add(keys, ", watchdog: %s, watchdog_detection: %T", w->action, w->detection_ps);
    }
    if (w->action && w->restoration_ps) {
        weir_text_add(keys, ", watchdog_restoration: %T", w->restoration_ps);
    }
}

void
plan_explain_watchdog(FILE *out, const struct plan *p)
{
    const struct plan_watchdog *w = &p->watchdog;
    struct weir_text poll = { 0 };

    if (!w->action) {
        return;
    }
    fprintf(out, "# The watchdog is PFC_WD of %s", w->port);
    fprintf(out, w->n_others ? "; %u other ports have other settings.\n" : ".\n", w->n_others);
    if (w->poll_ps) {
        weir_text_add(&poll, "%T", w->poll_ps);
        fprintf(out, "# The switch looks at its queues every %s, so it may act that much later.\n",
                poll.s);
    }
}
