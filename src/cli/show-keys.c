/* `weir keys`: lists the keys of a scenario, with type, default, values and meaning. */

#include "cli/cli.h"
#include "cli/name-list.h"
#include "scenario/key-tables.h"

static void
write_all(FILE *out, const void *nothing, enum scn_list_form form)
{
    (void)nothing;
    scn_key_tables_list(out, form);
}

static void
write_found(FILE *out, const void *search, enum scn_list_form form)
{
    const struct scn_key_search *s = search;

    scn_key_tables_write(out, s->tables, s->n, form);
}

static int
unknown_key(const char *path)
{
    char offer[200];

    scn_key_offer(path, offer, sizeof offer);
    return cli_fail(EXIT_USER, "no section or key '%s' of a scenario%s\n'weir keys' lists them",
                    path, offer);
}

static int
run_keys(void *given)
{
    const struct name_list_options *o = given;
    const char *path = name_list_wanted(o);
    struct scn_key_search search;

    if (!path) {
        return name_list_print(o, write_all, NULL);
    }
    int code = scn_key_search(&search, path) ? name_list_print(o, write_found, &search)
                                             : unknown_key(path);
    scn_key_search_free(&search);
    return code;
}

const struct verb cli_keys = {
    .name = "keys",
    .group = VERB_WRITE,
    .run = run_keys,
    .brief = "list the keys of a scenario: types, defaults and values",
    .operands = "[SECTION[.KEY]]",
    .about = "Lists the sections of a scenario. With a SECTION, shows its keys: type, default, "
             "allowed values and meaning. With a KEY as for --set, or with the beginning or the "
             "last part of a key, shows all keys that match, including keys of plug-ins.",
    .examples = "  weir keys switch\n  weir keys switch.headroom\n  weir keys topology.links\n"
                "  weir keys engines.pfc\n  weir keys delay\n",
    .options = name_list_options,
    .options_bytes = sizeof(struct name_list_options),
    .max_operands = 1,
};
