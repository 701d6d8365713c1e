/* A file of a study, as a tree: statements, figures, a study, a plan or a scenario.
 *
 *     struct study_file f;
 *     int code = study_file_open(&f, path, &err);
 *     ... study_file_has(&f, "over") ...
 *     study_file_close(&f);                        whatever the code is */

#ifndef RUN_STUDY_FILE_H
#define RUN_STUDY_FILE_H

#include "run/exit.h"
#include "scenario/tree.h"

struct study_file {
    struct scn_source source;
    char *text;
    struct scn_node *root; /* A map. */
};

/* Opens a file. Returns an exit code: EXIT_WORLD if the file cannot be read, EXIT_USER if it is not
 * a tree. */
int study_file_open(struct study_file *, const char *path, struct err *);
void study_file_close(struct study_file *);

/* Whether the root of the file's tree has the key. */
bool study_file_has(const struct study_file *, const char *key);

#endif
