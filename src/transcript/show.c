/* Compares answers with the expected ones, and writes the differences. */

#include <string.h>

#include "transcript/player.h"

static void
write_lines(struct player *p, size_t first, size_t end)
{
    for (size_t line = first; line < end && line <= p->t->n_lines; line++) {
        fprintf(p->file, "%s\n", p->t->lines[line - 1]);
    }
}

/* The i-th expected answer; null: the transcript has no more. An event without expected answers
 * expects "nothing". */
static const char *
wanted_answer(const struct player *p, const struct transcript_step *s, size_t i)
{
    if (s->n_answers) {
        return i < s->n_answers ? p->t->answers[s->first_answer + i] : NULL;
    }
    return i ? NULL : "nothing";
}

static bool
same_answer(const struct player *p, const struct transcript_step *s, size_t i)
{
    const char *wanted = wanted_answer(p, s, i);
    const char *given = i < p->n_answers ? p->answers[i].s : NULL;

    if (!wanted || !given) {
        return wanted == given;
    }
    const char *written = s->n_answers ? p->t->answers_written[s->first_answer + i] : wanted;
    return transcript_same(wanted, written, given);
}

static bool
is_as_expected(const struct player *p, const struct transcript_step *s)
{
    size_t n = s->n_answers > p->n_answers ? s->n_answers : p->n_answers;
    for (size_t i = 0; i < n; i++) {
        if (!same_answer(p, s, i)) {
            return false;
        }
    }
    return true;
}

static void
write_difference(struct player *p, const struct transcript_step *s)
{
    if (p->mode == TRANSCRIPT_CHECK) {
        fprintf(p->file, "%s:%zu: %s\n", p->t->name, s->line, p->t->lines[s->line - 1]);
    }
    for (size_t i = 0;; i++) {
        const char *wanted = wanted_answer(p, s, i);
        const char *given = i < p->n_answers ? p->answers[i].s : NULL;
        if (!wanted && !given) {
            break;
        }
        if (same_answer(p, s, i)) {
            fprintf(p->file, "           %s\n", given);
            continue;
        }
        if (wanted) {
            fprintf(p->file, "  expected %s\n", wanted);
        }
        if (given) {
            fprintf(p->file, "  answered %s\n", given);
        }
    }
}

/* Writes an answer of a new transcript in columns, below its event. */
static void
write_answer(struct player *p, const struct transcript_step *s, const char *answer)
{
    const char *rest = strchr(answer, ' ');
    int indent = (int)s->column - 1;

    if (rest) {
        fprintf(p->file, "%*s%-8.*s%s\n", indent, "", (int)(rest - answer), answer, rest);
    } else {
        fprintf(p->file, "%*s%s\n", indent, "", answer);
    }
}

/* Replaces the expected answers by the actual ones; comments are unchanged. */
static void
write_filled(struct player *p, const struct transcript_step *s, size_t next_line)
{
    write_lines(p, s->line, s->line + 1);
    for (size_t i = 0; i < p->n_answers; i++) {
        write_answer(p, s, p->answers[i].s);
    }
    for (size_t line = s->line + 1; line < next_line; line++) {
        const char *text = p->t->lines[line - 1];
        text += strspn(text, " \t\r");
        if (!*text || *text == '#') {
            write_lines(p, line, line + 1);
        }
    }
}

static void
write_step(struct player *p, const struct transcript_step *s, bool good)
{
    bool is_last = s + 1 == p->t->steps + p->t->n_steps;
    size_t next_line = is_last ? p->t->n_lines + 1 : s[1].line;

    if (p->mode == TRANSCRIPT_FILL) {
        write_filled(p, s, next_line);
    } else if (p->mode == TRANSCRIPT_SHOW) {
        write_lines(p, s->line, good ? next_line : s->line + 1);
    }
    if (p->mode != TRANSCRIPT_FILL && !good) {
        write_difference(p, s);
    }
}

void
player_judge(struct player *p, const struct transcript_step *s)
{
    bool good = is_as_expected(p, s);

    p->result.n_steps++;
    p->result.n_differing += !good;
    write_step(p, s, good);
}

/* Lines before the first event. */

/* Writes the lines before the first event. A new transcript also gets the messages about the node.
 * If the stack does not fit the node, all steps are written unchanged. */
void
player_write_heading(struct player *p, bool fits, const char *said)
{
    size_t end = p->t->n_steps && fits ? p->t->steps[0].line : p->t->n_lines + 1;

    for (size_t line = 1; line < end; line++) {
        if (p->mode == TRANSCRIPT_FILL && line == p->t->said_line) {
            fprintf(p->file, *said ? "%-7s %s\n" : "%s%s\n", fits ? "warned" : "refused", said);
        } else {
            write_lines(p, line, line + 1);
        }
    }
}

void
player_check_said(struct player *p, const char *what, const char *wanted, const char *said)
{
    p->result.n_steps++;
    if (!strcmp(wanted ? wanted : "", said) || (p->mode == TRANSCRIPT_FILL && wanted)) {
        return;
    }
    p->result.n_differing++;
    if (p->mode != TRANSCRIPT_FILL) {
        fprintf(p->file, "%s:%zu: refusal or warning before the start\n", p->t->name,
                p->t->said_line ? p->t->said_line : 1);
        fprintf(p->file, wanted && *wanted ? "  expected %s %s\n" : "  expected nothing\n", what,
                wanted);
        fprintf(p->file, *said ? "  answered %s %s\n" : "  answered nothing\n", what, said);
    }
}
