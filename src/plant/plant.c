/* Settling a plant: the shape of every node, and its engines resolved for it.
 *
 * Engines are resolved once for all nodes that are built alike: the same role, tier and links. */

#include "plant/plant.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void *
plant_own(struct plant *p, void *memory)
{
    ARRAY_PUSH(p->owned, p->n_owned, p->max_owned) = memory;
    return memory;
}

void
plant_free(struct plant *p)
{
    for (size_t i = 0; i < p->n_owned; i++) {
        free(p->owned[i]);
    }
    free(p->owned);
    free(p->warnings);
    free(p->nodes);
    free(p->ports);
    free(p->classes);
    free(p->outputs);
    free(p->engines);
    *p = (struct plant){ 0 };
}

static bool
is_warned_of(const struct plant *p, const char *line, size_t len)
{
    bool is_known = false;

    for (size_t i = 0; i < p->n_warnings && !is_known; i++) {
        const char *known = p->warnings[i].text;
        is_known = strlen(known) == len && !memcmp(known, line, len);
    }
    return is_known;
}

void
plant_warn(struct plant *p, uint32_t node, const struct weir_text *said)
{
    const char *line = said->s;

    for (uint32_t i = 0; *line; i++) {
        size_t len = strcspn(line, "\n");
        if (!is_warned_of(p, line, len)) {
            ARRAY_PUSH(p->warnings, p->n_warnings, p->max_warnings) = (struct plant_warning){
                .node = node,
                .text = plant_own(p, strndup(line, len)),
                .field = i < WEIR_TEXT_LINES ? said->fields[i] : NULL,
            };
        }
        line += len + (line[len] == '\n');
    }
}

const struct plant_role *
plant_role_at(const struct plant *p, uint32_t node)
{
    return &p->roles[p->nodes[node].role];
}

const struct weir_stack *
plant_stack_at(const struct plant *p, uint32_t node)
{
    return &p->engines[p->nodes[node].engines].stack;
}

struct weir_buffer_class
plant_nic_buffer(const struct weir_buffer_class *of_switches, uint32_t mtu_bytes)
{
    struct weir_buffer_class buffer = *of_switches;

    buffer.partition_bytes = 0;
    buffer.reserve_bytes = buffer.reserve_bytes < mtu_bytes ? mtu_bytes : buffer.reserve_bytes;
    return buffer;
}

static uint8_t
tier_of(const struct plant *p, uint32_t node)
{
    uint32_t tier = p->topo->nodes[node].tier;
    return (uint8_t)(tier < UINT8_MAX ? tier : UINT8_MAX);
}

static void
set_ports(struct plant *p)
{
    p->ports = array_new(p->topo->n_ports, sizeof *p->ports);
    for (uint32_t i = 0; i < p->topo->n_ports; i++) {
        const struct topo_port *port = &p->topo->ports[i];
        const struct topo_link *link = &p->topo->links[port->link];
        uint32_t peer = p->topo->ports[port->peer].node;
        p->ports[i] =
            (struct weir_port){ .rate_bps = link->rate_bps,
                                .cable_ps = link->delay_ps,
                                .peer_response_ps = p->roles[p->role_of[peer]].response_ps,
                                .peer_tier = tier_of(p, peer),
                                .is_inner = link->is_inner };
    }
}

/* What a (port, class) of a role is given at such a link, and what its output holds at most. */
static struct weir_buffer_class
buffer_at(const struct plant_role *role, const struct weir_port *port, uint64_t *output_bytes)
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

/* The memory is as large as its parts. */
static void
set_buffer(struct plant *p, const struct plant_role *role, uint32_t first_port,
           struct weir_shape *shape)
{
    struct weir_buffer_class *own = p->classes ? &p->classes[first_port * p->n_classes] : NULL;
    uint64_t *outputs = p->outputs ? &p->outputs[first_port * p->n_classes] : NULL;
    uint64_t of_ports = 0, output_bytes;

    for (uint32_t i = 0; i < shape->n_ports; i++) {
        struct weir_buffer_class c = buffer_at(role, &shape->ports[i], &output_bytes);
        of_ports += c.reserve_bytes + c.headroom_bytes;
        for (uint8_t cls = 0; own && cls < p->n_classes; cls++) {
            own[i * p->n_classes + cls] = c;
            outputs[i * p->n_classes + cls] = output_bytes;
        }
    }
    bool is_by_kind = role->kind->port_buffer && weir_has_inner_port(shape);
    shape->buffer.ports = role->n_speeds || is_by_kind ? own : NULL;
    shape->buffer.outputs = is_by_kind ? outputs : NULL;
    for (uint8_t cls = 0; cls < p->n_classes; cls++) {
        shape->buffer.classes[cls] = role->buffer;
    }
    shape->buffer.size_bytes =
        (of_ports + role->buffer.partition_bytes) * p->n_classes + role->shared_bytes;
}

