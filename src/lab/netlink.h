/* Requests to the kernel about interfaces: rtnetlink(7), one at a time, each answered at once.
 *
 *     struct netlink n;
 *     netlink_open(&n, &err);
 *     netlink_begin(&n, NLM_F_CREATE | NLM_F_EXCL, &(struct ifinfomsg){ 0 });
 *     netlink_text(&n, IFLA_IFNAME, "p0");
 *     error = netlink_ask(&n);
 *     netlink_close(&n);
 *
 * Nested attributes are closed by what their opening returned. */

#ifndef LAB_NETLINK_H
#define LAB_NETLINK_H

#include <linux/rtnetlink.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { NETLINK_BYTES = 1024 };

struct netlink {
    int socket;
    uint32_t n; /* Bytes of the request so far, its head included. */
    uint8_t bytes[NETLINK_BYTES];
};

/* In the namespace in which the process is now. */
bool netlink_open(struct netlink *, struct err *);
void netlink_close(struct netlink *);

/* A request to make an interface, or without NLM_F_CREATE to change one. */
void netlink_begin(struct netlink *, uint16_t flags, const struct ifinfomsg *);

void netlink_add(struct netlink *, uint16_t type, const void *, size_t bytes);
void netlink_text(struct netlink *, uint16_t type, const char *);
void netlink_number(struct netlink *, uint16_t type, uint32_t);

size_t netlink_open_nest(struct netlink *, uint16_t type);
void netlink_close_nest(struct netlink *, size_t nest);

/* The head of an interface's description, within a nest that describes one. */
void netlink_add_head(struct netlink *, const struct ifinfomsg *);

/* 0, or an errno. */
int netlink_ask(struct netlink *);

#endif
