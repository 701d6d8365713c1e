/* Keeps the first error that DPDK logs. */

#include "dataplane/dpdk/said.h"

#include <fcntl.h>
#include <rte_log.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct {
    char text[256];
    size_t n;
    bool is_whole;
} first;

static ssize_t
keep(void *arg, const char *text, size_t n)
{
    (void)arg;
    for (size_t i = 0; i < n && !first.is_whole; i++) {
        first.is_whole = text[i] == '\n' || first.n == sizeof first.text - 1;
        if (!first.is_whole) {
            first.text[first.n++] = text[i];
        }
    }
    return (ssize_t)n;
}

void
said_keep(void)
{
    FILE *log = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = keep });

    if (log) {
        setvbuf(log, NULL, _IOLBF, BUFSIZ);
        rte_openlog_stream(log);
    }
    rte_log_set_global_level(RTE_LOG_ERR);
}

void
said_forget(void)
{
    memset(&first, 0, sizeof first);
}

const char *
said_first(void)
{
    if (first.n && first.text[first.n - 1] == '.') {
        first.text[--first.n] = '\0';
    }
    return first.text;
}

static int
replace(int fd, int with)
{
    int old = dup(fd);

    dup2(with, fd);
    return old;
}

struct said_hush
said_hush(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    fflush(NULL);
    struct said_hush hush = { replace(STDOUT_FILENO, nowhere), replace(STDERR_FILENO, nowhere) };
    close(nowhere);
    return hush;
}

void
said_unhush(struct said_hush hush)
{
    fflush(NULL);
    dup2(hush.out, STDOUT_FILENO);
    dup2(hush.err, STDERR_FILENO);
    close(hush.out);
    close(hush.err);
}
