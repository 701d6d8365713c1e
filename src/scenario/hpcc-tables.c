/* The knobs of HPCC's simulator as text, Markdown and JSON, for `weir topologies hpcc`. */

#include <stdio.h>
#include <string.h>

#include "scenario/hpcc-knobs.h"

/* The use of a knob in general; its value may change that. */
static const char *
use_of(const struct scn_knob *knob, char *room, size_t room_bytes)
{
    if (knob->only && *knob->only) {
        snprintf(room, room_bytes, "taken over if %s, else approximated", knob->only);
        return room;
    }
    return knob->only      ? "approximated"
           : !knob->key    ? "ignored"
           : !knob->remark ? "taken over"
                           : "mapped";
}

/* Writes the names of modes, such as "DCQCN, DCTCP", or "all". */
static void
write_modes(FILE *out, unsigned modes)
{
    const char *comma = "";

    for (const struct scn_cc_mode *m = scn_cc_modes; modes && m->name; m++) {
        if (modes & m->bit) {
            fprintf(out, "%s%s", comma, m->name);
            comma = ", ";
        }
    }
    fputs(modes ? "" : "all", out);
}

/* The key of a knob, with TRANSPORT for '*'. */
static const char *
key_of(const struct scn_knob *knob, char *room, size_t room_bytes)
{
    bool is_of_transport = knob->key && knob->key[0] == '*';

    snprintf(room, room_bytes, "%s%s", is_of_transport ? "TRANSPORT" : "",
             !knob->key ? "" : knob->key + is_of_transport);
    return room;
}

enum { ROOM_BYTES = 60 };

void
scn_write_knobs_text(FILE *out)
{
    char key[ROOM_BYTES], use[ROOM_BYTES];

    fprintf(out, "\nknobs of a config:\n");
    for (const struct scn_knob *k = scn_knobs; k->name; k++) {
        fprintf(out, "  %-25s %s%s%s\n", k->name, use_of(k, use, sizeof use), k->key ? ": " : "",
                key_of(k, key, sizeof key));
    }
}

/* A cell without content has a dash. */
static void
write_cell(FILE *out, const char *before, const char *text, const char *after)
{
    bool has = text && *text;

    fprintf(out, " %s%s%s |", has ? before : "", has ? text : "-", has ? after : "");
}

static void
write_row(FILE *out, const struct scn_knob *k)
{
    char key[ROOM_BYTES], use[ROOM_BYTES];

    fprintf(out, "| `%s` |", k->name);
    write_cell(out, "`", k->fallback, "`");
    fputc(' ', out);
    write_modes(out, k->modes);
    fprintf(out, " | %s |", use_of(k, use, sizeof use));
    write_cell(out, "`", key_of(k, key, sizeof key), "`");
    write_cell(out, "", k->remark, "");
    fputc('\n', out);
}

void
scn_write_knobs_markdown(FILE *out)
{
    fprintf(out, "\nKnobs of a config:\n\n"
                 "| knob | default there | used by | here | key | how |\n"
                 "| --- | --- | --- | --- | --- | --- |\n");
    for (const struct scn_knob *k = scn_knobs; k->name; k++) {
        write_row(out, k);
    }
    fprintf(out, "\nSettings of the simulator that have no knob:\n\n"
                 "| key | value | under | why |\n"
                 "| --- | --- | --- | --- |\n");
    for (const struct scn_knobless *k = scn_knobless; k->key; k++) {
        fprintf(out, "| `%s` | `%s` | ", k->key, k->value);
        write_modes(out, k->modes);
        fprintf(out, " | %s |\n", k->remark);
    }
}

static void
json_modes(struct json *j, unsigned modes)
{
    json_open(j, "modes", '[');
    for (const struct scn_cc_mode *m = scn_cc_modes; m->name; m++) {
        if (!modes || modes & m->bit) {
            json_text(j, NULL, m->name);
        }
    }
    json_close(j, ']');
}

void
scn_json_knobs(struct json *j)
{
    char key[ROOM_BYTES], use[ROOM_BYTES];

    json_open(j, "knobs", '[');
    for (const struct scn_knob *k = scn_knobs; k->name; k++) {
        json_open(j, NULL, '{');
        json_text(j, "name", k->name);
        json_text(j, "default", k->fallback);
        json_modes(j, k->modes);
        json_text(j, "use", use_of(k, use, sizeof use));
        json_text(j, "key", k->key ? key_of(k, key, sizeof key) : NULL);
        json_text(j, "remark", k->remark);
        json_close(j, '}');
    }
    json_close(j, ']');
}
