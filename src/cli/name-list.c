/* Options and output of the verbs that list names of a scenario. */

#include "cli/name-list.h"

#include <stddef.h>

#include "cli/cli.h"
#include "cli/wrapped.h"

#define AT(MEMBER) .offset = offsetof(struct name_list_options, MEMBER)

const struct verb_option name_list_options[] = {
    { "--json", NULL, CLI_JSON_HELP, VERB_ONE_OF, AT(form), SCN_LIST_JSON },
    { "--markdown", NULL, "Writes the result as Markdown tables, like those in doc/.", VERB_ONE_OF,
      AT(form), SCN_LIST_MARKDOWN },
    { 0 },
};

const char *
name_list_wanted(const struct name_list_options *o)
{
    return o->name.n ? o->name.items[0] : NULL;
}

int
name_list_print(const struct name_list_options *o, name_list_write *write, const void *what)
{
    struct wrapped wrapped;

    wrapped_begin(&wrapped, o->form == SCN_LIST_TEXT);
    write(stdout, what, (enum scn_list_form)o->form);
    wrapped_end(&wrapped);
    return EXIT_GOOD;
}
