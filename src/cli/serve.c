/* `weir serve`: starts the server that shows results, including those of runs in progress. */

#define _XOPEN_SOURCE 700 /* realpath() */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/installed.h"
#include "base/safe-open.h"
#include "base/text.h"
#include "cli/cli.h"
#include "report/report.h"
#include "web/web.h"

enum { DEFAULT_PORT = 8080, END_S = 6, MIN_TOKEN = 16, TOKEN_BYTES = 16, MAX_TOKEN_FILE = 4096 };

struct options {
    struct verb_operands what;
    const char *listen, *token_file;
    uint64_t port;
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--port", "N", "TCP port to listen on; 0 for any free port. Default: 8080.", VERB_NUMBER,
      AT(port), .max = UINT16_MAX },
    { "--listen", "ADDRESS",
      "Address to listen on, so that other machines can connect: 0.0.0.0, :: or one address of "
      "this machine. Everyone with the token can see the results and run scenarios of the folder. "
      "Default: 127.0.0.1, this machine only.",
      VERB_WORD, AT(listen) },
    { "--token-file", "FILE",
      "File whose first line is the token, of at least 16 characters. Created if it does not "
      "exist; an existing file must be yours, and nobody else may read or write it.",
      VERB_FILE, AT(token_file) },
    { 0 },
};

/* The token of the server. */

static int
make_token(const char *path)
{
    unsigned char bytes[TOKEN_BYTES];

    /* The token is generated first, so that a failure leaves no file without a token. */
    if (getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
        return cli_fail(EXIT_WORLD,
                        "cannot create a token: the system provides no random bytes: %s",
                        strerror(errno));
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0) {
        return cli_fail(EXIT_WORLD, "cannot write %s: %s", path, strerror(errno));
    }
    FILE *out = fdopen(fd, "w");
    for (size_t i = 0; i < sizeof bytes; i++) {
        fprintf(out, "%02x", bytes[i]);
    }
    fputc('\n', out);
    return fclose(out) ? cli_fail(EXIT_WORLD, "cannot write %s: %s", path, strerror(errno))
                       : EXIT_GOOD;
}

/* Opens a file with a token.  If other users could read or write the file, the token would not be
 * secret. */
static int
open_token(const char *path, int *file)
{
    struct stat st;

    *file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*file < 0 || fstat(*file, &st)) {
        return cli_fail(EXIT_WORLD, "%s: %s", path, strerror(errno));
    }
    const char *wrong = !S_ISREG(st.st_mode)     ? "it is not a plain file"
                        : st.st_uid != geteuid() ? "it belongs to another user"
                        : st.st_mode & S_IRWXO   ? "all users can read or write it"
                        : st.st_mode & S_IRWXG   ? "its group can read or write it"
                                                 : NULL;
    if (!wrong) {
        return EXIT_GOOD;
    }
    close(*file);
    return cli_fail(EXIT_USER,
                    "%s cannot be the file of a token: %s. It must be yours alone: chmod 600, or "
                    "name a file that does not exist yet",
                    path, wrong);
}

