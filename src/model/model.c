/* Settles a model: computes the shape of every node, and resolves its engines for that shape.
 *
 * Both are computed once for all nodes with the same role, tier and links. */

#include "model/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void *
model_own(struct model *p, void *memory)
{
    ARRAY_PUSH(p->owned, p->n_owned, p->max_owned) = memory;
    return memory;
}

void
model_free(struct model *p)
{
    for (uint32_t i = 0; i < p->n_jobs; i++) {
        if (p->jobs[i].free_what) {
            p->jobs[i].free_what(p->jobs[i].what);
        }
    }
    for (size_t i = 0; i < p->n_owned; i++) {
        free(p->owned[i]);
    }
    free(p->owned);
    free(p->warnings);
    free(p->nodes);
    free(p->engines);
    *p = (struct model){ 0 };
}

static bool
is_warned_of(const struct model *p, const char *line, size_t len)
{
    bool is_known = false;

    for (size_t i = 0; i < p->n_warnings && !is_known; i++) {
        const char *known = p->warnings[i].text;
        is_known = strlen(known) == len && !memcmp(known, line, len);
    }
    return is_known;
}

void
model_warn(struct model *p, uint32_t node, const struct weir_text *said)
{
    const char *line = said->s;

    for (uint32_t i = 0; *line; i++) {
        size_t len = strcspn(line, "\n");
        if (!is_warned_of(p, line, len)) {
            ARRAY_PUSH(p->warnings, p->n_warnings, p->max_warnings) = (struct model_warning){
                .node = node,
                .text = model_own(p, strndup(line, len)),
                .field = i < WEIR_TEXT_LINES ? said->fields[i] : NULL,
            };
        }
        line += len + (line[len] == '\n');
    }
}

void
model_warn_of_link(struct model *p, uint32_t node, const struct weir_text *said)
{
    size_t n_before = p->n_warnings;

    model_warn(p, node, said);
    for (size_t i = n_before; i < p->n_warnings; i++) {
        p->warnings[i].is_of_link = true;
    }
}

const struct model_role *
model_role_at(const struct model *p, uint32_t node)
{
    return &p->roles[p->nodes[node].role];
}

/* The response time of a port.  If the role sets a value, it applies: a lab sets it to 0, although
 * thresholds were derived for another value. */
weir_ps
model_response_ps(const struct model *p, uint32_t node, uint32_t port)
{
    weir_ps of_role = model_role_at(p, node)->response_ps;

    return of_role == MODEL_BY_RATE ? model_shape_like(p, node)->ports[port].response_ps : of_role;
}

const struct weir_stack *
model_stack_at(const struct model *p, uint32_t node)
{
    return &p->engines[p->nodes[node].engines].stack;
}

const struct weir_shape *
model_shape_like(const struct model *p, uint32_t node)
{
    return &p->engines[p->nodes[node].engines].shape;
}

struct weir_shape
model_shape_of(const struct model *p, uint32_t node)
{
    struct weir_shape shape = *model_shape_like(p, node);

    shape.node_id = node;
    shape.n_flows = p->nodes[node].n_flows;
    return shape;
}

struct weir_buffer_class
model_nic_buffer(const struct weir_buffer_class *of_switches, uint32_t mtu_bytes)
{
    struct weir_buffer_class buffer = *of_switches;

    buffer.partition_bytes = 0;
    buffer.reserve_bytes = buffer.reserve_bytes < mtu_bytes ? mtu_bytes : buffer.reserve_bytes;
    return buffer;
}

static uint8_t
tier_of(const struct model *p, uint32_t node)
{
    uint32_t tier = p->topo->nodes[node].tier;
    return (uint8_t)(tier < UINT8_MAX ? tier : UINT8_MAX);
}

/* The response time before shapes exist; later model_response_ps() is used. */
static weir_ps
response_at(const struct model *p, uint32_t node, uint64_t rate_bps)
{
    weir_ps of_role = p->roles[p->role_of[node]].response_ps;

    return of_role == MODEL_BY_RATE ? weir_pfc_response_ps(rate_bps) : of_role;
}

