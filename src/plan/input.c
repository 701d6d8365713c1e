/* The input of a plan, as a table of fields. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/plan.h"

#define PS_PER_MM 5 /* 500 ns for 100 m: TTL 2.1. */

static const char *const dynamic_ths[] = { "-8", "-7", "-6", "-5", "-4", "-3", "-2", "-1", "0",
                                           "1",  "2",  "3",  "4",  "5",  "6",  "7",  0 };
enum { DYNAMIC_TH_0 = 8 };

#define MAX_RATE     (100 * (uint64_t)WEIR_PS_PER_S)
#define MAX_CABLE_MM UINT64_C(1000000000) /* 1000 km. */

#define INPUT(MEMBER, NAME, KIND, ...)                                                             \
    WEIR_FIELD(struct plan_input, MEMBER, NAME, KIND, __VA_ARGS__)

const struct weir_field plan_fields[] = {
    INPUT(rate_bps, "rate", WEIR_RATE, .fallback = 100000000000, .min = 1000000, .max = MAX_RATE,
          .help = "Rate of every link; several rates, as in 25Gbps,100Gbps, make a matrix."),
    INPUT(cable_mm, "cable", WEIR_COUNT, .fallback = WEIR_AUTO, .max = MAX_CABLE_MM,
          .derived = "100m, unless a delay is given",
          .help =
              "Length of every cable, as in 5m, 300m or 1.5km; light takes 5 ns per metre. Several "
              "lengths, as in 5m,300m, make a matrix."),
    INPUT(delay_ps, "delay", WEIR_TIME, .fallback = WEIR_AUTO, .max = WEIR_PS_PER_S / 100,
          .derived = "5 ns per metre of cable",
          .help = "Delay of every cable, one way, instead of a length."),
    INPUT(mtu_bytes, "mtu", WEIR_BYTES, .fallback = 1500, .min = 64, .max = 65535,
          .help = "Size of the largest packet."),
    INPUT(response_ps, "response", WEIR_TIME, .fallback = WEIR_AUTO, .max = WEIR_PS_PER_S / 100,
          .derived = "the longest that IEEE 802.3 31B.3.7 allows at the rate of the port",
          .help = "Time from the last bit of a control frame to its effect.",
          .source = "IEEE 802.3, 31B.3.7; 60 quanta in TTL 2.1, 3us in GFC 5.4"),
    INPUT(ports, "ports", WEIR_COUNT, .fallback = 32, .min = 1, .max = 1024,
          .help = "Number of ports of the switch."),
    INPUT(classes, "classes", WEIR_COUNT, .fallback = 1, .min = 1, .max = WEIR_MAX_CLASSES,
          .help = "Number of lossless classes of each port."),
    INPUT(hops, "hops", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1, .max = 64,
          .derived = "the given classes are already those of TTL",
          .help = "Number of hops of the longest path; TTL needs this many classes for each "
                  "lossless class."),
    INPUT(buffer_bytes, "buffer", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 64,
          .max = WEIR_MAX_BYTES, .derived = "not known",
          .help = "Buffer of the chip for the lossless classes."),
    INPUT(period_ps, "period", WEIR_TIME, .fallback = WEIR_AUTO, .min = 1000, .max = WEIR_PS_PER_S,
          .derived = "the time that 65535 B take", .help = "Time between two credit messages.",
          .source = "GFC 5.4"),
    INPUT(rtt_ps, "rtt", WEIR_TIME, .fallback = 50000000, .max = WEIR_PS_PER_S,
          .help = "Round-trip time from end to end; this times the rate is the buffer that keeps "
                  "outputs busy.",
          .source = "TTL 2.2"),
    INPUT(pipeline_ps, "pipeline", WEIR_TIME, .fallback = 25000000, .max = WEIR_PS_PER_S / 100,
          .help = "CaPFC: time that a packet takes from its input queue to its output queue.",
          .source = "CaPFC, IV.A"),
    INPUT(pps, "pps", WEIR_COUNT, .fallback = WEIR_AUTO, .min = 1, .max = 10000000000,
          .derived = "enough for packets of 64 B at line rate on all ports",
          .help = "CaPFC: packets per second that the pipeline takes from all ports together.",
          .source = "CaPFC, IV.A"),
    INPUT(cell_bytes, "cell", WEIR_BYTES, .fallback = 144, .min = 1, .max = 4096,
          .help =
              "Size of the cells in which the chip stores packets. Without --cell, SONiC's formula "
              "assumes the default, and the verdict reports the cell sizes for which it holds."),
    INPUT(mac_phy_bytes, "mac-phy", WEIR_BYTES, .fallback = 0, .max = 1000000,
          .help = "SONiC and 802.1Q: bytes in flight in the chip's own MAC and PHY."),
    INPUT(gearbox_ps, "gearbox", WEIR_TIME, .fallback = 0, .max = WEIR_PS_PER_S / 1000,
          .help = "SONiC: delay of a gearbox."),
    INPUT(small_percent, "small", WEIR_COUNT, .fallback = 100, .max = 100,
          .help = "SONiC: percentage of small packets (small_packet_percentage)."),
    INPUT(lossless_mtu_bytes, "lossless-mtu", WEIR_BYTES, .fallback = WEIR_AUTO, .min = 64,
          .max = 65535, .derived = "the MTU",
          .help = "SONiC: size of the largest packet of a lossless class."),
    INPUT(xon_bytes, "xon", WEIR_BYTES, .fallback = 18432, .max = WEIR_MAX_BYTES,
          .help = "SONiC: bytes at which a pause ends (xon of the profiles)."),
    INPUT(
        xon_offset_bytes, "xon-offset", WEIR_BYTES, .fallback = WEIR_AUTO, .max = WEIR_MAX_BYTES,
        .derived = "none",
        .help =
            "SONiC: bytes under the threshold at which a pause ends (xon_offset of the profiles)."),
    INPUT(dynamic_th, "dynamic-th", WEIR_CHOICE, .fallback = DYNAMIC_TH_0, .choices = dynamic_ths,
          .help = "SONiC: exponent of the threshold; a pause begins at 2 to this power times the "
                  "free shared buffer."),
    INPUT(static_th_bytes, "static-th", WEIR_BYTES, .fallback = WEIR_AUTO, .max = WEIR_MAX_BYTES,
          .derived = "none",
          .help = "SONiC: fixed threshold at which a pause begins, instead of the dynamic one."),
    { 0 },
};

