/* Network namespaces, and whether this process may make any: network_namespaces(7).
 *
 * Root may.  Other users may where the kernel lets them have a user namespace, in which they are
 * root over its contents and over nothing else: user_namespaces(7). */

#ifndef LAB_NAMESPACE_H
#define LAB_NAMESPACE_H

#include "base/err.h"

enum namespace_right { NAMESPACE_BY_RIGHT, NAMESPACE_BY_USER, NAMESPACE_REFUSED };

/* Takes the lab into a namespace of its own, from which it may make others and links between them.
 * It has no other network from then on, and needs none. */
bool namespace_enter_lab(struct err *);

/* Takes the process of a node into one, in which it is alone. */
bool namespace_enter_node(struct err *);

/* The result of the first one, tried in a process that ends at once. */
enum namespace_right namespace_ask(void);

/* Advice for the user if it is refused, in a sentence. */
extern const char namespace_advice[];

#endif
