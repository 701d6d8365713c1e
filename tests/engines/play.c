/* Plays transcripts of the probe, or of the engines in PLAYED_ENGINES: play [--fill] FILE... */

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engines.h"
#include "transcript/transcript.h"

#ifndef PLAYED_ENGINES
#define PLAYED_ENGINES test_engines
#define MAY_WARN       false
#else
#define MAY_WARN true /* The engine may warn although the transcript lists no warning. */
#endif

static bool
play(const char *path, enum transcript_mode mode)
{
    struct transcript t;
    struct err err;
    size_t len;
    char *text = text_read_file(path, 1 << 20, &len, &err);

    if (!text || !transcript_read(&t, &PLAYED_ENGINES, path, text, len, &err)) {
        fprintf(stderr, "%s\n", err.text);
        free(text);
        return false;
    }
    struct transcript_result r = transcript_play(&t, mode, stdout, NULL);
    bool is_silent = !r.said.len || t.said_line || (MAY_WARN && !r.refused);
    if (!is_silent) {
        fprintf(stderr, "%s: %s\n", path, r.said.s);
    }
    transcript_free(&t);
    free(text);
    return (r.n_steps || r.refused) && !r.n_differing && is_silent;
}

int
main(int argc, char **argv)
{
    bool fills = argc > 1 && !strcmp(argv[1], "--fill");
    bool good = argc > 1;

    for (int i = 1 + fills; i < argc; i++) {
        good &= play(argv[i], fills ? TRANSCRIPT_FILL : TRANSCRIPT_CHECK);
    }
    return good ? 0 : 1;
}
