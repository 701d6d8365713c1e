/* `--color WHEN`, an option of every verb: whether verdicts, warnings and errors have colours. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "mpi/launch.h"
#include "output/plain-stream.h"

enum when { AUTO, ALWAYS, NEVER, N_WHENS };

static const char *const whens[] = {
    [AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never", NULL
};

const struct verb_option colour_option = {
    "--color", "WHEN",
    "Colours verdicts, warnings and errors: auto, always or never. With auto, only output to a "
    "terminal has colours, unless NO_COLOR is set, TERM is dumb or MPI has launched the program. "
    "Default: auto.",
    .kind = VERB_WORD, .choices = whens
};

/* Removes 'n' arguments from index 'i' on. */
static void
remove_words(int *argc, char **argv, int i, int n)
{
    memmove(argv + i, argv + i + n, (size_t)(*argc - i - n + 1) * sizeof *argv);
    *argc -= n;
}

static bool
is_color(const char *word)
{
    size_t len = strlen(colour_option.name);

    return !strncmp(word, colour_option.name, len) && (!word[len] || word[len] == '=');
}

/* Whether a launcher started the process. mpirun gives its ranks a terminal even if its own output
 * is a file. */
static bool
is_launched(void)
{
    struct mpi_launch launch;
    struct err err;

    return !mpi_launch_read(&launch, &err) || launch.by;
}

/* Whether a stream should have colours. As in https://no-color.org, any value of NO_COLOR but an
 * empty one disables them. */
static bool
suits(int fd)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0 &&
           !is_launched();
}

/* Reads the argument at index 'i' and removes it. Prints an error and returns false if it is
 * invalid. */
static bool
take_word(int *argc, char **argv, int i, size_t *when)
{
    const char *equals = strchr(argv[i], '='), *word = equals ? equals + 1 : argv[i + 1];

    *when = word ? text_find(word, whens, sizeof *whens, N_WHENS) : N_WHENS;
    if (*when == N_WHENS) {
        cli_fail(EXIT_USER, "--color takes auto, always or never%s%s%s", word ? ", not '" : "",
                 word ? word : "", word ? "'" : "");
        return false;
    }
    remove_words(argc, argv, i, equals ? 1 : 2);
    return true;
}

static void
set_colours(struct plain_stream *stream, size_t when, bool is_error)
{
    stream->has_colours = when == ALWAYS || (when == AUTO && suits(stream->fd));
    stream->is_error = is_error;
}

int
colour_take(int *argc, char **argv, struct plain_stream *out, struct plain_stream *err)
{
    size_t when = AUTO;

    for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0;) {
        if (!is_color(argv[i])) {
            i++;
        } else if (!take_word(argc, argv, i, &when)) {
            return EXIT_USER;
        }
    }
    set_colours(out, when, false);
    set_colours(err, when, true);
    if (out->has_colours) {
        setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* Styles need lines that are written as a whole. */
    }
    return EXIT_GOOD;
}
