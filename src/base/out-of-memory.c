/* Ends the program with a message if memory or threads are exhausted, and computes the available
 * memory.
 */

#include "base/out-of-memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Set when the program ends: if two threads fail at the same time, only one prints. */
static atomic_flag is_ending = ATOMIC_FLAG_INIT;

/* Set once, before threads are created. */
static const char *spoken_name = "";

void
oom_speak_as(const char *name)
{
    spoken_name = name;
}

static _Noreturn void
end_with(char *said, size_t room)
{
    size_t len = strlen(said);

    said[len < room - 1 ? len++ : len - 1] = '\n';
    while (atomic_flag_test_and_set(&is_ending)) {
        pause();
    }
    /* The output is unbuffered and no exit handlers run, because these might allocate memory. */
    ssize_t n_written = write(STDERR_FILENO, said, len);
    (void)n_written;
    _exit(OOM_EXIT);
}

_Noreturn void
oom_fail(const char *format, ...)
{
    char said[512];
    size_t len = (size_t)snprintf(said, sizeof said, "weir: %s", spoken_name);
    va_list args;

    va_start(args, format);
    vsnprintf(said + len, sizeof said - len, format, args);
    va_end(args);
    end_with(said, sizeof said);
}

_Noreturn void
oom_fail_bytes(size_t n, size_t item_bytes)
{
    if (n > 1) {
        oom_fail("out of memory: cannot allocate %zu times %zu bytes", n, item_bytes);
    }
    oom_fail("out of memory: cannot allocate %zu bytes", n * item_bytes);
}

/* The memory of the machine. */

static uint64_t
least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Reads a file with one number. "max" or a missing file means that there is no limit. */
static uint64_t
read_number(const char *path)
{
    FILE *file = fopen(path, "r");
    uint64_t number;

    if (!file) {
        return UINT64_MAX;
    }
    if (fscanf(file, "%" SCNu64, &number) != 1) {
        number = UINT64_MAX;
    }
    fclose(file);
    return number;
}

/* The sum of those lines of a file that have one of these names: "MemAvailable:  16384 kB". */
static uint64_t
sum_lines(const char *path, const char *const *names)
{
    FILE *file = fopen(path, "r");
    char line[200], name[100];
    uint64_t number, sum = 0;

    while (file && fgets(line, sizeof line, file)) {
        bool is_pair = sscanf(line, "%99s %" SCNu64, name, &number) == 2;
        for (size_t i = 0; is_pair && names[i]; i++) {
            sum += strcmp(name, names[i]) ? 0 : number;
        }
    }
    if (file) {
        fclose(file);
    }
    return sum;
}

static uint64_t
of_machine(void)
{
    static const char *const names[] = { "MemAvailable:", "SwapFree:", NULL };
    uint64_t kib = sum_lines("/proc/meminfo", names);

    return kib ? 1024 * kib : UINT64_MAX;
}

/* Control groups of versions 1 and 2. They count the page cache as used memory, although it can be
 * freed. */
static const struct cgroups {
    const char *line; /* The part of a line of /proc/self/cgroup before the path. */
    const char *root, *limit, *used;
} cgroups[] = {
    { "0::", "/sys/fs/cgroup", "memory.max", "memory.current" },
    { "memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes" },
};

static uint64_t
of_cgroup(const struct cgroups *c, const char *group)
{
    static const char *const pages[] = { "inactive_file", "active_file", NULL };
    char path[1024];

    snprintf(path, sizeof path, "%s%s/%s", c->root, group, c->limit);
    uint64_t limit = read_number(path);
    if (limit == UINT64_MAX) {
        return limit;
    }
    snprintf(path, sizeof path, "%s%s/%s", c->root, group, c->used);
    uint64_t used = read_number(path);
    snprintf(path, sizeof path, "%s%s/memory.stat", c->root, group);
    used -= least(used, sum_lines(path, pages));
    return limit - least(limit, used);
}

/* The memory that is available within the limits of a control group and its parents. */
static uint64_t
of_cgroups_around(const struct cgroups *c, char *group)
{
    uint64_t there = of_cgroup(c, "");

    for (char *end; (end = strrchr(group, '/')); *end = '\0') {
        there = least(there, of_cgroup(c, group));
    }
    return there;
}

static uint64_t
of_cgroups(void)
{
    FILE *file = fopen("/proc/self/cgroup", "r");
    char line[512];
    uint64_t there = UINT64_MAX;

    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        for (size_t i = 0; i < sizeof cgroups / sizeof *cgroups; i++) {
            char *found = strstr(line, cgroups[i].line);
            if (found) {
                there =
                    least(there, of_cgroups_around(&cgroups[i], found + strlen(cgroups[i].line)));
            }
        }
    }
    if (file) {
        fclose(file);
    }
    return there;
}

/* The memory that is available within `ulimit -v` and `ulimit -d`. */
static uint64_t
of_limits(void)
{
    struct rlimit space, data;
    uint64_t all = 0, own = 0, page = (uint64_t)sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "r");

    if (file) {
        if (fscanf(file, "%" SCNu64 " %*u %*u %*u %*u %" SCNu64, &all, &own) != 2) {
            all = own = 0;
        }
        fclose(file);
    }
    bool has_space = !getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY;
    bool has_data = !getrlimit(RLIMIT_DATA, &data) && data.rlim_cur != RLIM_INFINITY;
    uint64_t a = has_space ? space.rlim_cur - least(space.rlim_cur, all * page) : UINT64_MAX;
    uint64_t b = has_data ? data.rlim_cur - least(data.rlim_cur, own * page) : UINT64_MAX;
    return least(a, b);
}

uint64_t
oom_memory_there(void)
{
    return least(of_limits(), least(of_machine(), of_cgroups()));
}

/* Writes 41000000000 as 41 GB. Amounts have two digits, because they are estimates. */
static void
write_bytes(char *said, size_t room, uint64_t bytes)
{
    bool is_small = bytes < 10000000000;
    uint64_t tenths = bytes / 100000000;

    if (is_small) {
        snprintf(said, room, "%" PRIu64 ".%" PRIu64 " GB", tenths / 10, tenths % 10);
    } else {
        snprintf(said, room, "%" PRIu64 " GB", tenths / 10);
    }
}

enum { ALWAYS_THERE_BYTES = 100000000 }; /* Smaller amounts are not checked. */

void
oom_check(uint64_t bytes, const char *format, ...)
{
    char what[200], needed[40], found[40];
    va_list args;

    if (bytes < ALWAYS_THERE_BYTES || bytes <= oom_memory_there()) {
        return;
    }
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    write_bytes(needed, sizeof needed, bytes);
    write_bytes(found, sizeof found, oom_memory_there());
    oom_fail("%s need about %s of memory, but only %s are free", what, needed, found);
}
