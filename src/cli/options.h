/* Verbs and their options, as tables, by which arguments are read, shown in help and completed.
 *
 *     static const struct verb_option options[] = {
 *         { "--threads", "N", "Number of threads.", VERB_NUMBER, AT(threads), .min = 1 },
 *         { "--json", NULL, "Writes the result as JSON.", VERB_FLAG, AT(json) },
 *         { 0 },
 *     };
 *     const struct verb cli_run = { "run", run, "simulate a scenario", .options = options, ... };
 *
 * The tables also give the texts of --help and `weir help`, the nearest name for a typo, manual
 * pages (man.c) and completion in shells (shell-completion.c).  The arguments of a verb are read
 * into its own struct, which begins with a struct verb_operands if it takes any. */

#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "weir/plugin.h"

enum { VERB_MAX_WORDS = 64, VERB_NAME_BYTES = 40, VERB_HELP_BYTES = WEIR_TEXT_MAX + 600 };

/* An option that may be given several times, and its values. */
struct verb_words {
    const char *items[VERB_MAX_WORDS];
    size_t n;
};

/* Arguments that are not options: files, names. */
struct verb_operands {
    char **items;
    size_t n;
    const struct verb *verb; /* The verb that they were given to. */
};

enum verb_kind {
    VERB_FLAG,   /* bool */
    VERB_ONE_OF, /* int: 'min' of the chosen option; only one of the options with this offset can be
                    given */
    VERB_WORD,   /* const char * */
    VERB_FILE,   /* const char *, the name of a file or folder */
    VERB_NUMBER, /* uint64_t, from min to max */
    VERB_TIME,   /* weir_ps */
    VERB_WORDS,  /* struct verb_words */
    VERB_READ    /* Parsed by a function. */
};

struct verb_option {
    const char *name; /* "--record" */
    const char
        *value; /* The name of its value in the help, such as "RESULTS"; null: it takes no value. */
    const char *help; /* Sentences. */
    enum verb_kind kind;
    size_t offset; /* The offset of its value in the verb's options. */
    uint64_t min, max;
    bool (*read)(void *value, const char *word, struct err *);
    bool repeats;               /* For VERB_READ: the option may be given several times. */
    const char *const *choices; /* Words that the value may be, for completion; or null. */
    const char *group; /* A heading for this option and the following ones; null: no new heading. */
};

/* Verbs are listed by what a user wants to do, in this order.  Each verb has one: 0 is none. */
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
    size_t options_bytes;      /* 0: a struct verb_operands. */
    const void *defaults;      /* The initial values of options; null: all zero. */
    const char *brief;         /* The purpose of the verb, in a line that begins with a verb. */
    const char *operands;      /* "FILE", "OUT DB..."; null: none. */
    const char *about;         /* Paragraphs, with an empty line between. */
    const char *examples;      /* Lines of examples; null: those of its registry. */
    const struct verb_option *options; /* Ends with a null name; null: no options. */

    bool is_long;      /* The verb shows progress, unless --quiet is given. */
    bool is_for_ranks; /* The verb can run as one of several processes (ranks.h). */

    size_t min_operands, max_operands;
    const char *missing;              /* The error without operands: "no scenario given". */
    const char *(*operand)(size_t i); /* The i-th word that an operand may be; */
    const struct weir_registry
        *registry; /* or the registry whose plug-ins it names; both null: it is a file. */

    /* Options that are fields of a table: --rate for "rate". */
    const struct weir_field *fields;
    size_t fields_at; /* The offset of their values in the verb's options. */
    const char *fields_group;
    const char *(*field_value)(const struct weir_field *);
    bool (*read_field)(void *options, const struct weir_field *, const char *word, struct err *);

    /* A list of words that follows the options in the help: the i-th word and its meaning; false
     * after the last. */
    const char *terms_group;
    bool (*term)(size_t i, const char **word, const char **help);
};

/* The verbs in the order of the help, those of registries last; false after the last one. */
bool verb_at(size_t i, struct verb *);
bool verb_find(const char *name, struct verb *);

const char *verb_group_title(enum verb_group);

/* The lines of examples of a verb; for a verb that lists a registry they are written into
 * 'room'. */
enum { VERB_EXAMPLES_BYTES = 200 };
const char *verb_examples(const struct verb *, char room[VERB_EXAMPLES_BYTES]);

/* The i-th word of the verb's list of words, which may be the plug-ins of its registry; false after
 * the last. */
bool verb_term(const struct verb *, size_t i, const char **word, const char **help);

/* The i-th word that an operand of a verb may be; null after the last, or if it is a file. */
const char *verb_operand(const struct verb *, size_t i);

/* Reads the arguments, of which the verb is argv[0], and runs it.  Returns an exit code and prints
 * any error. */
int verb_run(const struct verb *, int argc, char **argv);

/* An option as help shows it, from the table or from a field. */
struct verb_shown {
    char name[VERB_NAME_BYTES];
    const char *value; /* Null: none. */
    char help[VERB_HELP_BYTES];
    const char *group;
    bool is_file, may_repeat;
    bool is_common; /* Every verb has it. */
    const char *const *choices;
};

/* The i-th option; false after the last.  The last options are common to every verb. */
bool verb_show(const struct verb *, size_t i, struct verb_shown *);

/* colour.c: removes "--color WHEN" from the arguments, anywhere before "--", and makes the streams
 * of the program colour their lines.  Returns an exit code and prints any error. */
struct plain_stream;
extern const struct verb_option colour_option;
int colour_take(int *argc, char **argv, struct plain_stream *out, struct plain_stream *err);

/* help.c: to standard output. */
void help_verbs(void);
void help_verb(const struct verb *);

/* Writes the manual page of a verb or, for null, of the program (man.c). */
void man_page(const struct verb *);

/* help-markdown.c: all verbs. */
void help_markdown(void);

#endif
