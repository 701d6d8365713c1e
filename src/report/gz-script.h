/* A script element of the page with compressed data, a tenth of the size of the JSON, which
 * browsers do not execute.
 *
 *     FILE *script = gz_script_open(out, "run");
 *     rep_write_run(script, run);
 *     fclose(script);                      <script type="application/gzip" class="run">H4sI...
 *
 * The text is compressed by gzip, encoded in base64 and written to 'out' in parts, so memory use
 * does not grow with it. Every recent browser can decompress it, also in a file from disk. */

#ifndef REPORT_GZ_SCRIPT_H
#define REPORT_GZ_SCRIPT_H

#include <stdio.h>

FILE *gz_script_open(FILE *out, const char *class_name);

#endif
