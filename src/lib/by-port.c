/* Parameters of an engine at the ports of a node: derived, checked and shown for each port. */

#include "by-port.h"

#include <string.h>

#include "format.h"

const char *const weir_no_yes[] = { "no", "yes", 0 };

typedef uint64_t params_buf[WEIR_PARAMS_MAX / sizeof(uint64_t)];

struct weir_shape
weir_shape_at(const struct weir_shape *shape, uint16_t port)
{
    struct weir_shape one = *shape;

    assert(port < shape->n_ports);
    one.is_for_port = true;
    one.port = port;
    return one;
}

void
weir_port_params(const struct weir_engine *engine, const struct weir_shape *shape, uint16_t port,
                 const void *params, void *of_port)
{
    struct weir_shape one = weir_shape_at(shape, port);

    memcpy(of_port, params, engine->about.params_bytes);
    if (engine->derive) {
        engine->derive(&one, of_port);
    }
}

uint64_t
weir_slowest_bps(const struct weir_shape *shape)
{
    uint64_t slowest = UINT64_MAX;

    for (uint16_t port = 0; port < shape->n_ports; port++) {
        uint64_t rate = shape->ports[port].rate_bps;
        slowest = rate < slowest ? rate : slowest;
    }
    return slowest;
}

/* These functions group ports with the same properties. */

static bool
same_links(const struct weir_port *a, const struct weir_port *b)
{
    return a->rate_bps == b->rate_bps && a->cable_ps == b->cable_ps &&
           a->response_ps == b->response_ps && a->peer_response_ps == b->peer_response_ps &&
           a->peer_tier == b->peer_tier && a->is_inner == b->is_inner;
}

static bool
same_room(const struct weir_buffer_class *a, const struct weir_buffer_class *b)
{
    return a->reserve_bytes == b->reserve_bytes && a->limit_bytes == b->limit_bytes &&
           a->alpha == b->alpha && a->headroom_bytes == b->headroom_bytes;
}

bool
weir_ports_are_alike(const struct weir_shape *shape, uint16_t a, uint16_t b)
{
    const struct weir_buffer_plan *plan = &shape->buffer;
    bool alike = same_links(&shape->ports[a], &shape->ports[b]);

    for (uint8_t cls = 0; alike && cls < shape->n_classes; cls++) {
        uint32_t slot_a = (uint32_t)a * shape->n_classes + cls;
        uint32_t slot_b = (uint32_t)b * shape->n_classes + cls;
        alike = (!plan->ports || same_room(&plan->ports[slot_a], &plan->ports[slot_b])) &&
                (!plan->outputs || plan->outputs[slot_a] == plan->outputs[slot_b]);
    }
    return alike;
}

/* The first port after 'port' that the engine serves and that differs from it; n_ports: none. */
static uint16_t
next_unlike(const struct weir_shape *shape, uint16_t port)
{
    uint16_t next = weir_port_from(shape, port + 1u);

    while (next < shape->n_ports && weir_ports_are_alike(shape, port, next)) {
        next = weir_port_from(shape, next + 1u);
    }
    return next;
}

/* These functions derive parameters. */

/* Whether any field is derived by port. */
static bool
is_left_to_ports(const struct weir_engine *engine, const void *params)
{
    bool is_left = false;

    for (const struct weir_field *f = engine->about.params; f && f->name; f++) {
        is_left |= f->by_port && weir_field_get(f, params) == WEIR_AUTO;
    }
    return is_left;
}

/* Adds the values of one port: a derived field of 'params' keeps its value if all ports so far
 * agree, and otherwise becomes WEIR_AUTO. */
static void
keep_common(const struct weir_engine *engine, const void *given, const void *of_port, bool is_first,
            void *params)
{
    for (const struct weir_field *f = engine->about.params; f && f->name; f++) {
        uint64_t here = weir_field_get(f, of_port);
        bool is_common = is_first || weir_field_get(f, params) == here;
        if (f->by_port && weir_field_get(f, given) == WEIR_AUTO) {
            weir_field_set(f, params, is_common ? here : WEIR_AUTO);
        }
    }
}

