/* Text within XML, such as a label in a picture: whatever the text is, what is written is well
 * formed.
 */

#ifndef BASE_XML_H
#define BASE_XML_H

#include <stdio.h>

/* Escaped, for the content of an element or within quotes; what XML has no place for, as control
 * characters and bytes that are not UTF-8, becomes U+FFFD. */
void xml_text(FILE *, const char *text);

#endif
