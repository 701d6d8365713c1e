/* Runs many cases of the program without starting it anew: fork-server SCRIPT [ARGUMENT]...
 *
 * Under sanitizers a start costs 30 ms, a fork of a started program a few ms.  The server is the
 * program itself, linked from the same objects, but its main() is called in a fork for each case.
 * So each case is a process with its own memory, exit code and leak check, and a crash ends only
 * that case.
 *
 * The server runs the script with FORK_SERVER, the path of its socket, and FORK_CLIENT, a small
 * program that can replace the real one, in the environment. It ends with the script's exit code.
 * A request is a connection (fork-request.h): four descriptors and the words of the case. The
 * response is the status of waitpid().  If a client closes the connection earlier, the server kills
 * its case. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fork-request.h"

/* The linker option --wrap=main gives these names to the main() of the program and to the main()
 * that starts. */
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

enum { MAX_CASES = 64, FIRST_CASE = 2 };

struct server {
    char folder[64];
    struct sockaddr_un address;
    int listener;
    pid_t script;
    int script_fd;
    struct {
        pid_t pid;
        int pid_fd;
        int client;
    } cases[MAX_CASES];
    size_t n_cases;
};

struct words {
    char *text;
    char **items; /* Arguments of the command, null, variables of the environment, null. */
    size_t n_arguments;
};

static void
must(bool is_good, const char *what)
{
    if (!is_good) {
        fprintf(stderr, "fork-server: cannot %s: %s\n", what, strerror(errno));
        exit(1);
    }
}

/* Receives the descriptors of a request, and the numbers of bytes and words that follow. */
static bool
receive_head(int client, struct fork_request *request, int fds[FORK_FDS])
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int) * FORK_FDS)];
    } control;
    struct iovec part = { .iov_base = request, .iov_len = sizeof *request };
    struct msghdr message = { .msg_iov = &part,
                              .msg_iovlen = 1,
                              .msg_control = control.bytes,
                              .msg_controllen = sizeof control };
    ssize_t n = recvmsg(client, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC);
    struct cmsghdr *head = n == (ssize_t)sizeof *request ? CMSG_FIRSTHDR(&message) : NULL;

    if (!head || head->cmsg_len != CMSG_LEN(sizeof(int) * FORK_FDS)) {
        return false;
    }
    memcpy(fds, CMSG_DATA(head), sizeof(int) * FORK_FDS);
    return true;
}

/* Returns false if the client has closed the connection. */
static bool
receive_words(int client, const struct fork_request *request, struct words *w)
{
    size_t n = request->n_arguments + request->n_variables;

    w->n_arguments = request->n_arguments;
    w->text = malloc(request->n_bytes + 1);
    w->items = calloc(n + 2, sizeof *w->items);
    must(w->text && w->items, "allocate");
    for (size_t got = 0; got < request->n_bytes;) {
        ssize_t more = recv(client, w->text + got, request->n_bytes - got, 0);
        if (more <= 0) {
            return false;
        }
        got += (size_t)more;
    }
    char *at = w->text;
    for (size_t i = 0; i < n; i++) {
        w->items[i < request->n_arguments ? i : i + 1] = at;
        at += strlen(at) + 1;
    }
    return true;
}

static void
become_case(struct server *s, const int fds[FORK_FDS], const struct words *w)
{
    extern char **environ;

    for (size_t i = 0; i < s->n_cases; i++) {
        close(s->cases[i].client);
        close(s->cases[i].pid_fd);
    }
    close(s->listener);
    close(s->script_fd);
    must(!fchdir(fds[FORK_CWD]), "enter the folder");
    for (int i = 0; i < 3; i++) {
        must(dup2(fds[FORK_STDIN + i], i) == i, "take a stream");
    }
    for (int i = 0; i < FORK_FDS; i++) {
        close(fds[i]);
    }
    environ = w->items + w->n_arguments + 1;
    exit(__real_main((int)w->n_arguments, w->items));
}

static void
start_case(struct server *s, int client)
{
    struct fork_request request;
    struct words w = { 0 };
    int fds[FORK_FDS] = { -1, -1, -1, -1 };
    bool is_whole = receive_head(client, &request, fds) && receive_words(client, &request, &w);
    pid_t pid = is_whole ? fork() : -1;

    if (pid == 0) {
        close(client);
        become_case(s, fds, &w);
    }
    for (int i = 0; i < FORK_FDS && fds[i] >= 0; i++) {
        close(fds[i]);
    }
    free(w.text);
    free(w.items);
    if (pid < 0) {
        close(client);
        return;
    }
    s->cases[s->n_cases].pid = pid;
    s->cases[s->n_cases].client = client;
    s->cases[s->n_cases].pid_fd = pidfd_open(pid, 0);
    must(s->cases[s->n_cases].pid_fd >= 0, "watch a case");
    s->n_cases++;
}