static struct weir_port
port_of(const struct model *p, const struct topo_port *port)
{
    const struct topo_link *link = &p->topo->links[port->link];
    uint32_t peer = p->topo->ports[port->peer].node;

    return (struct weir_port){ .rate_bps = link->rate_bps,
                               .cable_ps = link->delay_ps,
                               .response_ps = response_at(p, port->node, link->rate_bps),
                               .peer_response_ps = response_at(p, peer, link->rate_bps),
                               .peer_tier = tier_of(p, peer),
                               .is_inner = link->is_inner };
}

const struct weir_port *
model_port_at(const struct model *p, uint32_t port)
{
    const struct topo_port *at = &p->topo->ports[port];

    return &model_shape_like(p, at->node)->ports[at->number];
}

/* The buffer of one class of a port of a role, at such a link, and the maximum size of its output
 * queue. */
static struct weir_buffer_class
buffer_at(const struct model_role *role, const struct weir_port *port, uint64_t *output_bytes)
{
    struct weir_buffer_class buffer = role->buffer;

    *output_bytes = 0;
    for (uint32_t i = 0; i < role->n_speeds && role->speeds[i].from_bps <= port->rate_bps; i++) {
        buffer = role->speeds[i].buffer;
    }
    buffer.partition_bytes = role->buffer.partition_bytes;
    if (role->kind->port_buffer) {
        role->kind->port_buffer(role->kind_params, port, &buffer, output_bytes);
    }
    return buffer;
}

/* Sets the buffer of a shape, whose size is the sum of its parts. */
static void
set_buffer(struct model *p, const struct model_role *role, struct weir_shape *shape)
{
    bool is_by_kind = role->kind->port_buffer && weir_has_inner_port(shape);
    size_t n_slots = weir_n_slots(shape);
    struct weir_buffer_class *own = NULL;
    uint64_t *outputs = NULL, of_ports = 0, output_bytes;

    if (role->n_speeds || is_by_kind) {
        shape->buffer.ports = own = model_own(p, array_new(n_slots, sizeof *own));
    }
    if (is_by_kind) {
        shape->buffer.outputs = outputs = model_own(p, array_new(n_slots, sizeof *outputs));
    }
    for (uint32_t i = 0; i < n_slots; i++) {
        struct weir_buffer_class c =
            buffer_at(role, &shape->ports[i / p->n_classes], &output_bytes);
        of_ports += i % p->n_classes ? 0 : c.reserve_bytes + c.headroom_bytes;
        if (own) {
            own[i] = c;
        }
        if (outputs) {
            outputs[i] = output_bytes;
        }
    }
    for (uint8_t cls = 0; cls < p->n_classes; cls++) {
        shape->buffer.classes[cls] = role->buffer;
    }
    shape->buffer.size_bytes =
        (of_ports + role->buffer.partition_bytes) * p->n_classes + role->shared_bytes;
}

/* Makes the shape of a node with these ports, which is the first node with its properties. */
static struct weir_shape
new_shape(struct model *p, uint32_t id, const struct weir_port *ports)
{
    const struct topo_node *node = &p->topo->nodes[id];
    const struct model_role *role = &p->roles[p->role_of[id]];
    struct weir_port *own = model_own(p, array_new(node->n_ports, sizeof *own));
    struct weir_shape shape = { .ports = own,
                                .n_ports = (uint16_t)node->n_ports,
                                .n_classes = p->n_classes,
                                .lossless = p->lossless,
                                .mtu_bytes = p->mtu_bytes,
                                .gap_bytes = p->gap_bytes,
                                .seed = p->seed,
                                .node_id = id,
                                .tier = tier_of(p, id),
                                .n_flows = p->nodes[id].n_flows };

    memcpy(own, ports, node->n_ports * sizeof *own);
    set_buffer(p, role, &shape);
    if (role->kind->shape) {
        role->kind->shape(role->kind_params, &shape);
    }
    WEIR_EACH_PORT (&shape, port) {
        weir_ps response = ports[port].response_ps;
        p->response_ps = response > p->response_ps ? response : p->response_ps;
    }
    return shape;
}

/* Nodes with equal properties share a shape and engines, and are found by a hash of these
 * properties.  The number of flows that a NIC sends matters only to engines that limit flows. */

static uint32_t
flows_that_matter(const struct model *p, uint32_t id)
{
    const struct model_node *node = &p->nodes[id];
    bool matter = weir_stack_limits(&p->roles[node->role].stack) & WEIR_LIMIT_FLOW;

    return matter ? node->n_flows : 0;
}

