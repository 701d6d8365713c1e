/* Engines that only tests have: no scenario can name them. */

#ifndef TESTS_ENGINES_H
#define TESTS_ENGINES_H

#include "weir/node.h"

extern const struct weir_engine probe;

extern const struct weir_registry
    test_engines; /* The registry of these engines, for transcripts. */

#endif
