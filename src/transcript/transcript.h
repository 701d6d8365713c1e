/* Transcripts: the events of one node, and the expected outputs of its engines ("answers"), line by
 * line.
 *
 *     # PFC asks for a pause at XOFF and takes it back at XON.
 *     engine  pfc xoff=100KB xon=60KB
 *     node    ports=2 classes=8 rate=100Gbps
 *     at 1us  arrived   port=0 class=3 bytes=99KB
 *             nothing
 *     at 2us  arrived   port=0 class=3 bytes=1500B
 *             frame     port=0 8808 0101 0008 0000 0000 0000 ffff 0000 0000 0000 0000
 *             timer     3 at 169.7696us
 *
 * A transcript tests an engine in isolation, with its own clock.  Cases come from papers and
 * standards, and any host of the library can play them.  doc/transcripts.md has the grammar.
 *
 *     struct transcript t;
 *     if (!transcript_read(&t, &weir_engines, "pfc.txt", text, len, &err))
 *         report(&err);                                malformed: file, line, column
 *     struct transcript_result r = transcript_play(&t, TRANSCRIPT_CHECK, stdout, NULL);
 *     transcript_free(&t); */

#ifndef TRANSCRIPT_H
#define TRANSCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/pcapng.h"
#include "weir/node.h"

enum { TRANSCRIPT_WORD_BYTES = 80 };

struct transcript_word {
    size_t column; /* The column of the word in its line, from 1. */
    char s[TRANSCRIPT_WORD_BYTES];
};

enum transcript_event {
    EVENT_START,
    EVENT_ARRIVED,
    EVENT_QUEUED,
    EVENT_DEPARTED,
    EVENT_FRAME,
    EVENT_TIMER,
    EVENT_LINK,
    EVENT_READY,
    EVENT_SENT,
    EVENT_COUNT,
    EVENT_FORWARDED,
    EVENT_HEARD,
    EVENT_MOVED,
};

/* The values of the line 'node'. */
struct transcript_node {
    uint64_t ports, classes, rate_bps, cable_ps, response_ps, mtu_bytes, gap_bytes, lossless;
    uint64_t tier, above; /* The last 'above' ports lead up. */
    uint64_t inner;       /* The last 'inner' ports lead into a fabric. */
    uint64_t reserve_bytes, partition_bytes, shared_bytes, limit_bytes, alpha, headroom_bytes;
    uint64_t flows; /* The number of flows, if the node is a NIC; else 0. */
    /* 1: packets leave inputs before they enter outputs, which have 'output_bytes' each. */
    uint64_t stages, output_bytes;
    /* The delay from input to output, and the maximum rate in packets per second. */
    uint64_t delay_ps, pps;
};

/* The arguments of an event. */
struct transcript_args {
    uint64_t port, cls, bytes, out, from, ecn, flow; /* 'from': for EVENT_MOVED only. */
};

struct transcript_step {
    size_t line;   /* The line in the text, from 1. The answers are on the lines after it. */
    size_t column; /* The column of the event's name, from 1. */
    weir_ps at;
    enum transcript_event event;
    struct transcript_args args;
    struct weir_frame frame; /* For EVENT_FRAME and EVENT_HEARD. */
    uint64_t key;            /* For EVENT_TIMER. */
    bool up;                 /* For EVENT_LINK. */
    const struct weir_field *counter;
    uint32_t counter_layer;
    size_t first_answer, n_answers;
};

struct transcript {
    char *name;
    char **lines; /* The lines as in the file; lines[0] is line 1. */
    size_t n_lines, max_lines;
    struct weir_stack stack;
    struct transcript_node node;
    const char *refused, *warned; /* The expected message before the start; null: not checked. */
    size_t said_line, node_line;  /* The lines of that message and of the node; 0: there is none. */
    struct transcript_step *steps;
    size_t n_steps, max_steps;
    /* The expected answers in the form of transcript_play(); 'answers_written' has them as in the
     * file. */
    char **answers;
    char **answers_written;
    size_t n_answers, max_answers, max_answers_written;
};

enum transcript_mode {
    TRANSCRIPT_CHECK, /* Writes the differences. */
    TRANSCRIPT_SHOW,  /* Writes the whole transcript with the differences. */
    TRANSCRIPT_FILL,  /* Writes the transcript with the actual answers. */
};

struct transcript_result {
    size_t n_steps, n_differing;
    bool refused;          /* The stack does not fit the node, and no step was played. */
    struct weir_text said; /* The reason if 'refused', or a warning. */
};

/* Reads a transcript. If the text is not a transcript, returns false with the location of the
 * error. Engines are looked up in a registry, such as 'weir_engines', which must outlive the
 * transcript. */
bool transcript_read(struct transcript *, const struct weir_registry *engines, const char *name,
                     const char *text, size_t len, struct err *);

/* Plays a transcript.  Sent and received frames are also written to 'capture', if it is given. */
struct transcript_result transcript_play(const struct transcript *, enum transcript_mode, FILE *out,
                                         struct pcapng *capture);
void transcript_free(struct transcript *);

/* Whether 'given' is the expected answer. Words must be equal; a value that the transcript gives
 * with a decimal point must be equal when it is rounded to so many decimals. */
bool transcript_same(const char *wanted, const char *wanted_as_written, const char *given);

/* Converts an answer, word by word, to the form of transcript_play(). On failure returns false, and
 * sets 'word' to the index of the wrong word. */
bool transcript_canonical(const struct transcript_word *, size_t n, size_t *word, char *out,
                          size_t out_bytes, struct err *);

#endif
