/* `weir docs`: prints the path of the installed documentation, or opens it. */

#define _XOPEN_SOURCE 700 /* realpath() */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/installed.h"
#include "cli/cli.h"

/* Possible locations of the documentation site, relative to the program: in a build, installed, and
 * in Debian's packages. The last two are the site's source pages. */
static const struct {
    const char *folder, *name;
} places[] = {
    { ".", "site/index.html" },
    { "../share/doc/weir", "site/index.html" },
    { "../share/doc/weir-doc", "html/index.html" },
    { "../share/doc/weir", "README.md" },
    { "..", "README.md" },
};

enum { N_PLACES = sizeof places / sizeof *places };

static const struct verb_option options[] = {
    { "--open", NULL, "Opens the documentation in a browser, by xdg-open.", VERB_FLAG,
      .offset = 0 },
    { 0 },
};

static int
open_page(char *page)
{
    execlp("xdg-open", "xdg-open", page, (char *)NULL);
    return cli_fail(EXIT_WORLD, "cannot open %s: xdg-open: %s", page, strerror(errno));
}

static int
run_docs(void *given)
{
    bool opens = *(const bool *)given;
    char path[INSTALLED_PATH_BYTES];
    size_t i = 0;

    while (i < N_PLACES && !installed_path(places[i].folder, places[i].name, path)) {
        i++;
    }
    char *page = i < N_PLACES ? realpath(path, NULL) : NULL;
    if (!page) {
        return cli_fail(EXIT_WORLD, "the documentation is not installed with this program; "
                                    "`make docs` of a clone builds it");
    }
    int code = opens ? open_page(page) : EXIT_GOOD;
    if (!opens) {
        puts(page);
    }
    free(page);
    return code;
}

const struct verb cli_docs = {
    .name = "docs",
    .group = VERB_OTHER,
    .run = run_docs,
    .brief = "print the path of the documentation, or open it",
    .operands = "",
    .about =
        "Prints the path of the first page of the documentation. This page is part of the site if "
        "the site is built or installed, and otherwise a text file. The site needs no server and "
        "no network.",
    .examples = "  weir docs\n"
                "  weir docs --open\n",
    .options = options,
    .options_bytes = sizeof(bool),
};
