/* Converts figures from SVG to PDF, if the machine has a converter. */

#ifndef REPORT_PDF_H
#define REPORT_PDF_H

#include <stdbool.h>

#include "base/err.h"

/* Whether rsvg-convert can be started. */
bool pdf_is_there(void);

/* Converts FOLDER/NAME.svg to FOLDER/NAME.pdf. */
bool pdf_convert(const char *folder, const char *name, struct err *);

#endif
