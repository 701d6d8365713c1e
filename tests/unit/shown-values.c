/* Values as the text of commands shows them: reads lines "UNIT,VALUE", and writes one line for
 * each. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/value.h"

int
main(void)
{
    char line[200], text[VALUE_BYTES];

    while (fgets(line, sizeof line, stdin)) {
        char *value = strchr(line, ',');
        if (!value) {
            return 1;
        }
        *value++ = '\0';
        value_write(line, strtod(value, NULL), text, sizeof text);
        puts(text);
    }
    return 0;
}
