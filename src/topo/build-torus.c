/* Builds switches in rows, columns and planes, each line of which is a ring. */

#include "topo/topology.h"

static const struct weir_field fields[] = {
    TOPO_HOSTS_FIELD("Number of hosts at each switch."),
    TOPO_FIELD(x, "x", WEIR_COUNT, .fallback = 4, .min = 3, .max = 64,
               .help = "Number of switches in each row."),
    TOPO_FIELD(y, "y", WEIR_COUNT, .fallback = 4, .min = 3, .max = 64,
               .help = "Number of rows of switches, in each plane."),
    TOPO_FIELD(z, "z", WEIR_COUNT, .fallback = 1, .min = 1, .max = 64,
               .help = "Number of planes of switches: 1, or 3 and more for three dimensions."),
    { 0 },
};

static bool
check(const void *params, const char **at, struct err *err)
{
    const struct topo_build *b = params;
    uint64_t n = b->x * b->y * b->z;

    if (b->z == 2) {
        *at = "z";
        return err_set(err, "two planes are no ring: set z to 1, or to 3 or more");
    }
    return topo_check_size(n, n * b->hosts, err);
}

/* The next switch in a ring whose neighbours are 'step' apart. */
static uint64_t
next_in_ring(uint64_t i, uint64_t step, uint64_t n)
{
    uint64_t ring = i / (step * n) * (step * n);

    return ring + (i - ring + step) % (step * n);
}

void
topo_build_torus(struct topo *t, const void *params)
{
    const struct topo_build *b = params;
    uint64_t n_planes = b->z ? b->z : 1, n = b->x * b->y * n_planes;
    uint64_t sizes[] = { b->x, b->y, n_planes };
    uint32_t first = topo_add_row(t, "S", n, n_planes > 1 ? n_planes : b->y);

    topo_add_hosts(t, &b->link, first, n, b->hosts);
    for (uint64_t i = 0; i < n; i++) {
        for (uint64_t axis = 0, step = 1; axis < 3 && sizes[axis] > 1; step *= sizes[axis++]) {
            uint64_t next = next_in_ring(i, step, sizes[axis]);
            topo_add_link(t, first + (uint32_t)i, first + (uint32_t)next, &b->link);
        }
    }
}

const struct topology topo_torus = {
    .about = { .name = "torus",
               .title = "Switches S1.. in rings in two or three dimensions, with hosts H1.. at "
                        "every switch",
               .params = fields,
               .params_bytes = sizeof(struct topo_build) },
    .check = check,
    .build = topo_build_torus,
};
