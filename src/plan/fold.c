/* Abbreviates lists of names: "Ethernet0-92". */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "plan/verdict.h"

enum { LEAST_RUN = 3, MOST_DIGITS = 9 };

/* The index at which the number at the end of a name begins; the length of the name if it has no
 * number. */
static size_t
prefix_of(const char *name)
{
    size_t len = strlen(name), at = len;

    while (at && name[at - 1] >= '0' && name[at - 1] <= '9' && len - at < MOST_DIGITS) {
        at--;
    }
    return at;
}

static bool
is_same_prefix(const char *a, const char *b)
{
    size_t n = prefix_of(a);
    return n == prefix_of(b) && !strncmp(a, b, n) && a[n] && b[n];
}

/* Sorts by prefix, then by number: Ethernet4 is before Ethernet12. */
static int
by_number(const void *a, const void *b)
{
    const char *x = ((const struct plan_name *)a)->name, *y = ((const struct plan_name *)b)->name;
    long number_x = atol(x + prefix_of(x)), number_y = atol(y + prefix_of(y));

    if (is_same_prefix(x, y) && number_x != number_y) {
        return number_x < number_y ? -1 : 1;
    }
    return strcmp(x, y);
}

static void
add_run(const struct plan_name *names, size_t n, bool is_first, struct weir_text *text)
{
    const char *last = names[n - 1].name;

    for (size_t i = 0; i < n && n < LEAST_RUN; i++) {
        weir_text_add(text, "%s%s", is_first && !i ? "" : ", ", names[i].name);
    }
    if (n >= LEAST_RUN) {
        weir_text_add(text, "%s%s-%s", is_first ? "" : ", ", names[0].name, last + prefix_of(last));
    }
}

void
plan_fold_names(struct plan_name *names, size_t n, struct weir_text *text)
{
    bool is_first = true;

    array_sort(names, n, sizeof *names, by_number);
    for (size_t i = 0, next; i < n; i = next) {
        next = i + 1;
        if (!names[i].is_meant) {
            continue;
        }
        while (next < n && names[next].is_meant &&
               is_same_prefix(names[i].name, names[next].name)) {
            next++;
        }
        add_run(&names[i], next - i, is_first, text);
        is_first = false;
    }
}

void
plan_fold_ports(const struct plan *p, size_t kind, struct weir_text *text)
{
    struct plan_name *names = array_new(p->n_ports, sizeof *names);

    for (size_t i = 0; i < p->n_ports; i++) {
        const struct plan_port *port = &p->ports[i];
        names[i] = (struct plan_name){ port->name, port->lossless && port->kind == kind };
    }
    plan_fold_names(names, p->n_ports, text);
    free(names);
}

void
plan_add_classes(uint8_t classes, struct weir_text *text)
{
    const char *before = "";

    for (uint64_t cls = 0; cls < WEIR_MAX_CLASSES; cls++) {
        if (classes >> cls & 1) {
            weir_text_add(text, "%s%u", before, cls);
            before = ",";
        }
    }
}

void
plan_fold_slots(const struct plan *p, size_t kind, uint8_t classes, struct weir_text *text)
{
    const char *before = __builtin_popcount(classes) > 1 ? ", classes " : ", class ";

    plan_fold_ports(p, kind, text);
    for (uint64_t cls = 0; cls < WEIR_MAX_CLASSES && classes != p->kinds[kind].lossless; cls++) {
        if (classes >> cls & 1) {
            weir_text_add(text, "%s%u", before, cls);
            before = ", ";
        }
    }
}
