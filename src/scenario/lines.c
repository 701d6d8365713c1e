/* Reads files of other programs line by line, with the place of each word. */

#include "scenario/lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static const char blanks[] = " \t\r";

static void
skip_blanks(struct scn_lines *l)
{
    size_t n = strspn(l->at, blanks);
    l->at += n;
    l->column += n;
}

void
scn_lines_close(struct scn_lines *l)
{
    scn_tree_free(l->words);
    l->words = NULL;
}

bool
scn_next_line(struct scn_lines *l)
{
    scn_lines_close(l);
    do {
        const char *end = l->at ? strchr(l->at, '\n') : NULL;
        if (l->at && !end) {
            return false;
        }
        l->at = l->at ? end + 1 : l->source->text;
        l->line++;
        l->column = 1;
        skip_blanks(l);
    } while (*l->at == '\n' || *l->at == '#');
    return *l->at;
}

struct scn_tail
scn_pass_lines(struct scn_lines *l)
{
    struct scn_tail tail = { 0 };

    for (; scn_next_line(l); tail.n_lines++) {
        tail.line = tail.n_lines ? tail.line : l->line;
    }
    return tail;
}

struct scn_node *
scn_next_word(struct scn_lines *l)
{
    skip_blanks(l);
    size_t len = strcspn(l->at, " \t\r\n");
    if (!len) {
        return NULL;
    }
    struct scn_node *word = scn_tree_new(SCN_WORD, l->source, l->line, l->column);
    word->word = strndup(l->at, len);
    l->words = l->words ? l->words : scn_tree_new(SCN_LIST, l->source, l->line, 1);
    scn_tree_add(l->words, NULL, word);
    for (; len; len--, l->at++) {
        l->column += (*l->at & 0xc0) != 0x80;
    }
    return word;
}

bool
scn_fail_line(const struct scn_lines *l, struct err *err, const char *what)
{
    struct scn_lines here = *l;

    skip_blanks(&here);
    return scn_fail_in(here.source, here.line, here.column, err, "%s", what);
}

bool
scn_word_number(const struct scn_node *word, uint64_t max, uint64_t *number, struct err *err)
{
    size_t n_digits = strspn(word->word, "0123456789");
    const char *rest = word->word + n_digits;

    /* Scripts in Python write 16.0 for 16. */
    rest += *rest == '.' ? 1 + strspn(rest + 1, "0") : 0;
    *number = n_digits < 20 ? strtoull(word->word, NULL, 10) : UINT64_MAX;
    if (!n_digits || *rest) {
        return scn_fail(word, err, "'%s' is not a%s number", word->word,
                        n_digits && word->word[n_digits] == '.' ? " whole" : "");
    }
    return *number <= max || scn_fail(word, err, "%s is too large; the maximum is %llu", word->word,
                                      (unsigned long long)max);
}

bool
scn_next_number(struct scn_lines *l, const char *what, uint64_t max, uint64_t *number,
                struct err *err)
{
    const struct scn_node *word = scn_next_word(l);

    return word ? scn_word_number(word, max, number, err) : scn_fail_line(l, err, what);
}

bool
scn_end_line(struct scn_lines *l, struct err *err)
{
    skip_blanks(l);
    return !*l->at || *l->at == '\n' || scn_fail_line(l, err, "the line must end here");
}