static void
set_shape(struct plant *p, uint32_t id)
{
    const struct topo_node *node = &p->topo->nodes[id];
    const struct plant_role *role = &p->roles[p->role_of[id]];
    struct weir_shape *shape = &p->nodes[id].shape;

    p->nodes[id].role = p->role_of[id];
    *shape = (struct weir_shape){ .ports = &p->ports[node->first_port],
                                  .n_ports = (uint16_t)node->n_ports,
                                  .n_classes = p->n_classes,
                                  .lossless = p->lossless,
                                  .mtu_bytes = p->mtu_bytes,
                                  .gap_bytes = p->gap_bytes,
                                  .response_ps = role->response_ps,
                                  .seed = p->seed,
                                  .node_id = id,
                                  .tier = tier_of(p, id),
                                  .n_flows = shape->n_flows };
    set_buffer(p, role, node->first_port, shape);
    if (role->kind->shape) {
        role->kind->shape(role->kind_params, shape);
    }
    p->response_ps = role->response_ps > p->response_ps ? role->response_ps : p->response_ps;
}

/* Nodes that are built alike have the same engines: they are found by a hash of how they are.  How
 * many flows a NIC sends matters only to engines that hold flows back. */

static uint32_t
flows_that_matter(const struct plant *p, uint32_t id)
{
    const struct plant_node *node = &p->nodes[id];
    bool matter = weir_stack_limits(&p->roles[node->role].stack) & WEIR_LIMIT_FLOW;

    return matter ? node->shape.n_flows : 0;
}

static uint64_t
hash_node(const struct plant *p, uint32_t id)
{
    const struct weir_shape *s = &p->nodes[id].shape;
    uint64_t hash = 0xcbf29ce484222325 ^ p->nodes[id].role;

    hash = (hash ^ s->tier) * 0x100000001b3;
    hash = (hash ^ flows_that_matter(p, id)) * 0x100000001b3;
    for (uint32_t i = 0; i < s->n_ports; i++) {
        hash = (hash ^ s->ports[i].rate_bps) * 0x100000001b3;
        hash = (hash ^ (uint64_t)s->ports[i].cable_ps) * 0x100000001b3;
        hash = (hash ^ (uint64_t)s->ports[i].peer_response_ps) * 0x100000001b3;
        hash = (hash ^ s->ports[i].peer_tier) * 0x100000001b3;
        hash = (hash ^ s->ports[i].is_inner) * 0x100000001b3;
    }
    return hash;
}

static bool
are_alike(const struct plant *p, uint32_t a, uint32_t b)
{
    const struct weir_shape *x = &p->nodes[a].shape, *y = &p->nodes[b].shape;
    bool alike = p->nodes[a].role == p->nodes[b].role && x->tier == y->tier &&
                 x->n_ports == y->n_ports && flows_that_matter(p, a) == flows_that_matter(p, b);

    for (uint32_t i = 0; alike && i < x->n_ports; i++) {
        alike = x->ports[i].rate_bps == y->ports[i].rate_bps &&
                x->ports[i].cable_ps == y->ports[i].cable_ps &&
                x->ports[i].peer_response_ps == y->ports[i].peer_response_ps &&
                x->ports[i].peer_tier == y->ports[i].peer_tier &&
                x->ports[i].is_inner == y->ports[i].is_inner;
    }
    return alike;
}

static bool
resolve_first(struct plant *p, uint32_t id, struct weir_text *said)
{
    struct plant_engines *e = &ARRAY_PUSH(p->engines, p->n_engines, p->max_engines);

    *e = (struct plant_engines){ .stack = p->roles[p->nodes[id].role].stack, .first_node = id };
    *said = (struct weir_text){ 0 };
    if (!weir_stack_resolve(&e->stack, &p->nodes[id].shape, &e->needs, said)) {
        return false;
    }
    if (said->len) {
        plant_warn(p, id, said);
    }
    return true;
}

