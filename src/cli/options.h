/* Verbs and their options, as tables, by which arguments are read, shown in help and completed.
 *
 *     static const struct verb_option options[] = {
 *         { "--threads", "N", "Number of threads.", VERB_NUMBER, AT(threads), .min = 1 },
 *         { "--json", NULL, "Writes the result as JSON.", VERB_FLAG, AT(json) },
 *         { 0 },
 *     };
 *     const struct verb cli_run = { "run", run, "simulate a scenario", .options = options, ... };
 *
 * The tables also have the texts of --help and `weir help`.  Suggestions for typos, manual pages
 * (man.c) and completion in shells (shell-completion.c) are made from them.  The arguments of a
 * verb are read into its own struct, which begins with a struct verb_operands if it takes any. */

#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "weir/plugin.h"

enum { VERB_MAX_WORDS = 64, VERB_NAME_BYTES = 40, VERB_HELP_BYTES = WEIR_TEXT_MAX + 600 };

/* The values of an option that may be given several times. */
struct verb_words {
    const char *items[VERB_MAX_WORDS];
    size_t n;
};

/* Arguments that are not options: files, names. */
struct verb_operands {
    char **items;
    size_t n;
    const struct verb *verb; /* The verb whose operands these are. */
};

enum verb_kind {
    VERB_FLAG, /* bool. */
    /* int: 'min' of the chosen option. Only one of the options with the same offset may be
     * given. */
    VERB_ONE_OF,
    VERB_WORD,   /* const char *. */
    VERB_FILE,   /* const char *, the name of a file or folder. */
    VERB_NUMBER, /* uint64_t, from 'min' to 'max'. */
    VERB_TIME,   /* weir_ps. */
    VERB_WORDS,  /* struct verb_words. */
    VERB_READ    /* The function 'read' parses the value. */
};

struct verb_option {
    const char *name; /* The name, such as "--record". */
    /* The name of its value in the help, such as "RESULTS"; null: the option takes no value. */
    const char *value;
    const char *help; /* The meaning, in sentences. */
    enum verb_kind kind;
    size_t offset; /* The offset of its value in the verb's options. */
    uint64_t min, max;
    bool (*read)(void *value, const char *word, struct err *);
    bool repeats;               /* For VERB_READ: the option may be given several times. */
    const char *const *choices; /* The words that the value may be, for completion; or null. */
    /* A heading for this option and the options after it; null: it belongs to the previous
     * heading. */
    const char *group;
};

/* The groups in which help lists the verbs, in this order: what a user wants to do. No verb has the
 * group 0. */
enum verb_group {
    VERB_SIMULATE = 1,
    VERB_PLAN,
    VERB_UNDERSTAND,
    VERB_REPRODUCE,
    VERB_LARGE,
    VERB_REAL,
    VERB_WRITE,
    VERB_OTHER,
    VERB_GROUPS_END
};

struct verb {
    const char *name;
    enum verb_group group;
    int (*run)(void *options); /* Returns an exit code. */
    /* The size of the struct for options; 0: that of a struct verb_operands. */
    size_t options_bytes;
    const void *defaults; /* The initial values of options; null: all zero. */
    const char *brief;    /* The purpose of the verb, in a line that begins with a verb. */
    /* The operands in the usage, such as "FILE", "OUT DB..."; null: there are none. */
    const char *operands;
    const char *about;    /* Paragraphs, with an empty line between them. */
    const char *examples; /* Lines of examples; null: the examples of its registry. */
    /* A null name ends the options; null: the verb has no options. */
    const struct verb_option *options;

    bool is_long;      /* The verb shows progress, unless --quiet is given. */
    bool is_for_ranks; /* The verb can run as one of several processes (ranks.h). */

    size_t min_operands, max_operands;
    /* The error if there are no operands, such as "no scenario given". */
    const char *missing;
    const char *(*operand)(size_t i); /* Returns the i-th word that an operand may be; or null. */
    /* The registry whose plug-ins are the words; or null. If 'operand' is null, too, operands are
     * files. */
    const struct weir_registry *registry;

    /* Options that are made from a table of fields: --rate from the field "rate". */
    const struct weir_field *fields;
    size_t fields_at; /* The offset of their values in the verb's options. */
    const char *fields_group;
    const char *(*field_value)(const struct weir_field *);
    bool (*read_field)(void *options, const struct weir_field *, const char *word, struct err *);

    /* A list of words that follows the options in the help. 'term' returns the i-th word and its
     * meaning; false after the last one. */
    const char *terms_group;
    bool (*term)(size_t i, const char **word, const char **help);
};

/* The i-th verb, in the order of the help, with those of registries last; false after the last
 * one. */
bool verb_at(size_t i, struct verb *);
bool verb_find(const char *name, struct verb *);

const char *verb_group_title(enum verb_group);

/* The lines of examples of a verb. For a verb that lists a registry, they are written into
 * 'room'. */
enum { VERB_EXAMPLES_BYTES = 200 };
const char *verb_examples(const struct verb *, char room[VERB_EXAMPLES_BYTES]);

/* The i-th word of the verb's list of words, which may be the plug-ins of its registry; false after
 * the last one. */
bool verb_term(const struct verb *, size_t i, const char **word, const char **help);

/* The i-th word that an operand of a verb may be; null after the last one, or if the operand is a
 * file. */
const char *verb_operand(const struct verb *, size_t i);

/* Runs a verb: argv[0] is its name, and the other arguments are read by its table. Returns an exit
 * code and prints any error. */
int verb_run(const struct verb *, int argc, char **argv);

/* An option as help shows it, whether it comes from the table of options or from a field. */
struct verb_shown {
    char name[VERB_NAME_BYTES];
    const char *value; /* Null: it takes no value. */
    char help[VERB_HELP_BYTES];
    const char *group;
    bool is_file, may_repeat;
    bool is_common; /* Every verb has it. */
    const char *const *choices;
};

/* The i-th option; false after the last one. The options that every verb has are the last ones. */
bool verb_show(const struct verb *, size_t i, struct verb_shown *);

/* Removes "--color WHEN" from the arguments, anywhere before "--", and sets the colours of the
 * program's streams (colour.c). Returns an exit code and prints any error. */
struct plain_stream;
extern const struct verb_option colour_option;
int colour_take(int *argc, char **argv, struct plain_stream *out, struct plain_stream *err);

/* Write help to standard output (help.c). */
void help_verbs(void);
void help_verb(const struct verb *);

/* Writes the manual page of a verb or, for null, that of the program (man.c). */
void man_page(const struct verb *);

/* Writes the help of all verbs as Markdown (help-markdown.c). */
void help_markdown(void);

#endif