int
plan_dynamic_th(const struct plan_input *in)
{
    return (int)in->dynamic_th - DYNAMIC_TH_0;
}

/* Lengths of cables. */

static bool
read_decimal(const char **text, uint64_t one, uint64_t *value)
{
    const char *c = *text;
    uint64_t whole = 0;

    for (; *c >= '0' && *c <= '9'; c++) {
        if (whole > MAX_CABLE_MM) {
            return false;
        }
        whole = whole * 10 + (uint64_t)(*c - '0');
    }
    bool has_digits = c > *text;
    *value = whole * one;
    if (*c == '.') {
        for (c++; *c >= '0' && *c <= '9'; c++) {
            one /= 10;
            *value += (uint64_t)(*c - '0') * one;
        }
    }
    *text = c;
    return has_digits;
}

bool
plan_length_parse(const char *text, uint64_t *mm, struct err *err)
{
    static const struct {
        const char *name;
        uint64_t mm;
    } units[] = { { "m", 1000 }, { "km", 1000000 }, { "cm", 10 } };
    const char *at = text;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        at = text;
        if (read_decimal(&at, units[i].mm, mm) && !strcmp(at + (*at == ' '), units[i].name)) {
            return *mm <= MAX_CABLE_MM ||
                   err_set(err, "'%s' is too long for a cable; 1000km is the maximum", text);
        }
    }
    return err_set(err, "'%s' is not a length: write 5m, 300m or 1.5km", text);
}

bool
plan_field_parse(const struct weir_field *f, const char *word, struct plan_input *in,
                 struct err *err)
{
    struct weir_text why = { 0 }, in_bytes = { 0 };
    bool is_bare = f->kind == WEIR_BYTES && word[0] && !word[strspn(word, "0123456789")];
    uint64_t value;

    weir_text_add(&in_bytes, is_bare ? "%sB" : "%s", word);
    if (!strcmp(f->name, "cable")) {
        if (!plan_length_parse(word, &value, err)) {
            return false;
        }
    } else if (!weir_field_parse(f, in_bytes.s, &value, &why) ||
               !weir_field_check(f, value, &why)) {
        return err_set(err, "%s%s", why.s,
                       is_bare ? "; a number without a unit is in bytes: write 32KB or 32MB" : "");
    }
    weir_field_set(f, in, value);
    return true;
}