static bool
resolve(struct plant *p, uint32_t *node, struct weir_text *said)
{
    size_t n_places = 16;
    bool good = true;

    while (n_places < 2 * (size_t)p->topo->n_nodes) {
        n_places *= 2;
    }
    uint32_t *places = array_new(n_places, sizeof *places); /* 1 + engines; 0: none. */
    for (uint32_t id = 0; good && id < p->topo->n_nodes; id++) {
        size_t at = hash_node(p, id) & (n_places - 1);
        while (places[at] && !are_alike(p, p->engines[places[at] - 1].first_node, id)) {
            at = (at + 1) & (n_places - 1);
        }
        if (!places[at]) {
            good = resolve_first(p, id, said);
            places[at] = (uint32_t)p->n_engines;
            *node = id;
        }
        p->nodes[id].engines = places[at] - 1;
    }
    free(places);
    return good;
}

/* Classes without any weight share evenly. */
static void
set_weights(const struct plant *p, struct plant_role *role)
{
    uint64_t sum = 0;

    for (uint32_t cls = 0; cls < p->n_classes; cls++) {
        sum += role->weights[cls];
    }
    for (uint32_t cls = 0; !sum && cls < p->n_classes; cls++) {
        role->weights[cls] = 1;
    }
}

/* By their speed, or by where in a fabric they are. */
static bool
ports_differ(const struct plant *p)
{
    bool differ = false;

    for (uint32_t i = 0; i < p->n_roles; i++) {
        differ |= p->roles[i].n_speeds > 0 || p->roles[i].kind->port_buffer;
    }
    return differ;
}

static bool
do_inner_links_fail(const struct plant *p)
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

/* Whether a kind fits what else its nodes are made of, with what their ports are given. */
static bool
kind_fits(const struct plant *p, const struct plant_role *role,
          const struct weir_buffer_class *buffer, const struct topo_node *node,
          struct weir_text *said)
{
    const struct sim_making making = { .arbitration = role->arbitration,
                                       .buffer = buffer,
                                       .shared_bytes = role->shared_bytes,
                                       .mtu_bytes = p->mtu_bytes,
                                       .n_ports = node ? node->n_ports : 0,
                                       .ports = node ? &p->ports[node->first_port] : NULL,
                                       .n_leaves = p->topo->n_leaves,
                                       .inner_links_fail = p->inner_links_fail,
                                       .n_classes = p->n_classes,
                                       .until_ps = p->until_ps };

    *said = (struct weir_text){ 0 };
    return !role->kind->check || role->kind->check(role->kind_params, &making, said);
}

uint32_t
plant_odd_speed(const struct plant *p, const struct plant_role *role, struct weir_text *said)
{
    uint32_t odd = kind_fits(p, role, &role->buffer, NULL, said) ? 0 : role->n_speeds;

    while (odd < role->n_speeds && kind_fits(p, role, &role->speeds[odd].buffer, NULL, said)) {
        odd++;
    }
    return odd;
}

/* A kind that fits may have said something all the same: a warning. */
static bool
kind_fits_at(struct plant *p, uint32_t id, struct weir_text *said)
{
    const struct plant_role *role = &p->roles[p->role_of[id]];
    bool fits = kind_fits(p, role, &role->buffer, &p->topo->nodes[id], said);

    said->fields[0] = weir_field_find(role->kind->about.params, said->params[0]);
    if (fits && said->len) {
        plant_warn(p, id, said);
    }
    return fits;
}

static bool
kinds_fit(struct plant *p, uint32_t *node, struct weir_text *said)
{
    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        const struct plant_role *role = &p->roles[p->role_of[id]];
        if (!kind_fits_at(p, id, said) || plant_odd_speed(p, role, said) < role->n_speeds) {
            said->fields[0] = weir_field_find(role->kind->about.params, said->params[0]);
            *node = id;
            return false;
        }
    }
    return true;
}

bool
plant_settle(struct plant *p, uint32_t *node, struct weir_text *said)
{
    if (ports_differ(p)) {
        p->classes = array_new(p->topo->n_ports * p->n_classes, sizeof *p->classes);
        p->outputs = array_new(p->topo->n_ports * p->n_classes, sizeof *p->outputs);
    }
    p->nodes = array_new(p->topo->n_nodes, sizeof *p->nodes);
    set_ports(p);
    for (uint32_t i = 0; i < p->n_roles; i++) {
        set_weights(p, &p->roles[i]);
    }
    for (uint32_t i = 0; i < p->n_flows; i++) {
        p->nodes[p->flows[i].from].shape.n_flows++;
    }
    for (uint32_t id = 0; id < p->topo->n_nodes; id++) {
        set_shape(p, id);
    }
    p->inner_links_fail = do_inner_links_fail(p);
    return kinds_fit(p, node, said) && resolve(p, node, said) && plant_ends_agree(p, node, said);
}