static uint64_t
hash_node(const struct model *p, uint32_t id, const struct weir_port *ports)
{
    uint64_t hash = 0xcbf29ce484222325 ^ p->nodes[id].role;

    hash = (hash ^ tier_of(p, id)) * 0x100000001b3;
    hash = (hash ^ flows_that_matter(p, id)) * 0x100000001b3;
    for (uint32_t i = 0; i < p->topo->nodes[id].n_ports; i++) {
        hash = (hash ^ ports[i].rate_bps) * 0x100000001b3;
        hash = (hash ^ (uint64_t)ports[i].cable_ps) * 0x100000001b3;
        hash = (hash ^ (uint64_t)ports[i].peer_response_ps) * 0x100000001b3;
        hash = (hash ^ ports[i].peer_tier) * 0x100000001b3;
        hash = (hash ^ ports[i].is_inner) * 0x100000001b3;
    }
    return hash;
}

static bool
are_alike(const struct model *p, const struct model_engines *e, uint32_t id,
          const struct weir_port *ports)
{
    const struct weir_shape *s = &e->shape;
    bool alike = p->nodes[e->first_node].role == p->nodes[id].role && s->tier == tier_of(p, id) &&
                 s->n_ports == p->topo->nodes[id].n_ports &&
                 flows_that_matter(p, e->first_node) == flows_that_matter(p, id);

    for (uint32_t i = 0; alike && i < s->n_ports; i++) {
        alike = s->ports[i].rate_bps == ports[i].rate_bps &&
                s->ports[i].cable_ps == ports[i].cable_ps &&
                s->ports[i].peer_response_ps == ports[i].peer_response_ps &&
                s->ports[i].peer_tier == ports[i].peer_tier &&
                s->ports[i].is_inner == ports[i].is_inner;
    }
    return alike;
}

static uint32_t
most_ports(const struct topo *t)
{
    uint32_t most = 0;

    for (uint32_t id = 0; id < t->n_nodes; id++) {
        most = t->nodes[id].n_ports > most ? t->nodes[id].n_ports : most;
    }
    return most;
}

/* The entry of a node's engines in the hash table, or the free entry for them. */
static uint32_t *
find_place(const struct model *p, uint32_t *places, size_t n_places, uint32_t id,
           const struct weir_port *ports)
{
    size_t at = hash_node(p, id, ports) & (n_places - 1);

    while (places[at] && !are_alike(p, &p->engines[places[at] - 1], id, ports)) {
        at = (at + 1) & (n_places - 1);
    }
    return &places[at];
}

static void
find_alike(struct model *p)
{
    const struct topo *t = p->topo;
    size_t n_places = 16;

    while (n_places < 2 * t->n_nodes) {
        n_places *= 2;
    }
    uint32_t *places = array_new(n_places, sizeof *places); /* A hash table of indices of engines
                                                             * plus 1; 0: a free entry. */
    struct weir_port *ports = array_new(most_ports(t), sizeof *ports);
    for (uint32_t id = 0; id < t->n_nodes; id++) {
        for (uint32_t i = 0; i < t->nodes[id].n_ports; i++) {
            ports[i] = port_of(p, &t->ports[t->nodes[id].first_port + i]);
        }
        uint32_t *place = find_place(p, places, n_places, id, ports);
        if (!*place) {
            struct weir_shape shape = new_shape(p, id, ports);
            ARRAY_PUSH(p->engines, p->n_engines, p->max_engines) =
                (struct model_engines){ .shape = shape, .first_node = id };
            *place = (uint32_t)p->n_engines;
        }
        p->nodes[id].engines = *place - 1;
    }
    free(ports);
    free(places);
}

static bool
resolve(struct model *p, struct model_engines *e, struct weir_text *said)
{
    e->stack = p->roles[p->nodes[e->first_node].role].stack;
    *said = (struct weir_text){ 0 };
    if (!weir_stack_resolve(&e->stack, &e->shape, &e->needs, said)) {
        return false;
    }
    if (said->len) {
        model_warn(p, e->first_node, said);
    }
    return true;
}

