/* Tries any text as a network or as flows in the format of another program: the result is an error
 * with its location, or a scenario.  The first letter selects the format. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 leaks on some bad texts; the program's own allocations are still checked. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

enum { CONTAINERLAB = 2, SIMAI = 6 }; /* Indexes of scenarios. */

static const char *const scenarios[] = {
    "topology: {kind: hpcc, file: f}",
    "topology: {kind: htsim, file: f}",
    "topology: {kind: containerlab, file: f}",
    "topology: {kind: fat-tree, k: 4}\nwire: {classes: 8}\nflows: {hpcc: f}",
    "topology: {kind: fat-tree, k: 4}\nflows: {htsim: f, skip: 1us}",
    "topology: {kind: hpcc, config: f}",
    "topology: {kind: simai, file: f}",
};

/* The files that a config of HPCC's simulator in the corpus names. */
static const struct {
    const char *name, *text;
} named[] = {
    { "net", "6 2 5\n4 5\n0 4 100Gbps 1us 0\n1 4 100Gbps 1us 0\n2 5 100Gbps 1us 0\n"
             "3 5 100Gbps 2us 0\n4 5 400Gbps 1us 0.01\n" },
    { "flow", "2\n0 3 3 100 1000000 2.0\n1 2 3 101 5000 2.0001\n" },
};

static char *
read_other(void *arg, const char *path, struct err *err)
{
    const char *text = arg;

    (void)err;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        text = strcmp(path, named[i].name) ? text : named[i].text;
    }
    return strdup(text);
}

static void
ignore(void *arg, const struct scn_value *value)
{
    *(size_t *)arg += strlen(value->text) + strlen(value->origin);
}

/* Large networks would only take time.  Sizes of flows and their times may be large. */
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
    size_t n_kinds = sizeof scenarios / sizeof *scenarios;
    /* The letter 'd' selects the first format. */
    size_t n_written = 0, kind = size ? (data[0] + 5) % n_kinds : 0;
    struct scn_source source = { .name = "fuzz", .text = scenarios[kind] };
    struct scenario s;
    struct err err;

    if (!size) {
        return 0;
    }
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    struct scn_files files = { .read = read_other, .arg = text };
    bool is_network = kind <= CONTAINERLAB || kind == SIMAI;
    bool is_small = !is_network || !has_large_number(text);
    if (strlen(text) == size - 1 && is_small && scn_read(&s, &source, &files, NULL, 0, &err)) {
        scn_each_value(&s, ignore, &n_written);
        scn_free(&s);
    }
    free(text);
    return 0;
}
