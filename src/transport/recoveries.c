/* The recovery that does nothing, and the registry of all recoveries. */

#include "transport/recovery.h"

static const struct weir_field no_fields[] = { { 0 } };

const struct recovery rc_none = {
    .about = { .name = "none",
               .title = "Packets are sent once; lost ones are not retransmitted",
               .source = "-",
               .params = no_fields },
};

/* Each line names one recovery. */
#define RECOVERIES(ONE)                                                                            \
    ONE(rc_none)                                                                                   \
    ONE(rc_go_back_n)                                                                              \
    ONE(rc_selective)

#define DECLARE(NAME) extern const struct recovery NAME;
#define ABOUT(NAME)   &NAME.about,

RECOVERIES(DECLARE)

const struct weir_registry recoveries = {
    .one = "recovery",
    .many = "recoveries",
    .title = "list loss recoveries, which retransmit lost packets",
    .plugins = (const struct weir_plugin *const[]){ RECOVERIES(ABOUT) 0 },
};
