/* Converts figures to PDF with rsvg-convert, of librsvg. */

#include "report/pdf.h"

#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_PATH = 4096, NOT_FOUND = 127 };

extern char **environ;

/* Runs a program and returns its exit code; NOT_FOUND if it cannot be started. */
static int
run_program(char *const words[], bool is_quiet)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = 0;

    posix_spawn_file_actions_init(&actions);
    if (is_quiet) {
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", 1, 0);
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", 1, 0);
    }
    int failed = posix_spawnp(&pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed || waitpid(pid, &status, 0) < 0) {
        return NOT_FOUND;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : NOT_FOUND;
}

bool
pdf_is_there(void)
{
    char *words[] = { "rsvg-convert", "--version", NULL };
    return run_program(words, true) == 0;
}

bool
pdf_convert(const char *folder, const char *name, struct err *err)
{
    char svg[MAX_PATH], pdf[MAX_PATH];
    char *words[] = { "rsvg-convert", "--format=pdf", "--output", pdf, svg, NULL };

    snprintf(svg, sizeof svg, "%s/%s.svg", folder, name);
    snprintf(pdf, sizeof pdf, "%s/%s.pdf", folder, name);
    int code = run_program(words, false);
    return code == 0 || err_set(err, "rsvg-convert could not write %s: exit code %d", pdf, code);
}