void
weir_ports_derive(const struct weir_engine *engine, const struct weir_shape *shape, void *params)
{
    params_buf given, base, of_port;

    memcpy(given, params, engine->about.params_bytes);
    if (engine->derive) {
        engine->derive(shape, params);
    }
    if (!is_left_to_ports(engine, given)) {
        return;
    }
    memcpy(base, params, engine->about.params_bytes);
    for (const struct weir_field *f = engine->about.params; f->name; f++) {
        if (f->by_port) {
            weir_field_set(f, base, weir_field_get(f, given));
        }
    }
    uint16_t first = weir_port_from(shape, 0);
    for (uint16_t port = first; port < shape->n_ports; port = next_unlike(shape, port)) {
        weir_port_params(engine, shape, port, base, of_port);
        keep_common(engine, given, of_port, port == first, params);
    }
}

/* These functions check parameters. */

static bool
ranges_hold(const struct weir_engine *engine, const void *params, const struct weir_shape *shape,
            struct weir_text *why)
{
    for (const struct weir_field *f = engine->about.params; f && f->name; f++) {
        uint64_t value = weir_field_get(f, params);
        if (f->derived && value == WEIR_AUTO) {
            weir_text_add(why,
                          "%P cannot be derived (%s): the buffer of a class at a port is only %B; "
                          "enlarge it, or set %s",
                          f->name, f->derived, weir_shape_room_bytes(shape), f->name);
            return false;
        }
        if (!weir_field_check(f, value, why)) {
            return false;
        }
    }
    return true;
}

/* Messages about ports.  A message is about the ports from 'first' to 'last' that equal 'first',
 * 'n_alike' of which the engine serves.  'n_ports' counts all ports that have the same message. */
struct line {
    const char *s, *param;
    uint16_t first, last;
    uint32_t n_alike, n_ports;
    uint32_t n_similar; /* Ports whose messages differ only in numbers. */
};

struct lines {
    char text[WEIR_TEXT_MAX];
    size_t len;
    struct line items[WEIR_TEXT_LINES];
    uint32_t n;
    bool are_refusals;
};

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Skips a number with its unit. */
static const char *
skip_number(const char *s)
{
    while (is_digit(*s) || *s == '.' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')) {
        s++;
    }
    return s;
}

/* Whether two lines are equal apart from numbers. */
static bool
are_similar(const char *a, const char *b)
{
    while (*a && (*a == *b || (is_digit(*a) && is_digit(*b)))) {
        bool is_number = is_digit(*a);
        a = is_number ? skip_number(a) : a + 1;
        b = is_number ? skip_number(b) : b + 1;
    }
    return *a == *b;
}

static void
keep_line(struct lines *all, const struct line *said)
{
    size_t len = 0;

    while (said->s[len]) {
        len++;
    }
    if (all->n < WEIR_TEXT_LINES && all->len + len < sizeof all->text) {
        memcpy(&all->text[all->len], said->s, len + 1);
        all->items[all->n] = *said;
        all->items[all->n++].s = &all->text[all->len];
        all->len += len + 1;
    }
}

static void
add_line(struct lines *all, const struct line *said)
{
    uint32_t i = 0;

    while (i < all->n && !are_similar(all->items[i].s, said->s)) {
        i++;
    }
    if (i == all->n) {
        keep_line(all, said);
    } else if (weir_text_same(all->items[i].s, said->s)) {
        all->items[i].n_ports += said->n_ports;
    } else {
        all->items[i].n_similar += said->n_ports;
    }
}

static void
add_lines(struct lines *all, struct weir_text *said, struct line ports)
{
    uint32_t i = 0;

    for (char *s = said->s, *next; *s; s = next, i++) {
        next = weir_cut_line(s);
        ports.s = s;
        ports.param = i < WEIR_TEXT_LINES ? said->params[i] : 0;
        add_line(all, &ports);
    }
}

/* Writes the ports of a message: "port 3 (100Gbps): ", "ports 0 to 7 (100Gbps) and 2 more: ". */
static void
name_ports(const struct weir_shape *shape, const struct line *line, struct weir_text *text)
{
    uint64_t n_more = line->n_ports - line->n_alike;

    if (line->n_alike == 1) {
        weir_text_add(text, "port %u", (uint64_t)line->first);
    } else {
        weir_text_add(text, "ports %u to %u", (uint64_t)line->first, (uint64_t)line->last);
    }
    weir_text_add(text, " (%R)", shape->ports[line->first].rate_bps);
    if (n_more) {
        weir_text_add(text, " and %u more", n_more);
    }
    weir_text_add(text, ": ");
}

