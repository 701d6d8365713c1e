/* Who may ask the server: this machine, or whoever has the token. */

#include "web/guard.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_NAME = 200, MAX_KEY = 80, MAX_VALUE = 200, MAX_PATH = 4096 };

bool
guard_token_matches(const char *token, const char *given)
{
    size_t n = strlen(token), n_given = given ? strlen(given) : 0;
    size_t differs = n ^ n_given;

    for (size_t i = 0; i < n; i++) {
        differs |= (unsigned char)token[i] ^ (unsigned char)(i < n_given ? given[i] : 0);
    }
    return !differs;
}

bool
guard_is_own_name(const char *host)
{
    static const char *const names[] = { "127.0.0.1", "localhost", "[::1]" };

    for (size_t i = 0; host && i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (!strncmp(host, names[i], n) &&
            (!host[n] ||
             (host[n] == ':' && strspn(host + n + 1, "0123456789") == strlen(host + n + 1)))) {
            return true;
        }
    }
    return false;
}

bool
guard_is_name(const char *name, const char *ending)
{
    size_t n = name ? strlen(name) : 0, n_ending = strlen(ending);

    return n > n_ending && n <= MAX_NAME && name[0] != '.' && name[0] != '-' &&
           !strcmp(name + n - n_ending, ending) && !strchr(name, '/');
}

bool
guard_is_file(const char *folder, const char *name, const char *ending)
{
    char path[MAX_PATH];
    struct stat st;

    return guard_is_name(name, ending) &&
           snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool
guard_is_setting(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char key[sizeof letters + 8], value[sizeof letters + 16];
    size_t n_key, n_value;

    snprintf(key, sizeof key, "%s_.-", letters);
    snprintf(value, sizeof value, "%s_.,:+%%[]{} -", letters);
    n_key = strspn(text, key);
    if (!n_key || n_key > MAX_KEY || text[0] == '-' || text[n_key] != '=') {
        return false;
    }
    n_value = strspn(text + n_key + 1, value);
    return n_value && n_value <= MAX_VALUE && !text[n_key + 1 + n_value] && !strstr(text, "..");
}
