/* `weir transcript`: plays transcripts and shows where an engine's outputs differ. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "transcript/transcript.h"

enum { MAX_BYTES = 16 << 20 };

struct options {
    struct verb_operands files;
    int mode; /* enum transcript_mode. */
    const char *pcap;
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--show", NULL, "Shows each transcript as it is played.", VERB_ONE_OF, AT(mode),
      .min = TRANSCRIPT_SHOW },
    { "--fill", NULL,
      "Shows each transcript with the answers that the node gave, as a start for a new transcript.",
      VERB_ONE_OF, AT(mode), .min = TRANSCRIPT_FILL },
    { "--pcap", "OUT", "Writes the frames that were sent and received to OUT, for Wireshark.",
      VERB_FILE, AT(pcap) },
    { 0 },
};

struct play_counts {
    size_t n_files, n_differing, n_steps;
};

static int
play_file(const char *path, const struct options *o, struct pcapng *capture,
          struct play_counts *counts)
{
    struct transcript t;
    struct err err;
    size_t len;
    char *text = text_read_file(path, MAX_BYTES, &len, &err);

    if (!text) {
        return cli_print_error(EXIT_WORLD, &err);
    }
    bool good = transcript_read(&t, &weir_engines, path, text, len, &err);
    free(text);
    if (!good) {
        return cli_print_error(EXIT_USER, &err);
    }
    struct transcript_result r =
        transcript_play(&t, (enum transcript_mode)o->mode, stdout, capture);
    if (r.said.len && !t.said_line) {
        fprintf(stderr, "%s: %s %s\n", path, r.refused ? "refused" : "warned", r.said.s);
    }
    transcript_free(&t);
    counts->n_files++;
    counts->n_steps += r.n_steps;
    counts->n_differing += r.n_differing > 0;
    bool filled = o->mode == TRANSCRIPT_FILL && !r.refused;
    return r.n_differing && !filled ? EXIT_DIFFERS : EXIT_GOOD;
}

static int
play_files(const struct options *o, struct pcapng *capture)
{
    struct play_counts counts = { 0 };
    int worst = EXIT_GOOD;

    for (size_t i = 0; i < o->files.n; i++) {
        int code = play_file(o->files.items[i], o, capture, &counts);
        worst = code > worst ? code : worst;
    }
    if (o->mode != TRANSCRIPT_FILL && counts.n_files) {
        printf("%zu transcript%s, %zu step%s: %zu as expected, %zu not\n", counts.n_files,
               value_plural(counts.n_files), counts.n_steps, value_plural(counts.n_steps),
               counts.n_files - counts.n_differing, counts.n_differing);
    }
    return worst;
}

static int
run_transcripts(void *given)
{
    const struct options *o = given;
    struct pcapng capture;
    struct err err;

    if (!o->pcap) {
        return play_files(o, NULL);
    }
    if (!pcapng_open(&capture, o->pcap, &err)) {
        return cli_print_error(EXIT_WORLD, &err);
    }
    int code = play_files(o, &capture);
    return pcapng_close(&capture, &err) ? code : cli_print_error(EXIT_WORLD, &err);
}

const struct verb cli_transcript = {
    .name = "transcript",
    .group = VERB_OTHER,
    .run = run_transcripts,
    .brief = "play transcripts, and show where an engine answers differently",
    .operands = "FILE...",
    .about = "Plays transcripts: feeds the events of each file to one node, and compares its "
             "answers with the expected ones, line by line. doc/transcripts.md has the "
             "grammar.\n\n"
             "The exit code is 0 if every answer is as expected, 1 if not, 2 if a file is not a "
             "transcript, 3 if a file cannot be read or written.",
    .examples = "  weir transcript tests/transcripts/*.txt\n"
                "  weir transcript pause.txt --show\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .missing = "no file given",
};