static int
read_token(const char *path, char **token)
{
    struct err err;
    size_t len;
    int file, code = access(path, F_OK) ? make_token(path) : EXIT_GOOD;

    code = code == EXIT_GOOD ? open_token(path, &file) : code;
    if (code != EXIT_GOOD) {
        return code;
    }
    *token = text_read_open(file, path, MAX_TOKEN_FILE, &len, &err);
    if (!*token) {
        return cli_print_error(EXIT_WORLD, &err);
    }
    (*token)[strcspn(*token, "\r\n")] = '\0';
    bool is_plain =
        strspn(*token, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") ==
        strlen(*token);
    return strlen(*token) >= MIN_TOKEN && is_plain
               ? EXIT_GOOD
               : cli_fail(EXIT_USER,
                          "%s: a token is a line of at least %d letters, digits, '-' and '_'", path,
                          MIN_TOKEN);
}

static int
find_token(const struct options *o, char **token)
{
    if (o->token_file) {
        return read_token(o->token_file, token);
    }
    return !o->listen || web_is_loopback(o->listen)
               ? EXIT_GOOD
               : cli_fail(EXIT_USER,
                          "serve: other machines can reach %s, so --token-file FILE is needed",
                          o->listen);
}

/* Serving. */

static volatile sig_atomic_t is_over; /* Global, because a signal handler gets no other data. */

static void
end(int signal)
{
    (void)signal;
    is_over = 1;
}

/* Ends the process at a second signal, in case a thread is blocked, for example by reading a file.
 * Child processes end with it. */
static void
end_at_once(int signal)
{
    (void)signal;
    _exit(EXIT_GOOD);
}

static void
show_address(const struct web *w, const struct web_config *c, const char *what)
{
    bool is_six = strchr(c->address, ':') != NULL;

    printf("%s: http://%s%s%s:%u/%s%s\nPress Ctrl-C to stop the server.\n", what, is_six ? "[" : "",
           c->address, is_six ? "]" : "", web_port(w), c->token ? "?token=" : "",
           c->token ? c->token : "");
    fflush(stdout);
}

static int
serve(const struct web_config *config, const char *what)
{
    struct err err;
    struct sigaction on_end = { .sa_handler = end }, on_late = { .sa_handler = end_at_once };
    struct web *w = web_start(config, &err);

    if (!w) {
        return cli_print_error(EXIT_WORLD, &err);
    }
    sigaction(SIGINT, &on_end, NULL);
    sigaction(SIGTERM, &on_end, NULL);
    sigaction(SIGALRM, &on_late, NULL);
    signal(SIGPIPE, SIG_IGN);
    show_address(w, config, what);
    if (access(config->folder, W_OK)) {
        cli_fail(EXIT_GOOD,
                 "serve: %s cannot be written to, so runs that the page starts cannot be kept "
                 "there: serve a copy of it to start runs",
                 what);
    }
    while (!is_over) {
        web_tick(w);
    }
    alarm(END_S);
    web_stop(w);
    alarm(0);
    return EXIT_GOOD;
}

/* The folder that is served, or one file in it. */
struct place {
    char folder[PATH_MAX], only[PATH_MAX]; /* If 'only' is empty, the whole folder is served. */
};

/* Finds the file to serve, by its real path. The user may name a symbolic link, but the server
 * follows none below the folder, so folder and file are those of the link's target. */
static int
find_file(const char *real, bool is_plain, struct place *p)
{
    const char *name = strrchr(real, '/') + 1;
    size_t n = strlen(name);
    struct err err;

    if (!is_plain || n < 4 || strcmp(name + n - 3, ".db")) {
        return cli_fail(EXIT_USER, "serve: %s is neither a folder nor a results file (NAME.db)",
                        real);
    }
    if (!safe_is_name(name, SAFE_RESULTS, &err)) {
        return cli_fail(EXIT_USER,
                        "serve: %s cannot be shown under this name: rename the file so that it "
                        "begins with neither '.' nor '-' and has no control characters",
                        real);
    }
    snprintf(p->only, sizeof p->only, "%s", name);
    snprintf(p->folder, sizeof p->folder, "%.*s", name - real > 1 ? (int)(name - real) - 1 : 1,
             real);
    return EXIT_GOOD;
}

static int
find_place(const char *what, struct place *p)
{
    struct stat st;
    char real[PATH_MAX], room[INSTALLED_PATH_BYTES];

    if (!realpath(installed_or(what, room), real) || stat(real, &st)) {
        return cli_fail(EXIT_WORLD, "cannot read %s: %s", what, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode)) {
        return find_file(real, S_ISREG(st.st_mode), p);
    }
    snprintf(p->folder, sizeof p->folder, "%s", real);
    return EXIT_GOOD;
}

static int
run_serve(void *given)
{
    const struct options *o = given;
    struct place place = { 0 };
    char program[PATH_MAX], *token = NULL;
    const char *what = o->what.n ? o->what.items[0] : ".";

    if (!rep_has_page()) {
        return cli_fail(EXIT_WORLD, "serve: this program was built without its page, since node or "
                                    "npm was missing; `make build` says which");
    }
    int code = find_place(what, &place);
    code = code == EXIT_GOOD ? find_token(o, &token) : code;
    if (code == EXIT_GOOD && chdir(place.folder)) {
        code = cli_fail(EXIT_WORLD, "cannot read %s: %s", place.folder, strerror(errno));
    }
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    if (code == EXIT_GOOD) {
        code = serve(&(struct web_config){ .folder = ".",
                                           .only = place.only[0] ? place.only : NULL,
                                           .address = o->listen ? o->listen : "127.0.0.1",
                                           .port = (uint16_t)o->port,
                                           .token = token,
                                           .program = program },
                     what);
    }
    free(token);
    return code;
}

const struct verb cli_serve = {
    .name = "serve",
    .group = VERB_UNDERSTAND,
    .run = run_serve,
    .brief = "show results in a browser while runs go on, and start runs",
    .operands = "[RESULTS | FOLDER]",
    .about = "Serves a page with the results of a folder, or of one file, which follows runs while "
             "they go on. A form on the page runs the folder's scenarios. Default: the current "
             "folder. Ctrl-C stops the server and the runs that it has started; results that these "
             "runs have recorded are kept.",
    .examples = "  weir serve\n"
                "  weir serve results.db --port 9000\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .defaults = &(const struct options){ .port = DEFAULT_PORT },
    .max_operands = 1,
};
