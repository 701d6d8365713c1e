/* Opens the parts of a path one by one from a folder, without following symbolic links. */

#include "base/safe-open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum { MAX_NAME = 1000 };

static const struct kind {
    const char *endings[8];
    const char *words;
} kinds[] = {
    [SAFE_SCENARIOS] = { { ".yaml", ".yml" }, ".yaml or .yml" },
    [SAFE_INPUTS] = { { ".yaml", ".yml", ".json", ".txt", ".topo", ".cm" },
                      ".yaml, .yml, .json, .txt, .topo or .cm" },
    [SAFE_RESULTS] = { { ".db" }, ".db" },
};

/* Checks of names. */

static bool
has_ending(const char *name, const struct kind *kind)
{
    for (const char *const *e = kind->endings; *e; e++) {
        if (text_ends_with(name, *e)) {
            return true;
        }
    }
    return false;
}

static bool
is_part(const char *part, size_t n)
{
    bool good = n && n <= NAME_MAX && part[0] != '.' && part[0] != '-';

    for (size_t i = 0; good && i < n; i++) {
        good = (unsigned char)part[i] >= 0x20 && part[i] != 0x7f;
    }
    return good;
}

static bool
leads_down(const char *name)
{
    size_t n;

    for (; n = strcspn(name, "/"), is_part(name, n); name += n + 1) {
        if (!name[n]) {
            return true;
        }
    }
    return false;
}

bool
safe_is_name(const char *name, enum safe_kind kind, struct err *err)
{
    if (!name || strlen(name) > MAX_NAME || !leads_down(name)) {
        return err_set(err,
                       "'%.100s' is not the name of a file below this folder: only such files may "
                       "be opened here, without '..' and not hidden",
                       name ? name : "");
    }
    return has_ending(name, &kinds[kind]) ||
           err_set(err, "'%.100s' may not be opened here: its name must end in %s", name,
                   kinds[kind].words);
}

/* Opening of files. */

/* Opens the folder of the last part, and moves 'name' to that part; returns -1 with errno on
 * failure. */
static int
walk(const char *folder, const char **name)
{
    int at = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char part[NAME_MAX + 1];

    for (size_t n; at >= 0 && (n = strcspn(*name, "/"), (*name)[n]); *name += n + 1) {
        memcpy(part, *name, n);
        part[n] = '\0';
        int next = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int why = errno;
        close(at);
        errno = why;
        at = next;
    }
    return at;
}

enum safe_found
safe_find(const char *folder, const char *name, enum safe_kind kind, struct stat *file)
{
    struct stat st;
    struct err why;

    if (!safe_is_name(name, kind, &why)) {
        return SAFE_FORBIDDEN;
    }
    int at = walk(folder, &name);
    int failed = at < 0 || fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) ? errno : 0;
    if (at >= 0) {
        close(at);
    }
    if (failed || !S_ISREG(st.st_mode)) {
        return failed == ENOENT ? SAFE_NOTHING : SAFE_FORBIDDEN;
    }
    if (file) {
        *file = st;
    }
    return SAFE_FILE;
}

/* Sets an error. If a part of the path is a symbolic link, errno is ELOOP for the file and ENOTDIR
 * for a folder. */
static int
refuse(const char *name, int why, struct err *err)
{
    if (why == ELOOP || why == ENOTDIR) {
        err_set(err, "%s may not be opened here: it is a symbolic link, or its path has one", name);
    } else {
        err_set(err, "%s: %s", name, strerror(why));
    }
    return -1;
}

int
safe_open(const char *folder, const char *name, enum safe_kind kind, struct err *err)
{
    /* Opening a pipe without a writer does not block. */
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    const char *last = name;
    struct stat st;

    if (!safe_is_name(name, kind, err)) {
        return -1;
    }
    int at = walk(folder, &last);
    int fd = at < 0 ? -1 : openat(at, last, flags), why = errno;
    if (at >= 0) {
        close(at);
    }
    if (fd < 0) {
        return refuse(name, why, err);
    }
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        err_set(err, "%s may not be opened here: it is not a plain file", name);
        close(fd);
        return -1;
    }
    return fd;
}

char *
safe_read_file(const char *folder, const char *name, enum safe_kind kind, size_t max_bytes,
               size_t *len, struct err *err)
{
    int fd = safe_open(folder, name, kind, err);

    return fd < 0 ? NULL : text_read_open(fd, name, max_bytes, len, err);
}
