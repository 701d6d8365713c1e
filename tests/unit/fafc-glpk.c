/* FAFC's pause times, compared with a solver of linear programs on random instances: the cost is
 * the same, except for the rounding of one share.  The paused inputs may differ if several
 * solutions have the same cost; if the bound cannot be met, all inputs are paused.
 *
 * GLPK computes with rational numbers, so instances with tiny and huge numbers need a tolerance
 * only for the sum of the cost. */

#include <glpk.h>

#include "fafc-bids.h"

enum { N_INSTANCES = 10000 };
#define SLACK 1e-12 /* The rounding error of a sum of doubles, per unit of cost. */

/* The linear program: columns are shares from 0 to 1, and its row is the number of bytes that the
 * pauses keep away. */
static glp_prob *
program_of(const struct instance *in)
{
    int columns[MAX_BIDS + 1] = { 0 }, n = (int)in->n;
    double rates[MAX_BIDS + 1] = { 0 };
    glp_prob *lp = glp_create_prob();

    glp_set_obj_dir(lp, GLP_MIN);
    glp_add_rows(lp, 1);
    glp_set_row_bnds(lp, 1, GLP_LO, (double)in->need, 0);
    glp_add_cols(lp, n);
    for (int i = 1; i <= n; i++) {
        columns[i] = i;
        rates[i] = (double)in->bids[i - 1].rate;
        glp_set_col_bnds(lp, i, GLP_DB, 0, 1);
        glp_set_obj_coef(lp, i, (double)in->bids[i - 1].cost);
    }
    glp_set_mat_row(lp, 1, n, columns, rates);
    return lp;
}

/* The cost of the best solution; less than 0 if there is no solution. */
static double
least_cost(const struct instance *in)
{
    glp_prob *lp = program_of(in);
    glp_smcp how;

    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    glp_simplex(lp, &how); /* Solves in floating point first: glp_exact() starts from this basis. */
    assert_int_equal(glp_exact(lp, &how), 0);
    bool has_answer = glp_get_status(lp) == GLP_OPT;
    assert_true(has_answer || glp_get_status(lp) == GLP_NOFEAS);
    double cost = has_answer ? glp_get_obj_val(lp) : -1;
    glp_delete_prob(lp);
    return cost;
}

/* Adds up the bytes that the pauses keep away, with 16 fractional bits; their cost; and the
 * rounding error of the cost. */
static void
add_up(const struct instance *in, uint64_t *kept, double *cost, double *rounding)
{
    *kept = 0;
    *cost = *rounding = 0;
    for (uint32_t i = 0; i < in->n; i++) {
        const struct fafc_bid *b = &in->bids[i];
        *kept += b->rate * b->share;
        *cost += (double)b->cost * b->share / WEIR_RATIO_1;
        if (b->share % WEIR_RATIO_1) {
            *rounding += (double)b->cost / WEIR_RATIO_1;
        }
    }
}

static void
assert_as_cheap(const struct instance *in, double least, int round)
{
    uint64_t kept;
    double cost, rounding;

    add_up(in, &kept, &cost, &rounding);
    if (kept < in->need * WEIR_RATIO_1) {
        fail_msg("instance %d: the bound is not met", round);
    }
    if (cost < least * (1 - SLACK) || cost > (least + rounding) * (1 + SLACK)) {
        fail_msg("instance %d: costs %.17g, GLPK finds %.17g", round, cost, least);
    }
}

static void
assert_all_paused(const struct instance *in)
{
    for (uint32_t i = 0; i < in->n; i++) {
        assert_int_equal(in->bids[i].share, in->bids[i].rate ? WEIR_RATIO_1 : 0);
    }
}

static void
as_cheap_as_a_linear_program(void **state)
{
    uint64_t random = 1;
    int n_without_answer = 0;

    (void)state;
    for (int round = 0; round < N_INSTANCES; round++) {
        struct instance in = draw_instance(&random);
        double least = least_cost(&in);
        weir_fafc_allocate(in.bids, in.n, in.need, FAFC_BEST);
        if (least < 0) {
            assert_all_paused(&in);
            n_without_answer++;
        } else {
            assert_as_cheap(&in, least, round);
        }
    }
    assert_in_range(n_without_answer, N_INSTANCES / 20, N_INSTANCES / 2);
    glp_free_env();
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_cheap_as_a_linear_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
