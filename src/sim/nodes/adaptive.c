/* Path choice "adaptive": each packet takes a path with a short queue.
 *
 * The criterion for a port is its drain: the bytes that must leave there before the packet can, in
 * its own class and in every class that is served before it.  Two thresholds divide the drain into
 * three levels, and a packet takes any port of the best level:
 *
 *     drain < low      drain < high      all other ports
 *
 * With more levels, packets that arrive at the same moment would all take the same port. */

#include "base/err.h"
#include "sim/host/host.h"

struct adaptive {
    uint64_t low_bytes, high_bytes;
};

enum { N_LEVELS = 3 };

static const struct weir_field adaptive_fields[] = {
    WEIR_FIELD(struct adaptive, low_bytes, "low", WEIR_BYTES, .fallback = 16000, .min = 1,
               .max = WEIR_MAX_BYTES,
               .help = "Ports where less than this waits, in the packet's own class and in classes "
                       "that are always served before it, are taken first.",
               .source = "Zats et al., SIGCOMM 2012"),
    WEIR_FIELD(struct adaptive, high_bytes, "high", WEIR_BYTES, .fallback = 32000, .min = 1,
               .max = WEIR_MAX_BYTES,
               .help = "If no port is under low, ports where less than this waits are taken; if "
                       "none is, any port.",
               .source = "Zats et al., SIGCOMM 2012"),
    { 0 },
};

static bool
adaptive_check(const void *params, const char **at, struct err *err)
{
    const struct adaptive *a = params;
    struct weir_text why = { 0 };

    *at = "low";
    weir_text_add(&why, "low is %B; it must not be above high, which is %B", a->low_bytes,
                  a->high_bytes);
    return a->low_bytes <= a->high_bytes || err_set(err, "%s", why.s);
}

static uint32_t
level_of(const struct sim_node *n, uint32_t port, uint32_t classes)
{
    const struct adaptive *a = n->path_params;
    const struct weir_buffer_slot *slots = &n->buffer.slots[port * n->n_classes];
    uint64_t drain_bytes = 0;

    for (; classes; classes &= classes - 1) {
        drain_bytes += slots[__builtin_ctz(classes)].out_bytes;
    }
    return (drain_bytes >= a->low_bytes) + (drain_bytes >= a->high_bytes);
}

/* Hot: once per packet-hop if there are several paths. */
static uint32_t
adaptive_choose(struct sim_node *n, const struct sim_packet *p, const uint16_t *ports,
                uint32_t n_ports)
{
    uint32_t classes = 1u << p->cls, counts[N_LEVELS] = { 0 }, best = 0, i = 0;

    if (n->scheduling->before) {
        classes |= n->scheduling->before(n, p->cls);
    }
    for (uint32_t k = 0; k < n_ports; k++) {
        counts[level_of(n, ports[k], classes)]++;
    }
    while (!counts[best]) {
        best++;
    }
    uint32_t skip = sim_draw_below(&n->chance, counts[best]);
    while (level_of(n, ports[i], classes) != best || skip--) {
        i++;
    }
    return ports[i];
}

const struct sim_path_choice sim_adaptive = {
    .about = { .name = "adaptive",
               .title = "Each packet takes one of the equally short paths whose output queues are "
                        "short",
               .source = "Zats et al., DeTail: Reducing the Flow Completion Time Tail in "
                         "Datacenter Networks, SIGCOMM 2012",
               .params = adaptive_fields,
               .params_bytes = sizeof(struct adaptive) },
    .check = adaptive_check,
    .choose = adaptive_choose,
};