static bool
resolve_all(struct model *p, uint32_t *node, struct weir_text *said)
{
    bool good = true;

    for (size_t i = 0; good && i < p->n_engines; i++) {
        *node = p->engines[i].first_node;
        good = resolve(p, &p->engines[i], said);
    }
    return good;
}

/* Sets the weights of classes; if all are 0, classes share equally. */
static void
set_weights(const struct model *p, struct model_role *role)
{
    uint64_t sum = 0;

    for (uint32_t cls = 0; cls < p->n_classes; cls++) {
        sum += role->weights[cls];
    }
    for (uint32_t cls = 0; !sum && cls < p->n_classes; cls++) {
        role->weights[cls] = 1;
    }
}

static bool
do_inner_links_fail(const struct model *p)
{
    bool fail = false;

    for (size_t i = 0; i < p->topo->n_links; i++) {
        fail |= p->topo->links[i].is_inner && p->topo->links[i].loss;
    }
    for (uint32_t i = 0; i < p->n_link_events; i++) {
        fail |= p->topo->links[p->link_events[i].link].is_inner;
    }
    return fail;
}

/* Whether a kind of switch fits the other properties of its nodes, with the buffer of their
 * ports. */
static bool
kind_fits(const struct model *p, const struct model_role *role,
          const struct weir_buffer_class *buffer, const struct weir_shape *shape,
          struct weir_text *said)
{
    const struct sim_making making = { .arbitration = role->arbitration,
                                       .buffer = buffer,
                                       .shared_bytes = role->shared_bytes,
                                       .mtu_bytes = p->mtu_bytes,
                                       .n_ports = shape ? shape->n_ports : 0,
                                       .ports = shape ? shape->ports : NULL,
                                       .n_leaves = p->topo->n_leaves,
                                       .inner_links_fail = p->inner_links_fail,
                                       .n_classes = p->n_classes,
                                       .until_ps = p->until_ps };

    *said = (struct weir_text){ 0 };
    return !role->kind->check || role->kind->check(role->kind_params, &making, said);
}

uint32_t
model_odd_speed(const struct model *p, const struct model_role *role, struct weir_text *said)
{
    uint32_t odd = kind_fits(p, role, &role->buffer, NULL, said) ? 0 : role->n_speeds;

    while (odd < role->n_speeds && kind_fits(p, role, &role->speeds[odd].buffer, NULL, said)) {
        odd++;
    }
    return odd;
}

/* Whether the kind fits the ports of the node; if it fits, the kind may still warn. */
static bool
kind_fits_at(struct model *p, const struct model_engines *e, struct weir_text *said)
{
    const struct model_role *role = model_role_at(p, e->first_node);
    bool fits = kind_fits(p, role, &role->buffer, &e->shape, said);

    said->fields[0] = weir_field_find(role->kind->about.params, said->params[0]);
    if (fits && said->len) {
        model_warn(p, e->first_node, said);
    }
    return fits;
}

static bool
kinds_fit(struct model *p, uint32_t *node, struct weir_text *said)
{
    for (size_t i = 0; i < p->n_engines; i++) {
        const struct model_role *role = model_role_at(p, p->engines[i].first_node);
        if (!kind_fits_at(p, &p->engines[i], said) ||
            model_odd_speed(p, role, said) < role->n_speeds) {
            said->fields[0] = weir_field_find(role->kind->about.params, said->params[0]);
            *node = p->engines[i].first_node;
            return false;
        }
    }
    return true;
}

static bool
links_fit(struct model *p, uint32_t *node, struct weir_text *said)
{
    p->links_clash = !model_ends_agree(p, node, said) || !model_peers_fit(p, node, said);
    return !p->links_clash;
}

bool
model_settle(struct model *p, uint32_t *node, struct weir_text *said)
{
    p->nodes = array_new(p->topo->n_nodes, sizeof *p->nodes);
    for (uint32_t i = 0; i < p->n_roles; i++) {
        set_weights(p, &p->roles[i]);
    }
    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        p->nodes[id].role = p->role_of[id];
    }
    for (uint32_t i = 0; i < p->n_flows; i++) {
        p->nodes[p->flows[i].from].n_flows++;
    }
    find_alike(p);
    p->inner_links_fail = do_inner_links_fail(p);
    return kinds_fit(p, node, said) && resolve_all(p, node, said) && links_fit(p, node, said);
}
