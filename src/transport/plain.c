/* Transports without a mind of their own, and the table of all. */

#include <string.h>

#include "transport/transport.h"

static const struct weir_field no_fields[] = { { 0 } };

const struct transport tp_raw = {
    .name = "raw",
    .title = "Packets are sent once, at line rate, and nobody says whether they came",
    .source = "-",
    .params = no_fields,
};

const struct transport tp_rdma = {
    .name = "rdma",
    .title = "Line rate, with go-back-N",
    .source = "RoCEv2 without congestion control",
    .is_reliable = true,
    .params = no_fields,
};

const struct transport *const transports[] = { &tp_raw, &tp_rdma, &tp_dcqcn, &tp_dctcp, 0 };

const struct transport *
transport_find(const char *name)
{
    for (const struct transport *const *t = transports; *t; t++) {
        if (!strcmp((*t)->name, name)) {
            return *t;
        }
    }
    return NULL;
}
