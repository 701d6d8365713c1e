/* Transports without a control, and the registry of all transports. */

#include "transport/transport.h"

static const struct weir_field no_fields[] = { { 0 } };

const struct transport tp_raw = {
    .about = { .name = "raw",
               .title = "Line rate; packets are sent once and never acknowledged",
               .source = "-",
               .params = no_fields },
    .recovery = &rc_none,
};

const struct transport tp_rdma = {
    .about = { .name = "rdma",
               .title = "Line rate; lost packets are retransmitted",
               .source = "RoCEv2 without congestion control",
               .params = no_fields },
    .recovery = &rc_go_back_n,
};

/* Each line names one transport. */
#define TRANSPORTS(ONE)                                                                            \
    ONE(tp_raw)                                                                                    \
    ONE(tp_rdma)                                                                                   \
    ONE(tp_dcqcn)                                                                                  \
    ONE(tp_dctcp)                                                                                  \
    ONE(tp_tcp)                                                                                    \
    ONE(tp_timely)                                                                                 \
    ONE(tp_hpcc)

#define DECLARE(NAME) extern const struct transport NAME;
#define ABOUT(NAME)   &NAME.about,

TRANSPORTS(DECLARE)

const struct weir_registry transports = {
    .one = "transport",
    .many = "transports",
    .title = "list congestion controls, which set the rate or the window",
    .plugins = (const struct weir_plugin *const[]){ TRANSPORTS(ABOUT) 0 },
};
