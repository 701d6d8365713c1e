/* Writes text within XML, such as a label in a picture. The output is well formed for any text.
 */

#ifndef BASE_XML_H
#define BASE_XML_H

#include <stdio.h>

/* Writes escaped text, for the content of an element or within quotes. Characters that XML
 * excludes, such as control characters, and bytes that are not UTF-8, become U+FFFD. */
void xml_text(FILE *, const char *text);

#endif
