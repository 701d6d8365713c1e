/* Kinds of events: schema.sql and the page on results list exactly the kinds that are written, each
 * with the program's own description. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/unit.h"
#include "run/recorder.h"

static char *
read_all(const char *path)
{
    char *text = NULL, part[4096];
    size_t size, n;
    FILE *file = fopen(path, "r"), *to = open_memstream(&text, &size);

    assert_non_null(file);
    while ((n = fread(part, 1, sizeof part, file))) {
        fwrite(part, 1, n, to);
    }
    fclose(file);
    fclose(to);
    return text;
}

/* Checks the content of a file: 'before', a line for each kind, 'after'. */
static void
check(const char *path, const char *before, void (*put)(FILE *, const struct sim_note_about *),
      const char *after)
{
    char *text = read_all(path), *wanted = NULL;
    size_t size;
    FILE *to = open_memstream(&wanted, &size);

    fputs(before, to);
    for (size_t i = 0; recorder_event_kind(i); i++) {
        put(to, recorder_event_kind(i));
    }
    fputs(after, to);
    fclose(to);
    if (!strstr(text, wanted)) {
        fprintf(stderr, "%s does not have these lines:\n%s", path, wanted);
        fail();
    }
    free(wanted);
    free(text);
}

static void
put_comment(FILE *to, const struct sim_note_about *kind)
{
    fprintf(to, "--     %-10s %s", kind->name, kind->what);
    fprintf(to, kind->value ? "  Value: %s.\n" : "\n", kind->value);
}

static void
the_schema_tells_of_every_kind(void **state)
{
    (void)state;
    check(ROOT "/src/record/schema.sql", "-- An event at one instant.  Kinds:\n--\n", put_comment,
          "CREATE TABLE event (");
}

static void
put_row(FILE *to, const struct sim_note_about *kind)
{
    fprintf(to, "| `%s` | %s | %s |\n", kind->name, kind->what, kind->value ? kind->value : "-");
}

static void
the_page_tells_of_every_kind(void **state)
{
    (void)state;
    check(ROOT "/doc/results.md", "| kind | what happened | value |\n| --- | --- | --- |\n",
          put_row, "\n");
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_tells_of_every_kind),
        cmocka_unit_test(the_page_tells_of_every_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
