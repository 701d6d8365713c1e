/* Opens a YAML file of a study as a tree. */

#include "run/study-file.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_BYTES = 1 << 20 };

int
study_file_open(struct study_file *f, const char *path, struct err *err)
{
    size_t len;

    *f = (struct study_file){ .text = text_read_file(path, MAX_BYTES, &len, err) };
    f->source = (struct scn_source){ .name = path, .text = f->text };
    if (!f->text) {
        return EXIT_WORLD;
    }
    if (!text_expect(path, f->text, len, err)) {
        return EXIT_USER;
    }
    f->root = scn_tree_read(&f->source, err);
    return f->root ? EXIT_GOOD : EXIT_USER;
}

void
study_file_close(struct study_file *f)
{
    if (f->root) {
        scn_tree_free(f->root);
    }
    free(f->text);
}

bool
study_file_has(const struct study_file *f, const char *key)
{
    return scn_child(f->root, key);
}
