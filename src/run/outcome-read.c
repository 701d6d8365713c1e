/* Reads a scenario from its file, or from a recorded run together with the files that it names. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/installed.h"
#include "base/safe-open.h"
#include "base/text.h"
#include "run/outcome.h"
#include "run/recorded.h"

enum { MAX_BYTES = 16 << 20 };

typedef char *read_file(const char *path, size_t max_bytes, size_t *len, struct err *);

static char *
read_below(const char *path, size_t max_bytes, size_t *len, struct err *err)
{
    return safe_read_file(".", path, SAFE_INPUTS, max_bytes, len, err);
}

static char *
read_other(void *arg, const char *path, struct err *err)
{
    read_file *const *read = arg;
    size_t len;
    char *text = (*read)(path, MAX_BYTES, &len, err);

    if (text && !text_expect(path, text, len, err)) {
        free(text);
        return NULL;
    }
    return text;
}

static int
open_installed(const char *path, struct err *err)
{
    char room[INSTALLED_PATH_BYTES];
    int file = open(installed_or(path, room), O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (file < 0) {
        err_set(err, "cannot open %s: %s", path, strerror(errno));
    }
    return file;
}

static int
open_below(const char *path, struct err *err)
{
    return safe_open(".", path, SAFE_INPUTS, err);
}

static bool
exists_installed(const char *path)
{
    char room[INSTALLED_PATH_BYTES];

    return !access(installed_or(path, room), F_OK);
}

/* Names that are not allowed exist, so that opening them says why. */
static bool
exists_below(const char *path)
{
    return safe_find(".", path, SAFE_INPUTS, NULL) != SAFE_NOTHING;
}

static int
read_first(read_file *read, const char *file, char **yaml, size_t *len, struct err *err)
{
    if (!recorded_is_name(file)) {
        *yaml = read(file, MAX_BYTES, len, err);
        return *yaml ? EXIT_GOOD : EXIT_WORLD;
    }
    int code = recorded_read(file, RECORDED_SCENARIO, read == read_below, yaml, err);
    *len = *yaml ? strlen(*yaml) : 0;
    return code;
}

static int
read_by(read_file *read, struct scenario *s, const char *file, const char *const *sets,
        size_t n_sets, struct err *err)
{
    size_t len;
    char *yaml;
    int code = read_first(read, file, &yaml, &len, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    struct scn_source source = { .name = file, .text = yaml };
    struct scn_files files = { .read = read_other,
                               .arg = &read,
                               .open = read == read_below ? open_below : open_installed,
                               .exists = read == read_below ? exists_below : exists_installed };
    bool good =
        text_expect(file, yaml, len, err) && scn_read(s, &source, &files, sets, n_sets, err);
    free(yaml);
    return good ? EXIT_GOOD : EXIT_USER;
}

int
outcome_read(struct scenario *s, const char *file, const char *const *sets, size_t n_sets,
             struct err *err)
{
    return read_by(installed_read, s, file, sets, n_sets, err);
}

int
outcome_read_confined(struct scenario *s, const char *file, const char *const *sets, size_t n_sets,
                      struct err *err)
{
    return read_by(read_below, s, file, sets, n_sets, err);
}
