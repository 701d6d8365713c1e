/* A law that every run of a duet must obey, and the number of random runs. */

#ifndef TESTS_LAW_H
#define TESTS_LAW_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "duet.h"

/* Sanitizers cost time; the plain build tries more. */
#if defined(__SANITIZE_ADDRESS__)
enum { N_RUNS = 300 };
#else
enum { N_RUNS = 1000 };
#endif

/* No packet is created, and none disappears. */
static inline void
assert_conserved(const struct duet_result *r)
{
    assert_false(r->refused);
    assert_int_equal(r->sent_bytes, r->delivered_bytes + r->held_bytes + r->dropped_bytes +
                                        r->lost_bytes + r->flying_bytes);
}

#endif
