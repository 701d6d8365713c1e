/* `weir keys`: lists the keys of a scenario, with type, default, values and meaning. */

#include <stdio.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/wrapped.h"
#include "scenario/key-tables.h"

enum form { TEXT, JSON, MARKDOWN };

struct options {
    struct verb_operands name;
    int form;
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, AT(form), JSON },
    { "--markdown", NULL, "Shows the same as a Markdown table, as in doc/.", VERB_ONE_OF, AT(form),
      MARKDOWN },
    { 0 },
};

static int
run_keys(void *given)
{
    static void (*const writers[])(FILE *, const char *) = {
        [TEXT] = scn_key_table_text,
        [JSON] = scn_key_table_json,
        [MARKDOWN] = scn_key_table_markdown,
    };
    const struct options *o = given;
    const char *name = o->name.n ? o->name.items[0] : NULL, *names[SCN_MAX_KEY_TABLES];
    size_t n = scn_key_table_names(names);
    struct wrapped wrapped;
    char offer[200];

    if (name && text_find(name, names, sizeof *names, n) == n) {
        text_offer(name, names, sizeof names[0], n, offer, sizeof offer);
        return cli_fail(EXIT_USER, "no section '%s' of a scenario%s\n'weir keys' lists them", name,
                        offer);
    }
    wrapped_begin(&wrapped, o->form == TEXT);
    writers[o->form](stdout, name);
    wrapped_end(&wrapped);
    return EXIT_GOOD;
}

const struct verb cli_keys = {
    .name = "keys",
    .group = VERB_WRITE,
    .run = run_keys,
    .brief = "list the keys of a scenario: types, defaults and values",
    .operands = "[SECTION]",
    .about = "Lists the sections of a scenario. With a SECTION, shows its keys: type, default, "
             "allowed values and meaning.",
    .examples = "  weir keys switch\n  weir keys topology.links\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .max_operands = 1,
};
