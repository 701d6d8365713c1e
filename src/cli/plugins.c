/* `weir engines`, `weir topologies` and others: list the components that a scenario can choose by
 * name, or show one with its parameters. There is one verb for each registry. */

#include "scenario/plugin-tables.h"

#include "base/text.h"
#include "cli/cli.h"
#include "cli/name-list.h"

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

struct choice {
    const struct scn_registry *registry;
    const struct weir_plugin *plugin; /* Null: all plug-ins of the registry. */
};

static void
write_choice(FILE *out, const void *choice, enum scn_list_form form)
{
    const struct choice *c = choice;

    if (c->plugin) {
        scn_write_plugin(out, c->registry->registry, c->plugin, form);
    } else {
        scn_write_plugins(out, c->registry, form);
    }
}

static int
run_plugins(void *given)
{
    const struct name_list_options *o = given;
    const char *name = name_list_wanted(o);
    struct choice c = { scn_registry_find(o->name.verb->name), NULL };

    if (name && !(c.plugin = weir_plugin_find(c.registry->registry, name))) {
        return unknown_plugin(c.registry->registry, name);
    }
    return name_list_print(o, write_choice, &c);
}

struct verb
cli_plugins(const struct weir_registry *registry)
{
    return (struct verb){ .name = registry->many,
                          .group = VERB_WRITE,
                          .run = run_plugins,
                          .brief = registry->title,
                          .operands = "[NAME]",
                          .about =
                              "Lists the names from which a scenario can choose. With a NAME, "
                              "shows the parameters of that choice: kind, default, range, source.",
                          .options = name_list_options,
                          .options_bytes = sizeof(struct name_list_options),
                          .max_operands = 1,
                          .terms_group = "Names",
                          .registry = registry };
}
