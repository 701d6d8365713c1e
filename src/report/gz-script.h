/* A script of the page that is not executed, compressed to a tenth of its JSON.
 *
 *     FILE *script = gz_script_open(out, "run");
 *     rep_write_run(script, run);
 *     fclose(script);                      <script type="application/gzip" class="run">H4sI...
 *
 * The text goes through gzip and base64 to 'out', in parts: the memory does not grow with it. Every
 * browser of the last years unpacks it by itself, also in a file from disk. */

#ifndef REPORT_GZ_SCRIPT_H
#define REPORT_GZ_SCRIPT_H

#include <stdio.h>

FILE *gz_script_open(FILE *out, const char *class_name);

#endif
