/* Creates network namespaces, as root or within a user namespace. */

#define _GNU_SOURCE /* unshare() */

#include "lab/namespace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char namespace_advice[] =
    "run it as root, as in `sudo weir lab`, or allow users to create namespaces. These "
    "sysctls decide that: user.max_user_namespaces and user.max_net_namespaces; also "
    "kernel.unprivileged_userns_clone on Debian, and "
    "kernel.apparmor_restrict_unprivileged_userns on Ubuntu";

static bool
write_line(const char *path, const char *line)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    bool good = file >= 0 && write(file, line, strlen(line)) == (ssize_t)strlen(line);

    if (file >= 0) {
        close(file);
    }
    return good;
}

/* Maps the user to root in the namespace. Written files still belong to that user. */
static bool
map_user_to_root(uid_t user, gid_t group)
{
    char users[40], groups[40];

    snprintf(users, sizeof users, "0 %u 1", user);
    snprintf(groups, sizeof groups, "0 %u 1", group);
    return write_line("/proc/self/setgroups", "deny") && write_line("/proc/self/uid_map", users) &&
           write_line("/proc/self/gid_map", groups);
}

static enum namespace_right
enter(void)
{
    uid_t user = geteuid();
    gid_t group = getegid();

    if (!unshare(CLONE_NEWNET)) {
        return NAMESPACE_BY_RIGHT;
    }
    bool may =
        errno == EPERM && !unshare(CLONE_NEWUSER | CLONE_NEWNET) && map_user_to_root(user, group);
    return may ? NAMESPACE_BY_USER : NAMESPACE_REFUSED;
}

bool
namespace_enter_lab(struct err *err)
{
    return enter() != NAMESPACE_REFUSED ||
           err_set(err,
                   "a lab creates network namespaces, which this user may not do here (%s): %s",
                   strerror(errno), namespace_advice);
}

bool
namespace_enter_node(struct err *err)
{
    return !unshare(CLONE_NEWNET) ||
           err_set(err, "cannot make a network namespace: %s", strerror(errno));
}

enum namespace_right
namespace_ask(void)
{
    pid_t pid = fork();
    int status = 0;

    if (!pid) {
        _exit((int)enter());
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) ? (enum namespace_right)WEXITSTATUS(status)
                                        : NAMESPACE_REFUSED;
}