static void
write_lines(const struct weir_shape *shape, const struct lines *all, uint32_t n_served,
            struct weir_text *text)
{
    for (uint32_t i = 0; i < all->n; i++) {
        const struct line *line = &all->items[i];
        weir_text_add(text, text->len ? "\n" : "");
        if (text->n_breaks < WEIR_TEXT_LINES) {
            text->params[text->n_breaks] = line->param;
        }
        if (line->n_ports < n_served) {
            name_ports(shape, line, text);
        }
        weir_text_add(text, "%s", line->s);
        if (line->n_similar) {
            weir_text_add(text, " (similar at %u more port%s)", (uint64_t)line->n_similar,
                          line->n_similar > 1 ? "s" : "");
        }
    }
}

/* Groups the ports from 'first' on that have the same properties. */
static struct line
ports_like(const struct weir_shape *shape, uint16_t first)
{
    struct line ports = { .first = first, .last = first };
    uint16_t end = next_unlike(shape, first);

    for (uint16_t port = first; port < end; port = weir_port_from(shape, port + 1u)) {
        ports.last = port;
        ports.n_ports = ++ports.n_alike;
    }
    return ports;
}

bool
weir_ports_check(const struct weir_engine *engine, const struct weir_shape *shape,
                 const void *params, struct weir_needs *needs, struct weir_text *text)
{
    struct lines all = { .n = 0 };
    uint32_t n_served = 0;

    for (uint16_t port = weir_port_from(shape, 0); port < shape->n_ports;
         port = next_unlike(shape, port)) {
        struct weir_shape one = weir_shape_at(shape, port);
        params_buf of_port;
        struct weir_text said = { 0 };
        struct line ports = ports_like(shape, port);

        weir_port_params(engine, shape, port, params, of_port);
        bool fits =
            ranges_hold(engine, of_port, &one, &said) && engine->check(&one, of_port, needs, &said);
        if (!fits && !all.are_refusals) {
            all = (struct lines){ .are_refusals = true };
        }
        if (fits != all.are_refusals) {
            add_lines(&all, &said, ports);
        }
        n_served += ports.n_ports;
    }
    write_lines(shape, &all, n_served, text);
    return !all.are_refusals;
}

/* Whether a value is at least half of the room of any port of the node. */
static bool
fits_some_port(const struct weir_shape *shape, uint64_t value)
{
    bool fits = false;

    for (uint16_t port = 0; port < shape->n_ports && !fits; port++) {
        fits = value >= weir_shape_room_at(shape, port) / 2;
    }
    return fits;
}

void
weir_warn_of_unused(const struct weir_shape *shape, const char *param, uint64_t value,
                    uint64_t used_bytes, struct weir_text *text)
{
    uint64_t room = weir_shape_room_bytes(shape);
    bool is_switch = shape->tier && weir_n_lossless(shape);

    if (is_switch && used_bytes < room / 2 && fits_some_port(shape, value)) {
        weir_text_add(text,
                      "%s%P is %B, so a queue never grows past %B, and the rest of the %B that a "
                      "class has at a port can never be used: set %s higher, or leave it out",
                      text->len ? "\n" : "", param, value, used_bytes, room, param);
    }
}

/* Values of a parameter over all ports, as text for users. */

struct weir_param_range
weir_param_range(const struct weir_engine *engine, const struct weir_shape *shape,
                 const struct weir_field *f, const void *params)
{
    params_buf of_port;
    uint64_t set = weir_field_get(f, params);
    struct weir_param_range range = { .least = UINT64_MAX };

    if (set != WEIR_AUTO) {
        return (struct weir_param_range){ set, set };
    }
    WEIR_EACH_PORT (shape, port) {
        weir_port_params(engine, shape, port, params, of_port);
        uint64_t here = weir_field_get(f, of_port);
        range.least = here < range.least ? here : range.least;
        range.most = here > range.most ? here : range.most;
    }
    return range;
}

void
weir_param_text(struct weir_text *text, const struct weir_engine *engine,
                const struct weir_shape *shape, const struct weir_field *f, const void *params)
{
    struct weir_param_range range = weir_param_range(engine, shape, f, params);

    weir_text_add(text, "%F", f, range.least);
    if (range.least != range.most) {
        weir_text_add(text, " to %F", f, range.most);
    }
}
