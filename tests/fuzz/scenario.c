/* Tries any text as a scenario: the result is an error with its location, or a scenario that is
 * bound or refused. */

#include <stdlib.h>
#include <string.h>

#include "bind/bind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 leaks on some bad texts; the program's own allocations are still checked. */
const char *
__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

/* The text after a line of percent signs is that of any other file. */
static const char mark[] = "\n%%%%\n";

static char *
read_other(void *arg, const char *path, struct err *err)
{
    (void)path;
    if (!arg) {
        err_set(err, "no such file");
        return NULL;
    }
    return strdup(arg);
}

static void
ignore(void *arg, const struct scn_value *value)
{
    *(size_t *)arg += strlen(value->text) + strlen(value->origin);
}

/* Networks are built while a scenario is read. Large ones would only take time, so they are kept
 * small: by their numbers, or as lists of names, of which an input has only a few. */
static const char *const small[] = { "topology.k=4",     "topology.switches=3", "topology.hosts=2",
                                     "topology.pods=2",  "topology.leaves=3",   "topology.spines=2",
                                     "topology.cores=4", "topology.x=3",        "topology.y=3",
                                     "run.time=1us" };
static const char *const named[] = { "topology.kind=file", "run.time=1us" };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scenario s;
    struct err err;
    size_t n_written = 0;
    char *text = malloc(size + 1);

    memcpy(text, data, size);
    text[size] = '\0';
    bool is_text = strlen(text) == size;
    char *other = strstr(text, mark);
    if (other) {
        *other = '\0';
        other += sizeof mark - 1;
    }
    struct scn_source source = { .name = "fuzz", .text = text };
    struct scn_files files = { .read = read_other, .arg = other };
    bool is_named = strstr(text, "file");
    if (is_text && scn_read(&s, &source, &files, is_named ? named : small,
                            is_named ? 2 : sizeof small / sizeof *small, &err)) {
        struct model model;
        scn_each_value(&s, ignore, &n_written);
        bind_model(&s, &model, &err);
        model_free(&model);
        scn_free(&s);
    }
    free(text);
    return 0;
}
