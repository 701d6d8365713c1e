/* Reads parts of a trace file. */

#include "graph/trace-file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

static char *
copy_name(const char *name)
{
    size_t n = strlen(name) + 1;

    return memcpy(array_new(n, 1), name, n);
}

bool
trace_open(struct trace_file *f, int file, const char *name, struct err *err)
{
    struct stat s;

    if (fstat(file, &s) != 0) {
        err_set(err, "cannot read %s: %s", name, strerror(errno));
        close(file);
        return false;
    }
    if (!S_ISREG(s.st_mode)) {
        close(file);
        return err_set(err, "cannot read %s: it is not a regular file", name);
    }
    *f = (struct trace_file){ copy_name(name), file, NULL, (uint64_t)s.st_size };
    return true;
}

void
trace_open_bytes(struct trace_file *f, const void *bytes, size_t n, const char *name)
{
    *f = (struct trace_file){ copy_name(name), -1, bytes, n };
}

void
trace_close(struct trace_file *f)
{
    if (f->file >= 0) {
        close(f->file);
    }
    free(f->name);
    *f = (struct trace_file){ .file = -1 };
}

static size_t
read_bytes(const struct trace_file *f, uint64_t offset, void *to, size_t n)
{
    uint64_t left = offset < f->size ? f->size - offset : 0;

    n = n < left ? n : (size_t)left;
    if (n) {
        memcpy(to, f->bytes + offset, n);
    }
    return n;
}

size_t
trace_read(const struct trace_file *f, uint64_t offset, void *to, size_t n)
{
    size_t done = 0;

    if (f->file < 0) {
        return read_bytes(f, offset, to, n);
    }
    while (done < n) {
        ssize_t got = pread(f->file, (char *)to + done, n - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        done += (size_t)got;
    }
    return done;
}
