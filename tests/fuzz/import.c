/* Any text as a network or as flows in the format of another program: an error with its place, or a
 * scenario.  The first letter says which format. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 itself leaks on some bad texts; what we allocate is still watched. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

static const char *const scenarios[] = {
    "topology: {kind: hpcc, file: f}",
    "topology: {kind: htsim, file: f}",
    "topology: {kind: containerlab, file: f}",
    "topology: {kind: fat-tree, k: 4}\nwire: {classes: 8}\nflows: {hpcc: f}",
    "topology: {kind: fat-tree, k: 4}\nflows: {htsim: f, skip: 1us}",
};

static char *
read_other(void *arg, const char *path, struct err *err)
{
    (void)path, (void)err;
    return strdup(arg);
}

static void
ignore(void *arg, const struct scn_value *value)
{
    *(size_t *)arg += strlen(value->text) + strlen(value->origin);
}

/* Large networks would only cost time.  Sizes of flows and their times may be large. */
static bool
has_large_number(const char *text)
{
    size_t n_digits = 0;

    for (; *text; text++) {
        n_digits = isdigit((unsigned char)*text) ? n_digits + 1 : 0;
        if (n_digits > 3) {
            return true;
        }
    }
    return false;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n_written = 0, kind = size ? data[0] % 5u : 0;
    struct scn_source source = { .name = "fuzz", .text = scenarios[kind] };
    struct scenario s;
    struct err err;

    if (!size) {
        return 0;
    }
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    struct scn_files files = { read_other, text };
    bool is_small = kind > 2 || !has_large_number(text);
    if (strlen(text) == size - 1 && is_small && scn_read(&s, &source, &files, NULL, 0, &err)) {
        scn_each_value(&s, ignore, &n_written);
        scn_free(&s);
    }
    free(text);
    return 0;
}
