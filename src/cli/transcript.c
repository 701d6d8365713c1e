#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "transcript/transcript.h"

static const char help[] =
    "usage: weir transcript [--show | --fill] [--pcap OUT] FILE...\n"
    "\n"
    "Plays transcripts: feeds one node what each file says happened, and compares what the node\n"
    "answers with what the file expects, line by line.  Exit code 0 if all is as expected, 1 if\n"
    "not, 2 for a file that is no transcript, 3 for one that can not be read or written.\n"
    "doc/transcripts.md has the grammar.\n"
    "\n"
    "  --show      print each transcript as it is played\n"
    "  --fill      print each transcript with the answers that were given: to write a new one\n"
    "  --pcap OUT  write the frames sent and heard to OUT, for Wireshark\n";

enum { MAX_BYTES = 16 << 20 };

struct options {
    enum transcript_mode mode;
    const char *pcap;
    char **files;
    int n_files;
};

static int
read_options(int argc, char **argv, struct options *o)
{
    o->files = argv; /* Files are moved to the front. */
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--show")) {
            o->mode = TRANSCRIPT_SHOW;
        } else if (!strcmp(argv[i], "--fill")) {
            o->mode = TRANSCRIPT_FILL;
        } else if (!strcmp(argv[i], "--pcap")) {
            if (++i == argc) {
                return cli_fail(EXIT_USER, "transcript: --pcap needs the name of a file to write");
            }
            o->pcap = argv[i];
        } else if (argv[i][0] == '-') {
            return cli_fail(EXIT_USER, "transcript: unknown option '%s'\n\n%s", argv[i], help);
        } else {
            o->files[o->n_files++] = argv[i];
        }
    }
    if (!o->n_files) {
        return cli_fail(EXIT_USER, "transcript: no file given\n\n%s", help);
    }
    return EXIT_GOOD;
}

struct tally {
    size_t n_files, n_differing, n_steps;
};

static int
play_file(const char *path, const struct options *o, struct pcapng *capture, struct tally *tally)
{
    struct transcript t;
    struct err err;
    size_t len;
    char *text = text_read_file(path, MAX_BYTES, &len, &err);

    if (!text) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    bool good = transcript_read(&t, &weir_engines, path, text, len, &err);
    free(text);
    if (!good) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_USER;
    }
    struct transcript_result r = transcript_play(&t, o->mode, stdout, capture);
    if (r.said.len && !t.said_line) {
        fprintf(stderr, "%s: %s %s\n", path, r.refused ? "refused" : "warned", r.said.s);
    }
    transcript_free(&t);
    tally->n_files++;
    tally->n_steps += r.n_steps;
    tally->n_differing += r.n_differing > 0;
    bool filled = o->mode == TRANSCRIPT_FILL && !r.refused;
    return r.n_differing && !filled ? EXIT_DIFFERS : EXIT_GOOD;
}

static int
play_files(const struct options *o, struct pcapng *capture)
{
    struct tally tally = { 0 };
    int worst = EXIT_GOOD;

    for (int i = 0; i < o->n_files; i++) {
        int code = play_file(o->files[i], o, capture, &tally);
        worst = code > worst ? code : worst;
    }
    if (o->mode != TRANSCRIPT_FILL && tally.n_files) {
        printf("%zu transcript%s, %zu step%s: %zu as expected, %zu not\n", tally.n_files,
               tally.n_files == 1 ? "" : "s", tally.n_steps, tally.n_steps == 1 ? "" : "s",
               tally.n_files - tally.n_differing, tally.n_differing);
    }
    return worst;
}

int
cli_transcript(int argc, char **argv)
{
    struct options o = { .mode = TRANSCRIPT_CHECK };
    struct pcapng capture;
    struct err err;

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    int code = read_options(argc, argv, &o);
    if (code != EXIT_GOOD) {
        return code;
    }
    if (!o.pcap) {
        return play_files(&o, NULL);
    }
    if (!pcapng_open(&capture, o.pcap, &err)) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    code = play_files(&o, &capture);
    if (!pcapng_close(&capture, &err)) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    return code;
}
