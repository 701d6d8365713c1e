/* Tries any text as a SONiC configuration: the result is an error with its location, or a plan in
 * which every scheme can be computed.  The first letter selects the options before the file. */

#include <stdlib.h>
#include <string.h>

#include "plan/files.h"
#include "plan/verdict.h"

enum { MAX_WARNINGS = 16 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 leaks on some bad texts; the program's own allocations are still checked. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

/* Writes a verdict, folded names, and if possible tables for SONiC and a scenario of the
 * configuration, all to /dev/null. */
static void
judge(const struct plan *p, const struct plan_request *r)
{
    FILE *out = fopen("/dev/null", "w");
    struct err err;
    size_t n_gaps;

    free(plan_find_gaps(p, &n_gaps));
    for (size_t i = 0; i < p->n_kinds; i++) {
        struct weir_text names = { 0 };
        plan_fold_ports(p, i, &names);
    }
    if (out && plan_judge(p, r).use && plan_can_write_sonic(p, r, &err)) {
        plan_write_sonic(out, p, r);
        plan_write_lookup(out, p, r);
    }
    struct plan_request has = { .in = r->in, .schemes = { plan_scheme_find("pfc-configured") } };
    has.n_schemes = 1;
    if (out && plan_is_wanted(&has, p, has.schemes[0]) && plan_can_write_scenario(p, &has, &err)) {
        plan_write_scenario(out, p, &has);
    }
    if (out) {
        fclose(out);
    }
}

static void
work_out(struct plan *p)
{
    struct plan_caps remedies[PLAN_MAX_REMEDIES];
    struct weir_text said[MAX_WARNINGS];

    plan_warnings(p, said, MAX_WARNINGS);
    for (const struct plan_scheme *s = plan_schemes; s->key; s++) {
        plan_need(p, s);
        if (p->in.buffer_bytes != WEIR_AUTO && !plan_fits(p, s)) {
            plan_find_remedies(p, s, remedies);
        }
        for (size_t i = 0; p->in.buffer_bytes != WEIR_AUTO && i < p->n_kinds; i++) {
            struct weir_stack stack;
            struct weir_text why = { 0 };
            plan_resolve(p, s, &p->kinds[i], 1, &stack, &why);
        }
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plan_request request = { 0 };
    struct plan p = { 0 };
    struct err err;

    if (!size) {
        return 0;
    }
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    weir_fields_default(plan_fields, &request.in);
    for (size_t i = 0; i < 3; i++) {
        request.is_given[i] = data[0] >> i & 1;
    }
    struct scn_source source = { .name = "fuzz", .text = text, .max_keys = 10000 };
    struct scn_node *root = strlen(text) == size - 1 ? scn_tree_read(&source, &err) : NULL;
    if (root && plan_read_sonic(&p, &request, root, &err) && plan_finish(&p, &err)) {
        work_out(&p);
        judge(&p, &request);
    }
    plan_free(&p);
    scn_tree_free(root);
    free(text);
    return 0;
}
