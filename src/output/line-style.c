/* Finds the colours of lines, by a table of patterns; the verdict has a colour of its own. */

#include "output/line-style.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define RED    "\x1b[31m"
#define GREEN  "\x1b[32m"
#define YELLOW "\x1b[33m"
#define BOLD   "\x1b[1m"

enum { MAX_MATCHED = 400, INDENT = 4 };

struct rule {
    const char *pattern; /* A pattern as for file names in a shell. */
    const char *style;
};

/* Styles of lines of results. The first matching rule applies. */
static const struct rule results[] = {
    { "[0-9]* run*: no deadlock, no drops.", GREEN },
    { "[0-9]* run*: [0-9]* with*", RED },
    { "[0-9]* of [0-9]* ports ha* too little headroom*", RED },
    { "VIOLATION *", RED },
    { "DEADLOCK *", RED },
    { "CYCLE *", RED },
    { "LOOP *", RED },
    { "warning: *", YELLOW },
    { "WARNING: *", YELLOW },
    { "usage: *", BOLD },
    { "Next: *", BOLD },
    { 0 },
};

static const struct rule messages[] = {
    { "*warning: *", YELLOW },
    { "weir: *", RED },
    { "--*: *", RED },
    { "*:[0-9]*:[0-9]*: *", RED },
    { 0 },
};

static char verdict[MAX_MATCHED];
static enum line_level level_of_verdict;

void
line_style_judge(const char *text, enum line_level level)
{
    snprintf(verdict, sizeof verdict, "%s", text);
    level_of_verdict = level;
}

/* Whether a line is the beginning of the verdict. The rest of the verdict may have been wrapped to
 * the next line. */
static bool
begins_verdict(const char *line, size_t n)
{
    size_t len = strlen(verdict);

    return n && len && !strncmp(line, verdict, n < len ? n : len);
}

const char *
line_style(const char *line, size_t n, bool is_error, const char *before)
{
    static const char *const styles[] = {
        [LINE_GOOD] = GREEN, [LINE_DOUBTFUL] = YELLOW, [LINE_BAD] = RED
    };
    char text[MAX_MATCHED];

    if (!is_error && begins_verdict(line, n)) {
        verdict[0] = '\0';
        return styles[level_of_verdict];
    }
    if (before && n > INDENT && !strncmp(line, "    ", INDENT) && line[INDENT] != ' ') {
        return before;
    }
    snprintf(text, sizeof text, "%.*s", (int)n, line);
    const struct rule *rule = is_error ? messages : results;
    while (rule->pattern && fnmatch(rule->pattern, text, 0)) {
        rule++;
    }
    return rule->style;
}
