/* Replaces the program in shell scripts that the fork server runs: fork-client [ARGUMENT]...
 *
 * The client requests a case with its own arguments, folder, streams and environment, and ends as
 * the case does: with its exit code, or by the same signal. */

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fork-request.h"

extern char **environ;

static size_t
add_words(char **words, char *text, uint32_t *n)
{
    size_t len = 0;

    for (*n = 0; words[*n]; ++*n) {
        size_t bytes = strlen(words[*n]) + 1;
        if (text) {
            memcpy(text + len, words[*n], bytes);
        }
        len += bytes;
    }
    return len;
}

static int
connect_to_server(void)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    const char *path = getenv("FORK_SERVER");
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "%s", path ? path : "");
    return connect(fd, (struct sockaddr *)&address, sizeof address) ? -1 : fd;
}

static bool
send_head(int server, struct fork_request *request)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * FORK_FDS)];
    } control = { 0 };
    struct iovec part = { .iov_base = request, .iov_len = sizeof *request };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control };
    int fds[FORK_FDS] = { open(".", O_PATH | O_DIRECTORY), 0, 1, 2 };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(head), fds, sizeof fds);
    return sendmsg(server, &message, 0) == (ssize_t)sizeof *request;
}

static bool
send_all(int server, const char *text, size_t len)
{
    while (len) {
        ssize_t n = send(server, text, len, MSG_NOSIGNAL);
        if (n <= 0) {
            return false;
        }
        text += n;
        len -= (size_t)n;
    }
    return true;
}

int
main(int argc, char **argv)
{
    struct fork_request request;
    size_t n_argument_bytes = add_words(argv, NULL, &request.n_arguments);
    size_t n_bytes = n_argument_bytes + add_words(environ, NULL, &request.n_variables);
    char *text = malloc(n_bytes);
    int server = connect_to_server(), status;

    (void)argc;
    request.n_bytes = (uint32_t)n_bytes;
    add_words(argv, text, &request.n_arguments);
    add_words(environ, text + n_argument_bytes, &request.n_variables);
    if (server < 0 || !send_head(server, &request) || !send_all(server, text, n_bytes) ||
        recv(server, &status, sizeof status, MSG_WAITALL) != (ssize_t)sizeof status) {
        fprintf(stderr, "fork-client: no answer of the server\n");
        return 125;
    }
    free(text);
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        kill(getpid(), WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
