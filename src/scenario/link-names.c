/* Names of links, which the items of a list of links define. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/resolver.h"

/* The name of one link, or the beginning of the names of several: trunk-1, trunk-2. */
bool
scn_name_links(struct resolver *r, const struct scn_node *item, uint32_t first, uint32_t n_links)
{
    const struct scn_node *n = scn_child(item, "name");
    char name[TOPO_NAME_BYTES], one[TOPO_NAME_BYTES + sizeof "-1000"];

    if (!n) {
        return true;
    }
    if (!scn_read_name(r, n, "the name of a link", name)) {
        return false;
    }
    if (isdigit((unsigned char)name[0])) {
        return scn_fail(n, r->err,
                        "the name of a link must begin with a letter: numbers are ports");
    }
    for (uint32_t i = 0; i < n_links; i++) {
        snprintf(one, sizeof one, n_links > 1 ? "%s-%u" : "%s", name, i + 1);
        r->s->topo.links[first + i].name = strdup(one);
        ARRAY_PUSH(r->named, r->n_named, r->max_named) = (struct scn_named){ first + i, n };
    }
    return true;
}

struct used_name {
    const char *name;
    const struct scn_node *n;
};

static int
by_name(const void *a, const void *b)
{
    return strcmp(((const struct used_name *)a)->name, ((const struct used_name *)b)->name);
}

static bool
check_sorted(struct resolver *r, const struct used_name *used, size_t n_used)
{
    for (size_t i = 0; i < n_used; i++) {
        bool is_node = topo_find_node(&r->s->topo, used[i].name) != TOPO_NONE;
        if (is_node || (i && !strcmp(used[i - 1].name, used[i].name))) {
            return scn_fail(used[i].n, r->err, "'%s' is already the name of %s", used[i].name,
                            is_node ? "a node" : "another link");
        }
    }
    return true;
}

/* A name is that of one link only, and of no node. */
bool
scn_check_link_names(struct resolver *r)
{
    struct used_name *used = array_new(r->n_named, sizeof *used);

    for (size_t i = 0; i < r->n_named; i++) {
        used[i] = (struct used_name){ r->s->topo.links[r->named[i].link].name, r->named[i].n };
    }
    array_sort(used, r->n_named, sizeof *used, by_name); /* Keeps the first of each first. */
    bool good = check_sorted(r, used, r->n_named);
    free(used);
    r->n_named = 0;
    return good;
}