static void
end_case(struct server *s, size_t i)
{
    int status;

    must(waitpid(s->cases[i].pid, &status, 0) > 0, "wait for a case");
    send(s->cases[i].client, &status, sizeof status, MSG_NOSIGNAL);
    close(s->cases[i].client);
    close(s->cases[i].pid_fd);
    s->cases[i] = s->cases[--s->n_cases];
}

/* Returns false if the script has ended and needs no more cases. */
static bool
serve_once(struct server *s)
{
    struct pollfd fds[FIRST_CASE + 2 * MAX_CASES] = { { .fd = s->script_fd, .events = POLLIN },
                                                      { .fd = s->listener, .events = POLLIN } };
    size_t n = s->n_cases;

    for (size_t i = 0; i < n; i++) {
        fds[FIRST_CASE + 2 * i] = (struct pollfd){ .fd = s->cases[i].pid_fd, .events = POLLIN };
        fds[FIRST_CASE + 2 * i + 1] =
            (struct pollfd){ .fd = s->cases[i].client, .events = POLLRDHUP };
    }
    fds[1].fd = n < MAX_CASES ? s->listener : -1;
    must(poll(fds, FIRST_CASE + 2 * n, -1) > 0, "poll");
    for (size_t i = n; i-- > 0;) {
        if (fds[FIRST_CASE + 2 * i].revents) {
            end_case(s, i);
        } else if (fds[FIRST_CASE + 2 * i + 1].revents) {
            kill(s->cases[i].pid, SIGKILL);
        }
    }
    if (fds[1].revents) {
        int client = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC);
        must(client >= 0, "accept");
        start_case(s, client);
    }
    return !fds[0].revents;
}

static void
listen_for_cases(struct server *s)
{
    snprintf(s->folder, sizeof s->folder, "/tmp/fork-server.XXXXXX");
    must(mkdtemp(s->folder), "make a folder");
    s->address.sun_family = AF_UNIX;
    snprintf(s->address.sun_path, sizeof s->address.sun_path, "%s/socket", s->folder);
    s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    must(!bind(s->listener, (struct sockaddr *)&s->address, sizeof s->address), "bind");
    must(!listen(s->listener, MAX_CASES), "listen");
}

static void
start_script(struct server *s, char **argv)
{
    char client[4096];
    ssize_t len = readlink("/proc/self/exe", client, sizeof client - sizeof "fork-client");

    must(len > 0, "find itself");
    client[len] = '\0';
    memcpy(strrchr(client, '/') + 1, "fork-client", sizeof "fork-client");
    s->script = fork();
    if (s->script == 0) {
        setenv("FORK_SERVER", s->address.sun_path, 1);
        setenv("FORK_CLIENT", client, 1);
        execvp(argv[0], argv);
        must(false, argv[0]);
    }
    s->script_fd = pidfd_open(s->script, 0);
    must(s->script_fd >= 0, "watch the script");
}

/* Fails if the program was built anew and this was not, as cases would then run old code. */
static void
expect_as_new_as(const char *program)
{
    const char *slash = strrchr(program, '/');
    struct stat own, other;

    if (slash && !strcmp(slash, "/weir") && !stat("/proc/self/exe", &own) &&
        !stat(program, &other) &&
        (own.st_mtim.tv_sec < other.st_mtim.tv_sec ||
         (own.st_mtim.tv_sec == other.st_mtim.tv_sec &&
          own.st_mtim.tv_nsec < other.st_mtim.tv_nsec))) {
        fprintf(stderr, "fork-server: it is older than %s; build it, too: ninja fork-server\n",
                program);
        exit(1);
    }
}

int
__wrap_main(int argc, char **argv)
{
    struct server s = { 0 };
    int status;

    if (argc < 2) {
        fprintf(stderr, "usage: fork-server SCRIPT [ARGUMENT]...\n");
        return 2;
    }
    if (argc > 2) {
        expect_as_new_as(argv[2]);
    }
    listen_for_cases(&s);
    start_script(&s, argv + 1);
    while (serve_once(&s)) {
    }
    for (size_t i = 0; i < s.n_cases; i++) {
        kill(s.cases[i].pid, SIGKILL);
    }
    unlink(s.address.sun_path);
    rmdir(s.folder);
    must(waitpid(s.script, &status, 0) > 0, "wait for the script");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
