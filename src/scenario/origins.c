/* Finds the places where a scenario sets its values, for errors and warnings about them. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scenario/resolver.h"

const struct scn_origin *
scn_find_origin(const struct scenario *s, const void *of, uint32_t role)
{
    const struct scn_origin *found = NULL;

    for (size_t i = 0; i < s->n_origins; i++) {
        const struct scn_origin *o = &s->origins[i];
        if (o->of == of && (o->role == role || (!o->role && !found))) {
            found = o;
        }
    }
    return found;
}

/* The place where the engines of a role are chosen: in the role, or for all nodes. */
static const struct scn_origin *
origin_of_engines(const struct scenario *s, uint32_t role)
{
    const struct scn_key *of_role = scn_role_table.keys;

    while (strcmp(of_role->name, "engine")) {
        of_role++;
    }
    const struct scn_origin *o = role ? scn_find_origin(s, of_role, role) : NULL;
    return o ? o : scn_find_origin(s, &scn_top_keys[TOP_ENGINE], 0);
}

static bool
fail_at(const struct scenario *s, const struct scn_origin *o, struct err *err, const char *said)
{
    if (!o) {
        return err_set(err, "%s: %s", s->file, said);
    }
    if (!o->place.line) {
        return err_set(err, "%s: %s", s->paths[o->place.source], said);
    }
    return scn_fail_shown(s->paths[o->place.source], o->place.line, o->column, o->line, err, said);
}

bool
scn_fail_parameter(const struct scenario *s, const struct weir_field *f, uint32_t role,
                   struct err *err, const char *format, ...)
{
    const struct scn_origin *o = f ? scn_find_origin(s, f, role) : NULL;
    char said[WEIR_TEXT_MAX + 100];
    va_list args;

    va_start(args, format);
    vsnprintf(said, sizeof said, format, args);
    va_end(args);
    return fail_at(s, o ? o : origin_of_engines(s, role), err, said);
}

static void
write_place_of(const struct scenario *s, const struct scn_origin *o, char place[SCN_PLACE_BYTES])
{
    const char *path = o ? s->paths[o->place.source] : "";

    place[0] = '\0';
    if (o && o->place.line) {
        snprintf(place, SCN_PLACE_BYTES, "%s:%u:%u: ", path, o->place.line, o->column);
    } else if (o) {
        snprintf(place, SCN_PLACE_BYTES, "%s: ", path);
    }
}

void
scn_write_place(const struct scenario *s, const struct weir_field *f, uint32_t role,
                char place[SCN_PLACE_BYTES])
{
    write_place_of(s, f ? scn_find_origin(s, f, role) : NULL, place);
}

void
scn_write_engine_place(const struct scenario *s, uint32_t role, char place[SCN_PLACE_BYTES])
{
    write_place_of(s, origin_of_engines(s, role), place);
}

bool
scn_fail_speed(const struct scenario *s, size_t speed, const char *key, struct err *err,
               const char *said)
{
    const struct weir_field *rate = weir_field_find(scn_speed_table.fields, "rate");
    const struct weir_field *field = weir_field_find(scn_speed_table.fields, key);
    const struct scn_origin *found = NULL;

    for (size_t i = 0; i < s->n_origins; i++) {
        const struct scn_origin *o = &s->origins[i];
        if (o->speed == speed + 1 && (o->of == field || (o->of == rate && !found))) {
            found = o;
        }
    }
    return fail_at(s, found, err, said);
}