weir_ps
plan_cable_ps(uint64_t mm)
{
    return (weir_ps)(mm * PS_PER_MM);
}

uint64_t
plan_cable_mm(weir_ps ps)
{
    return (uint64_t)ps / PS_PER_MM;
}

/* Ports and their kinds. */

uint8_t
plan_classes_mask(uint64_t n_classes)
{
    uint64_t first = n_classes <= 5 ? 3 : WEIR_MAX_CLASSES - n_classes;
    return (uint8_t)(((1u << n_classes) - 1) << first);
}

/* Adds equal ports with four lanes each. SONiC numbers ports by their lanes. */
void
plan_add_ports(struct plan *p)
{
    const struct plan_input *in = &p->in;

    for (uint64_t i = 0; i < in->ports; i++) {
        bool by_delay = in->delay_ps != WEIR_AUTO;
        struct plan_port port = { .rate_bps = in->rate_bps,
                                  .cable_mm = by_delay ? plan_cable_mm((weir_ps)in->delay_ps)
                                                       : in->cable_mm,
                                  .mtu_bytes = (uint32_t)in->mtu_bytes,
                                  .lossless = plan_classes_mask(in->classes),
                                  .profile = plan_sonic_profile(in, false, in->mtu_bytes) };
        port.cable_mm = port.cable_mm == WEIR_AUTO ? 100000 : port.cable_mm;
        port.cable_ps = by_delay ? (weir_ps)in->delay_ps : plan_cable_ps(port.cable_mm);
        snprintf(port.name, sizeof port.name, "Ethernet%llu", (unsigned long long)(4 * i));
        ARRAY_PUSH(p->ports, p->n_ports, p->max_ports) = port;
    }
}

static bool
is_same_profile(const struct plan_profile *a, const struct plan_profile *b)
{
    return a->xon_bytes == b->xon_bytes && a->xon_offset_bytes == b->xon_offset_bytes &&
           a->own_bytes == b->own_bytes && a->is_beside == b->is_beside &&
           a->has_8_lanes == b->has_8_lanes;
}

static bool
is_of_kind(const struct plan_kind *k, const struct plan_port *p)
{
    return k->link.rate_bps == p->rate_bps && k->link.cable_ps == p->cable_ps &&
           k->cable_mm == p->cable_mm && k->link.mtu_bytes == p->mtu_bytes &&
           k->lossless == p->lossless && k->configured_bytes == p->configured_bytes &&
           k->bare == p->bare && is_same_profile(&k->profile, &p->profile);
}

/* The response time of a port. An option takes precedence over a file. */
static weir_ps
response_of(const struct plan *p, const struct plan_port *port)
{
    return p->in.response_ps != WEIR_AUTO ? (weir_ps)p->in.response_ps
           : port->has_response           ? port->response_ps
                                          : weir_pfc_response_ps(port->rate_bps);
}

static void
add_to_kind(struct plan *p, size_t port)
{
    const struct plan_port *of = &p->ports[port];
    uint32_t n_classes = (uint32_t)__builtin_popcount(of->lossless);
    weir_ps response = response_of(p, of);
    size_t i = 0;

    while (i < p->n_kinds &&
           !(is_of_kind(&p->kinds[i], of) && p->kinds[i].link.response_ps == response)) {
        i++;
    }
    if (i == p->n_kinds) {
        ARRAY_PUSH(p->kinds, p->n_kinds, p->max_kinds) =
            (struct plan_kind){ .link = { .rate_bps = of->rate_bps,
                                          .cable_ps = of->cable_ps,
                                          .response_ps = response,
                                          .mtu_bytes = of->mtu_bytes,
                                          .gap_bytes = p->gap_bytes,
                                          .n_classes = n_classes },
                                .cable_mm = of->cable_mm,
                                .configured_bytes = of->configured_bytes,
                                .profile = of->profile,
                                .lossless = of->lossless,
                                .bare = of->bare,
                                .n_classes = n_classes,
                                .first_port = port };
    }
    p->kinds[i].n_ports++;
    p->ports[port].kind = i;
}

