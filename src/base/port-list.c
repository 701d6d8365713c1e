/* Parses a list of ports. */

#include "base/port-list.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Parses one port of a list. The word is modified. */
static bool
take_word(char *word, bool (*take)(void *arg, struct port_name, struct err *), void *arg,
          struct err *err)
{
    char *colon = strrchr(word, ':');

    if (!colon) {
        return err_set(err,
                       "--ports: '%s' is not a port: write S1:H1 for the port of S1 towards H1, "
                       "S1:2 for port 2 of S1, S1:LINK for its port at the link with that name, or "
                       "S1:* for all its ports",
                       word);
    }
    *colon = '\0';
    return take(arg, (struct port_name){ word, strcmp(colon + 1, "*") ? colon + 1 : NULL }, err);
}

bool
port_list_each(const char *list, bool (*take)(void *arg, struct port_name, struct err *), void *arg,
               struct err *err)
{
    char *words = array_new(strlen(list) + 1, 1);
    bool good = true;

    strcpy(words, list);
    for (char *word = words, *next; good && word; word = next) {
        next = strchr(word, ',');
        if (next) {
            *next++ = '\0';
        }
        good = take_word(word, take, arg, err);
    }
    free(words);
    return good;
}
