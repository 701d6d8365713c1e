/* Finds ports of a run by name. */

#include "report/chosen-ports.h"

#include <string.h>

#include "base/port-list.h"
#include "base/text.h"

struct choosing {
    const struct rep_run *run;
    bool *is_chosen;
};

static bool
is_called(const struct rep_run *r, uint32_t node, const char *name)
{
    const struct rec_node *row = rep_run_at(r, REC_NODE, node);

    return row && !strcmp(row->name, name);
}

static bool
refuse_port(const struct rep_run *r, struct port_name name, struct err *err)
{
    const struct rec_node *first = rep_run_at(r, REC_NODE, 0);
    bool has_node = false, has_peer = !name.peer;
    char offer[200] = "";

    for (uint32_t i = 0; i < r->tables[REC_NODE].n; i++) {
        has_node |= is_called(r, i, name.node);
        has_peer |= name.peer && is_called(r, i, name.peer);
    }
    if (has_node && has_peer) {
        return err_set(err, "--ports: no link from %s to %s", name.node, name.peer);
    }
    const char *unknown = has_node ? name.peer : name.node;
    if (first) {
        text_offer(unknown, &first->name, sizeof *first, r->tables[REC_NODE].n, offer,
                   sizeof offer);
    }
    return err_set(err, "--ports: no node '%s'%s", unknown, offer);
}

static bool
choose_port(void *arg, struct port_name name, struct err *err)
{
    struct choosing *c = arg;
    const struct rep_run *r = c->run;
    bool is_found = false;

    for (size_t i = 0; i < r->tables[REC_PORT].n; i++) {
        const struct rec_port *p = rep_run_at(r, REC_PORT, i);
        const struct rec_port *peer = rep_run_at(r, REC_PORT, p->peer);
        if (is_called(r, p->node, name.node) &&
            (!name.peer || is_called(r, (peer ? peer : p)->node, name.peer))) {
            c->is_chosen[i] = is_found = true;
        }
    }
    return is_found || refuse_port(r, name, err);
}

bool
rep_choose_ports(const struct rep_run *r, const char *ports, bool *is_chosen, struct err *err)
{
    struct choosing c = { r, is_chosen };

    return port_list_each(ports, choose_port, &c, err);
}