bool
plan_finish(struct plan *p, struct err *err)
{
    for (size_t i = 0; i < p->n_ports; i++) {
        if (p->ports[i].lossless) {
            add_to_kind(p, i);
        }
    }
    if (!p->n_kinds) {
        return err_set(err, "no port has a lossless class, so there is nothing to plan");
    }
    return true;
}

/* Whether two plans have the same kinds of ports and the same memory; names of ports do not
 * matter. */
bool
plan_is_alike(const struct plan *a, const struct plan *b)
{
    bool is_alike = a->n_kinds == b->n_kinds && a->in.buffer_bytes == b->in.buffer_bytes &&
                    a->headroom_pool.bytes == b->headroom_pool.bytes;

    for (size_t i = 0; i < a->n_kinds && is_alike; i++) {
        const struct plan_kind *k = &a->kinds[i];
        size_t j = 0;
        while (j < b->n_kinds && !(is_of_kind(&b->kinds[j], &a->ports[k->first_port]) &&
                                   b->kinds[j].n_ports == k->n_ports &&
                                   b->kinds[j].link.response_ps == k->link.response_ps)) {
            j++;
        }
        is_alike = j < b->n_kinds;
    }
    return is_alike;
}

const uint64_t plan_cost_rates_bps[] = { 10000000000,  25000000000,  40000000000,  50000000000,
                                         100000000000, 200000000000, 400000000000, 0 };

bool
plan_at_rate(struct plan *p, const struct plan_input *in, uint64_t rate_bps, struct err *err)
{
    *p = (struct plan){ .in = *in };
    p->in.rate_bps = rate_bps;
    plan_add_ports(p);
    return plan_finish(p, err);
}

void
plan_free(struct plan *p)
{
    free(p->ports);
    free(p->kinds);
    free(p->warned);
    free(p->profiles);
    *p = (struct plan){ 0 };
}

/* Warnings about inputs. */

static bool
is_standard_rate(uint64_t bps)
{
    static const uint64_t mbps[] = { 10,    100,   1000,   2500,   5000,   10000,  25000,
                                     40000, 50000, 100000, 200000, 400000, 800000, 1600000 };
    size_t i = 0;
    while (i < sizeof mbps / sizeof *mbps && mbps[i] * 1000000 != bps) {
        i++;
    }
    return i < sizeof mbps / sizeof *mbps;
}

static struct weir_text *
add_warning(struct weir_text *said, size_t *n)
{
    said[*n] = (struct weir_text){ 0 };
    return &said[(*n)++];
}

static void
warn_of_kind(const struct plan *p, const struct plan_kind *k, struct weir_text *said, size_t max,
             size_t *n)
{
    uint64_t ttl_classes = plan_scheme_classes(p, plan_scheme_find("ttl"), k);

    if (!is_standard_rate(k->link.rate_bps) && *n < max) {
        weir_text_add(add_warning(said, n),
                      "no Ethernet standard has a rate of %R; response times are those of the next "
                      "faster rate in 802.3",
                      k->link.rate_bps);
    }
    if (ttl_classes > WEIR_MAX_CLASSES && *n < max) {
        weir_text_add(add_warning(said, n),
                      "TTL needs %u classes per port, but PFC frames have only %u", ttl_classes,
                      (uint64_t)WEIR_MAX_CLASSES);
    }
}

/* Warns of an xon that no queue can exceed: a pause would end as soon as it begins. */
static void
warn_of_xon(const struct plan *p, const struct plan_kind *k, struct weir_text *said, size_t max,
            size_t *n)
{
    if (p->pool_bytes && k->profile.xon_bytes > p->pool_bytes && *n < max) {
        weir_text_add(
            add_warning(said, n),
            "%s: xon is %B, but the pool has only %B: a queue is always shorter, and every "
            "pause ends at once",
            p->ports[k->first_port].name, k->profile.xon_bytes, p->pool_bytes);
    }
}

size_t
plan_warnings(const struct plan *p, struct weir_text *said, size_t max)
{
    size_t n = 0;

    for (size_t i = 0; i < p->n_kinds; i++) {
        warn_of_kind(p, &p->kinds[i], said, max, &n);
        warn_of_xon(p, &p->kinds[i], said, max, &n);
    }
    return n;
}
