/* Runs a paper's scenarios, and holds what was published against what was measured. */

#include "run/reproduction.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { MAX_STUDY_BYTES = 1 << 20 };

bool
reproduce_holds(char sign, double published, double within, double measured)
{
    double slack = published * within;

    return sign == '<'   ? measured < published
           : sign == '>' ? measured > published
                         : measured >= published - slack && measured <= published + slack;
}

/* Studies vary something over a scenario, and plans are plans. */
int
reproduce_file(struct reproduction *r, const char *file, struct err *err)
{
    size_t len;
    char *text = text_read_file(file, MAX_STUDY_BYTES, &len, err);
    struct scn_source source = { .name = file, .text = text };

    r->warning.text[0] = '\0';
    if (!text) {
        return EXIT_WORLD;
    }
    struct scn_node *root = strlen(text) == len ? scn_tree_read(&source, err) : NULL;
    bool is_map = root && root->kind == SCN_MAP;
    int code = is_map && scn_child(root, "over")   ? reproduce_sweep(r, file, err)
               : is_map && scn_child(root, "plan") ? reproduce_plan(r, root, err)
                                                   : reproduce_runs(r, file, err);
    if (root) {
        scn_tree_free(root);
    }
    free(text);
    return code;
}
