/* Requests to the kernel about interfaces, put together attribute by attribute. */

#include "lab/netlink.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool
netlink_open(struct netlink *n, struct err *err)
{
    n->socket = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    return n->socket >= 0 ||
           err_set(err, "cannot ask the kernel about interfaces: %s", strerror(errno));
}

void
netlink_close(struct netlink *n)
{
    close(n->socket);
}

/* Behind what is there; all that is added begins at a multiple of four bytes. */
static void *
grow(struct netlink *n, size_t bytes)
{
    uint32_t at = NLMSG_ALIGN(n->n);

    assert(at + bytes <= sizeof n->bytes);
    n->n = at + (uint32_t)bytes;
    return n->bytes + at;
}

void
netlink_add_head(struct netlink *n, const struct ifinfomsg *about)
{
    memcpy(grow(n, sizeof *about), about, sizeof *about);
}

void
netlink_begin(struct netlink *n, uint16_t flags, const struct ifinfomsg *about)
{
    const struct nlmsghdr head = { .nlmsg_type = RTM_NEWLINK,
                                   .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags) };

    memset(n->bytes, 0, sizeof n->bytes);
    n->n = 0;
    memcpy(grow(n, NLMSG_HDRLEN), &head, sizeof head);
    netlink_add_head(n, about);
}

void
netlink_add(struct netlink *n, uint16_t type, const void *data, size_t bytes)
{
    const struct rtattr head = { .rta_len = (uint16_t)RTA_LENGTH(bytes), .rta_type = type };
    uint8_t *at = grow(n, RTA_LENGTH(bytes));

    memcpy(at, &head, sizeof head);
    if (bytes) {
        memcpy(at + RTA_LENGTH(0), data, bytes);
    }
}

void
netlink_text(struct netlink *n, uint16_t type, const char *text)
{
    netlink_add(n, type, text, strlen(text) + 1);
}

void
netlink_number(struct netlink *n, uint16_t type, uint32_t number)
{
    netlink_add(n, type, &number, sizeof number);
}

size_t
netlink_open_nest(struct netlink *n, uint16_t type)
{
    size_t at = NLMSG_ALIGN(n->n);

    netlink_add(n, type, NULL, 0);
    return at;
}

void
netlink_close_nest(struct netlink *n, size_t nest)
{
    const uint16_t len = (uint16_t)(n->n - nest);

    memcpy(n->bytes + nest + offsetof(struct rtattr, rta_len), &len, sizeof len);
}

/* An answer has the request's head in it, behind the error, which is negative. */
int
netlink_ask(struct netlink *n)
{
    uint8_t answer[NLMSG_SPACE(sizeof(struct nlmsgerr)) + NETLINK_BYTES];
    struct nlmsgerr said;
    ssize_t len;

    memcpy(n->bytes + offsetof(struct nlmsghdr, nlmsg_len), &n->n, sizeof n->n);
    if (send(n->socket, n->bytes, n->n, 0) < 0) {
        return errno;
    }
    do {
        len = recv(n->socket, answer, sizeof answer, 0);
    } while (len < 0 && errno == EINTR);
    if (len < 0) {
        return errno;
    }
    if (len < (ssize_t)NLMSG_LENGTH(sizeof said)) {
        return EPROTO;
    }
    memcpy(&said, answer + NLMSG_HDRLEN, sizeof said);
    return -said.error;
}
