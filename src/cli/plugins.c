/* `weir engines`, `weir topologies` and others: list what a scenario can choose by name, or show
 * one with its parameters.  One verb for each registry. */

#include "scenario/plugin-tables.h"

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/wrapped.h"

enum { MAX_NAMES = 64 };

static int
unknown_plugin(const struct weir_registry *registry, const char *name)
{
    const char *names[MAX_NAMES];
    char offer[200];

    text_offer(name, names, sizeof names[0], weir_plugin_names(registry, names, MAX_NAMES), offer,
               sizeof offer);
    return cli_fail(EXIT_USER, "unknown %s '%s'%s\n'weir %s' lists them", registry->one, name,
                    offer, registry->many);
}

struct options {
    struct verb_operands name;
    int format;
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, AT(format), SCN_PLUGIN_JSON },
    { "--markdown", NULL, "Shows the same as Markdown tables, as in doc/.", VERB_ONE_OF, AT(format),
      SCN_PLUGIN_MARKDOWN },
    { 0 },
};

static int
run_plugins(void *given)
{
    const struct options *o = given;
    const struct scn_registry *r = scn_registry_find(o->name.verb->name);
    const struct weir_plugin *p = NULL;
    struct wrapped wrapped;

    if (o->name.n && !(p = weir_plugin_find(r->registry, o->name.items[0]))) {
        return unknown_plugin(r->registry, o->name.items[0]);
    }
    wrapped_begin(&wrapped, o->format == SCN_PLUGIN_TEXT);
    if (p) {
        scn_write_plugin(stdout, r->registry, p, (enum scn_plugin_form)o->format);
    } else {
        scn_write_plugins(stdout, r, (enum scn_plugin_form)o->format);
    }
    wrapped_end(&wrapped);
    return EXIT_GOOD;
}

struct verb
cli_plugins(const struct weir_registry *registry)
{
    return (struct verb){ .name = registry->many,
                          .group = VERB_WRITE,
                          .run = run_plugins,
                          .brief = registry->title,
                          .operands = "[NAME]",
                          .about = "Lists what a scenario can choose by name. With a NAME, shows "
                                   "that one with its parameters: kind, default, range, source.",
                          .options = options,
                          .options_bytes = sizeof(struct options),
                          .max_operands = 1,
                          .terms_group = "Names",
                          .registry = registry };
}
