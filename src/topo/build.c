/* Common parts of builders of networks: nodes with numbers, rows of switches, and hosts at each
 * switch. */

#include <stdio.h>

#include "topo/topology.h"

uint32_t
topo_add_numbered(struct topo *t, enum topo_kind kind, const char *letter, uint64_t number,
                  uint64_t part)
{
    char name[TOPO_NAME_BYTES];
    snprintf(name, sizeof name, "%s%llu", letter, (unsigned long long)number);
    uint32_t node = topo_add_node(t, kind, name);
    t->nodes[node].part = (uint32_t)part;
    return node;
}

uint32_t
topo_add_nic(struct topo *t, uint64_t host, uint64_t number, uint64_t part)
{
    char letter[TOPO_NAME_BYTES];

    snprintf(letter, sizeof letter, "H%llu:", (unsigned long long)host);
    return topo_add_numbered(t, TOPO_NIC, letter, number, part);
}

uint32_t
topo_add_row(struct topo *t, const char *letter, uint64_t n, uint64_t n_parts)
{
    uint32_t first = (uint32_t)t->n_nodes;

    for (uint64_t i = 0; i < n; i++) {
        topo_add_numbered(t, TOPO_SWITCH, letter, i + 1, i * n_parts / n);
    }
    return first;
}

void
topo_add_hosts(struct topo *t, const struct topo_link *link, uint32_t first, uint64_t n_switches,
               uint64_t n_each)
{
    for (uint64_t i = 0; i < n_switches * n_each; i++) {
        uint32_t at = first + (uint32_t)(i / n_each);
        topo_add_link(t, topo_add_numbered(t, TOPO_NIC, "H", i + 1, t->nodes[at].part), at, link);
    }
}

bool
topo_check_gpu(const struct topo_build *b, const char **at, struct err *err)
{
    *at = "gpu";
    return !b->gpu_bps || b->gpu_bps >= TOPO_MIN_RATE ||
           err_set(err, "gpu must be 0, or a rate of 1 kb/s or more");
}

struct topo_link
topo_gpu_link(const struct topo_build *b)
{
    struct topo_link inside = topo_link_at(&b->link, b->gpu_bps);

    inside.delay_ps = b->gpu_delay_ps == WEIR_AUTO ? inside.delay_ps : (weir_ps)b->gpu_delay_ps;
    return inside;
}

struct topo_link
topo_link_at(const struct topo_link *link, uint64_t rate_bps)
{
    struct topo_link other = *link;

    if (rate_bps && rate_bps != WEIR_AUTO) {
        other.rate_bps = rate_bps;
    }
    return other;
}

void
topo_join_each(struct topo *t, const struct topo_link *link, uint32_t first, uint64_t n)
{
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = a + 1; b < n; b++) {
            topo_add_link(t, first + a, first + b, link);
        }
    }
}

void
topo_join_pods(struct topo *t, const struct topo_link *link, uint32_t lower, uint64_t n_lower,
               uint32_t upper, uint64_t n_upper, uint64_t n_pods)
{
    uint64_t of_pod = n_upper / n_pods;

    for (uint64_t i = 0; i < n_lower * of_pod; i++) {
        uint64_t a = i / of_pod, b = a / (n_lower / n_pods) * of_pod + i % of_pod;
        topo_add_link(t, lower + (uint32_t)a, upper + (uint32_t)b, link);
    }
}

void
topo_join_shares(struct topo *t, const struct topo_link *link, uint32_t lower, uint64_t n_lower,
                 uint32_t upper, uint64_t n_upper, uint64_t n_pods)
{
    uint64_t of_pod = n_lower / n_pods, share = n_upper / of_pod;

    for (uint64_t i = 0; i < n_lower * share; i++) {
        uint64_t a = i / share, b = a % of_pod * share + i % share;
        topo_add_link(t, lower + (uint32_t)a, upper + (uint32_t)b, link);
    }
}

bool
topo_check_size(uint64_t n_switches, uint64_t n_hosts, struct err *err)
{
    if (n_switches > TOPO_MAX_SWITCHES) {
        return err_set(err, "the network has %llu switches; at most %d are allowed",
                       (unsigned long long)n_switches, TOPO_MAX_SWITCHES);
    }
    return n_hosts <= TOPO_MAX_HOSTS ||
           err_set(err, "the network has %llu hosts; at most %d are allowed",
                   (unsigned long long)n_hosts, TOPO_MAX_HOSTS);
}
