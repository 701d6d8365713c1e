#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "report/report.h"
#include "web/web.h"

static const char help[] =
    "usage: weir serve [RESULTS | FOLDER] [--port N] [--listen ADDRESS --token-file FILE]\n"
    "\n"
    "Shows the results of a folder, or of one file, in a browser, while runs go on; and runs the\n"
    "folder's scenarios from a form.  Without a folder, those of this one.  Ctrl-C ends it and the "
    "runs\n"
    "that it has started, which keep what they have.\n"
    "\n"
    "  --port N           8080 if not given; 0: any that is free\n"
    "  --listen ADDRESS   not only for this machine: 0.0.0.0, :: or one of its addresses.  "
    "Whoever\n"
    "                     has the token may look, and run scenarios of the folder\n"
    "  --token-file FILE  its first line is the token, 16 letters at least; made if it is not "
    "there\n";

enum { DEFAULT_PORT = 8080, MIN_TOKEN = 16, TOKEN_BYTES = 16, MAX_TOKEN_FILE = 4096 };

struct options {
    const char *what, *listen, *token_file;
    uint16_t port;
};

static int
read_port(const char *text, uint16_t *port)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (!*text || *end || n > UINT16_MAX || text[0] == '-') {
        return cli_fail(EXIT_USER, "serve: --port takes a number from 0 to 65535, not '%s'", text);
    }
    *port = (uint16_t)n;
    return EXIT_GOOD;
}

static int
read_options(int argc, char **argv, struct options *o)
{
    int code = EXIT_GOOD;

    for (int i = 1; i < argc && code == EXIT_GOOD; i++) {
        bool has_value = i + 1 < argc;
        if (!strcmp(argv[i], "--port") && has_value) {
            code = read_port(argv[++i], &o->port);
        } else if (!strcmp(argv[i], "--listen") && has_value) {
            o->listen = argv[++i];
        } else if (!strcmp(argv[i], "--token-file") && has_value) {
            o->token_file = argv[++i];
        } else if (argv[i][0] == '-' || o->what) {
            code = cli_fail(EXIT_USER, "serve: unexpected '%s'\n\n%s", argv[i], help);
        } else {
            o->what = argv[i];
        }
    }
    return code;
}

/* The token. */

static int
make_token(const char *path)
{
    unsigned char bytes[TOKEN_BYTES];
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    if (fd < 0 || getrandom(bytes, sizeof bytes, 0) != sizeof bytes) {
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

static int
read_token(const char *path, char **token)
{
    struct err err;
    size_t len;
    int code = access(path, F_OK) ? make_token(path) : EXIT_GOOD;

    if (code != EXIT_GOOD) {
        return code;
    }
    *token = text_read_file(path, MAX_TOKEN_FILE, &len, &err);
    if (!*token) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
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
                          "serve: at %s others can reach this server: --token-file FILE is needed",
                          o->listen);
}

/* Serving. */

static volatile sig_atomic_t is_over; /* What a signal handler can reach. */

static void
end(int signal)
{
    (void)signal;
    is_over = 1;
}

static void
show_address(const struct web *w, const struct web_config *c)
{
    bool is_six = strchr(c->address, ':') != NULL;

    printf("%s%s%s: http://%s%s%s:%u/%s%s\nCtrl-C ends it.\n", c->folder, c->only ? "/" : "",
           c->only ? c->only : "", is_six ? "[" : "", c->address, is_six ? "]" : "", web_port(w),
           c->token ? "?token=" : "", c->token ? c->token : "");
    fflush(stdout);
}

static int
serve(const struct web_config *config)
{
    struct err err;
    struct sigaction on_end = { .sa_handler = end };
    struct web *w = web_start(config, &err);

    if (!w) {
        return cli_fail(EXIT_WORLD, "%s", err.text);
    }
    sigaction(SIGINT, &on_end, NULL);
    sigaction(SIGTERM, &on_end, NULL);
    signal(SIGPIPE, SIG_IGN);
    show_address(w, config);
    while (!is_over) {
        web_tick(w);
    }
    web_stop(w);
    return EXIT_GOOD;
}

/* A file is its folder, and nothing else of it. */
static int
find_folder(const char *what, char folder[PATH_MAX], const char **only)
{
    struct stat st;

    if (stat(what, &st)) {
        return cli_fail(EXIT_WORLD, "cannot read %s: %s", what, strerror(errno));
    }
    snprintf(folder, PATH_MAX, "%s", what);
    if (S_ISDIR(st.st_mode)) {
        return EXIT_GOOD;
    }
    char *slash = strrchr(folder, '/');
    const char *name = strrchr(what, '/') ? strrchr(what, '/') + 1 : what;
    size_t n = strlen(name);
    if (n < 4 || strcmp(name + n - 3, ".db")) {
        return cli_fail(EXIT_USER, "serve: %s is neither a folder nor a results file, as in out.db",
                        what);
    }
    *only = name;
    snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash - folder) : 1, slash ? what : ".");
    return EXIT_GOOD;
}

int
cli_serve(int argc, char **argv)
{
    struct options o = { .port = DEFAULT_PORT };
    char folder[PATH_MAX], program[PATH_MAX], *token = NULL;
    const char *only = NULL;

    if (cli_helped(argc, argv, help)) {
        return EXIT_GOOD;
    }
    int code = read_options(argc, argv, &o);
    if (code == EXIT_GOOD && !rep_has_page()) {
        code =
            cli_fail(EXIT_WORLD, "serve: this program was built without its page, as node or npm "
                                 "were missing; `make build` says more");
    }
    code = code == EXIT_GOOD ? find_folder(o.what ? o.what : ".", folder, &only) : code;
    code = code == EXIT_GOOD ? find_token(&o, &token) : code;
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    if (code == EXIT_GOOD) {
        code = serve(&(struct web_config){ .folder = folder,
                                           .only = only,
                                           .address = o.listen ? o.listen : "127.0.0.1",
                                           .port = o.port,
                                           .token = token,
                                           .program = program });
    }
    free(token);
    return code;
}
