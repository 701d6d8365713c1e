/* Field tables: parameters and counters as data.
 *
 * An engine describes its parameters and counters in tables of fields.  The command line, scenario
 * files, documentation and checks all read these tables, so each parameter is described only once.
 * Every field is one uint64_t in a struct, in the unit of its kind:
 *
 *     static const struct weir_field params[] = {
 *         WEIR_FIELD(struct pfc_params, xoff_bytes, "xoff", WEIR_BYTES, .min = 64, ...),
 *         { 0 },                                                    a table ends with no name
 *     };
 *
 * A field with 'derived' may be WEIR_AUTO; the engine then computes its value from the properties
 * of its node.  A field with 'may_be_off' also accepts WEIR_OFF, which is outside its range.  As
 * text, a value has its unit: "800KB", "52.4us", "10Gbps", "0.8", "dynamic"; "auto" and "off" are
 * special.  Values in the form in which Weir prints results, such as "5.25 us" and "100 Gb/s", are
 * read as well. */

#ifndef WEIR_FIELD_H
#define WEIR_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct weir_field;

/* A text of a few lines that needs no allocation.  Text that does not fit is cut.  For each line,
 * the structure keeps the parameter that the line is about. */
#define WEIR_TEXT_MAX   1000
#define WEIR_TEXT_LINES 12

/* A text of a few lines. */
struct weir_text {
    uint32_t len, n_breaks;
    char s[WEIR_TEXT_MAX];
    const char *params[WEIR_TEXT_LINES];              /* The first parameter of each line that is
                                                       * named by %P; null: none. */
    const struct weir_field *fields[WEIR_TEXT_LINES]; /* The field of that parameter, once the stack
                                                       * is resolved; or null. */
};

/* Appends text like printf, with these conversions:
 *     %s  const char *      %u  uint64_t      %x  uint64_t, hexadecimal
 *     %B  uint64_t bytes    %T  weir_ps       %R  uint64_t bits per second    %Q  uint64_t ratio
 *     %b  %t  %r  like %B, %T, %R, to three digits, as printed in results: "1.33 MB", "5.25 us"
 *     %F  const struct weir_field *, uint64_t: a value of that field
 *     %P  const char *: the name of a parameter, which the line is then about  */
void weir_text_add(struct weir_text *, const char *format, ...);

struct weir_registry;

/* The kinds of values, each with one base unit. */
enum weir_kind { WEIR_BYTES, WEIR_TIME, WEIR_RATE, WEIR_COUNT, WEIR_CODE, WEIR_RATIO, WEIR_CHOICE };

#define WEIR_AUTO UINT64_MAX       /* The engine chooses the value. */
#define WEIR_OFF  (UINT64_MAX - 1) /* The feature that the field controls is off. */

/* Whether an engine assumes that both ends of a link have the same value of a field.  A caller that
 * sees both ends compares values that were set explicitly at either end.  If both ends derive the
 * value, their engine decides what a difference means. */
enum weir_ends {
    WEIR_ENDS_MAY_DIFFER,
    WEIR_ENDS_SHOULD_AGREE, /* If not, packets may be lost or blocked: a warning. */
    WEIR_ENDS_MUST_AGREE,   /* If not, the ends do not understand each other: refused. */
};

/* One parameter or counter: its name, kind, range, default and meaning. */
struct weir_field {
    const char *name;
    enum weir_kind kind;
    uint32_t offset;
    uint64_t fallback;                    /* The value if none is given. */
    uint64_t min, max;                    /* The limits of the range, both of them accepted. */
    const char *const *choices;           /* WEIR_CHOICE: names of the values 0, 1, ..., then
                                           * null. */
    const struct weir_registry *registry; /* WEIR_CHOICE of plug-ins, instead of 'choices'. */
    const char *derived;                  /* How the engine replaces WEIR_AUTO; null: not at all. */
    bool by_port;                         /* The engine derives it for each port: see engine.h. */
    bool may_be_off;                      /* WEIR_OFF is accepted; 'help' describes its effect. */
    enum weir_ends ends;                  /* Whether both ends of a link need the same value. */
    const char *help;                     /* One sentence, printed by help texts. */
    const char *source;                   /* The paper or standard, with its clause. */
};

/* Initialises a field for a member of a struct. */
#define WEIR_FIELD(TYPE, MEMBER, NAME, KIND, ...)                                                  \
    {                                                                                              \
        .name = (NAME), .kind = (KIND), .offset = offsetof(TYPE, MEMBER), __VA_ARGS__              \
    }

/* The name of a kind: "bytes", "time". */
const char *weir_kind_name(enum weir_kind);

/* The name of a value of WEIR_CHOICE; null past the last. */
const char *weir_field_choice(const struct weir_field *, uint64_t value);

/* The i-th unit in which a value of a kind may be written, counted from 0; null past the last.  ""
 * means that a value may have no unit. */
const char *weir_kind_unit(enum weir_kind, uint32_t i);

/* The field of a table with that name, or null. */
const struct weir_field *weir_field_find(const struct weir_field *table, const char *name);

/* Read and write the value of a field in a struct. */
uint64_t weir_field_get(const struct weir_field *, const void *base);
void weir_field_set(const struct weir_field *, void *base, uint64_t value);

/* Whether a field has its default value.  If two parameters contradict each other and only one of
 * them is a default, the error names the other one. */
bool weir_field_is_default(const struct weir_field *, const void *base);

/* Reads a value with its unit, such as "800KB".  Returns false, with the reason and an example in
 * 'why', if the text is not a value of this field's kind; weir_field_check() checks its range. */
bool weir_field_parse(const struct weir_field *, const char *text, uint64_t *value,
                      struct weir_text *why);
bool weir_value_parse(enum weir_kind, const char *text, uint64_t *value, struct weir_text *why);

/* Refuses a value out of range in a sentence that names the field, the value and the range. */
bool weir_field_check(const struct weir_field *, uint64_t value, struct weir_text *why);

/* Sets every field of the table to its default. */
void weir_fields_default(const struct weir_field *table, void *base);

#ifdef __cplusplus
}
#endif

#endif
