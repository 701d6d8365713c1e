/* Field tables: parameters and counters as data.
 *
 * An engine describes its parameters and counters in tables of fields; the command line, scenario
 * files, documentation and checks all read these tables, so that a parameter is written down once.
 * Every field is one uint64_t in a struct, in the unit of its kind:
 *
 *     static const struct weir_field params[] = {
 *         WEIR_FIELD(struct pfc_params, xoff_bytes, "xoff", WEIR_BYTES, .min = 64, ...),
 *         { 0 },                                                    a table ends with no name
 *     };
 *
 * A field whose 'derived' is set may be left WEIR_AUTO; the engine then fills it in from the
 * properties of its node.  One that 'may_be_off' also takes WEIR_OFF, outside of its range.  In
 * text a value has its unit: "800KB", "52.4us", "10Gbps", "0.8", "dynamic"; "auto" and "off" are
 * special. */

#ifndef WEIR_FIELD_H
#define WEIR_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weir_field;

/* Text of a few lines, made without allocation.  Text that does not fit is cut.  Each line knows
 * which parameter it is about. */
#define WEIR_TEXT_MAX   1000
#define WEIR_TEXT_LINES 12

/* A text of a few lines. */
struct weir_text {
    uint32_t len, n_breaks;
    char s[WEIR_TEXT_MAX];
    const char *params[WEIR_TEXT_LINES];              /* The first that %P has named; null: none. */
    const struct weir_field *fields[WEIR_TEXT_LINES]; /* The same in the table of its engine, after
                                                       * resolving; or null. */
};

/* Appends, after the manner of printf:
 *     %s  const char *      %u  uint64_t      %x  uint64_t, hexadecimal
 *     %B  uint64_t bytes    %T  weir_ps       %R  uint64_t bits per second    %Q  uint64_t ratio
 *     %b  %t  %r  the same for people, to three digits: "1.33 MB", "5.25 us", "100 Gb/s"; 0 is "0"
 *     %F  const struct weir_field *, uint64_t: a value of that field
 *     %P  const char *: the name of a parameter, which the line is then about  */
void weir_text_add(struct weir_text *, const char *format, ...);

struct weir_registry;

/* The kinds of values; each has one base unit. */
enum weir_kind { WEIR_BYTES, WEIR_TIME, WEIR_RATE, WEIR_COUNT, WEIR_CODE, WEIR_RATIO, WEIR_CHOICE };

#define WEIR_AUTO UINT64_MAX       /* Left to the engine. */
#define WEIR_OFF  (UINT64_MAX - 1) /* The function that the field sets is off. */

/* Whether an engine takes the other end of a link to have the same value of a field.  A caller that
 * sees both ends compares the values that were set at either; values that both derive are their
 * engine's concern. */
enum weir_ends {
    WEIR_ENDS_MAY_DIFFER,
    WEIR_ENDS_SHOULD_AGREE, /* If not, packets may be lost or blocked: a warning. */
    WEIR_ENDS_MUST_AGREE,   /* If not, they do not understand each other: refused. */
};

/* One parameter or counter: its name, kind, range, default and meaning. */
struct weir_field {
    const char *name;
    enum weir_kind kind;
    uint32_t offset;
    uint64_t fallback;                    /* The value if none is given. */
    uint64_t min, max;                    /* Both may be accepted. */
    const char *const *choices;           /* WEIR_CHOICE: names of 0, 1, ...; ends with null. */
    const struct weir_registry *registry; /* WEIR_CHOICE, instead: names of plug-ins, plugin.h. */
    const char *derived; /* How the engine fills in WEIR_AUTO; null: it does not. */
    bool by_port;        /* It does so for each port, from its link and buffer: engine.h. */
    bool may_be_off;     /* Its help describes the effect. */
    enum weir_ends ends; /* The two ends of a link. */
    const char *help;    /* One sentence. */
    const char *source;  /* Paper or standard, with its clause. */
};

/* A field for a member of a struct. */
#define WEIR_FIELD(TYPE, MEMBER, NAME, KIND, ...)                                                  \
    {                                                                                              \
        .name = (NAME), .kind = (KIND), .offset = offsetof(TYPE, MEMBER), __VA_ARGS__              \
    }

/* The name of a kind: "bytes", "time". */
const char *weir_kind_name(enum weir_kind);

/* The name of a value of WEIR_CHOICE; null past the last. */
const char *weir_field_choice(const struct weir_field *, uint64_t value);

/* The units that a value of a kind is read with, by number from 0; null past the last.  "" is none.
 */
const char *weir_kind_unit(enum weir_kind, uint32_t i);

/* The field of a table with that name, or null. */
const struct weir_field *weir_field_find(const struct weir_field *table, const char *name);

/* Reads and writes the value of a field in a struct. */
uint64_t weir_field_get(const struct weir_field *, const void *base);
void weir_field_set(const struct weir_field *, void *base, uint64_t value);

/* If two parameters contradict each other and one is a default, the other is to blame. */
bool weir_field_is_default(const struct weir_field *, const void *base);

/* Reads "800KB" and its like.  Returns false, with the reason and an example in 'why', if the text
 * is not a value of this field's kind; ranges are weir_field_check's concern. */
bool weir_field_parse(const struct weir_field *, const char *text, uint64_t *value,
                      struct weir_text *why);
bool weir_value_parse(enum weir_kind, const char *text, uint64_t *value, struct weir_text *why);

/* Refuses a value out of range in a sentence that names the field, the value and the range. */
bool weir_field_check(const struct weir_field *, uint64_t value, struct weir_text *why);

/* Fills in every field's fallback. */
void weir_fields_default(const struct weir_field *table, void *base);

#ifdef __cplusplus
}
#endif

#endif
