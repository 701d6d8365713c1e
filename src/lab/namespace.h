/* Creates network namespaces, and finds whether this process may do so: network_namespaces(7).
 *
 * Root may create them.  Other users may if the kernel lets them create a user namespace, in which
 * they have root's rights over its contents only: user_namespaces(7). */

#ifndef LAB_NAMESPACE_H
#define LAB_NAMESPACE_H

#include "base/err.h"

enum namespace_right { NAMESPACE_BY_RIGHT, NAMESPACE_BY_USER, NAMESPACE_REFUSED };

/* Moves the lab into its own namespace, in which it can create others and links between them. From
 * then on it has no other network, and needs none. */
bool namespace_enter_lab(struct err *);

/* Moves the process of a node into a separate namespace. */
bool namespace_enter_node(struct err *);

/* Tries namespace_enter_lab() in a process that ends at once, and returns the result. */
enum namespace_right namespace_ask(void);

/* A sentence of advice for the user if namespaces are refused. */
extern const char namespace_advice[];

#endif
