/* clang-format off: it would join the lines of the tables. */
/* Writes results files as a page: one file that opens from disk and needs no network.
 *
 *     FILE *out = fopen("report.html", "wx");
 *     rep_page_begin(out);
 *     for each run that rep_run_read() has read: rep_page_run(out, file, &run, &err)
 *     rep_page_end(out);
 *
 * The page itself is built from web/ and linked into the program; without node and npm there is no
 * page, and rep_has_page() returns false.
 *
 * The data are script elements that are never executed, one for each kind of data below: JSON
 * compressed by gzip, in base64 (gz-script.h).  A run has at most REP_MAX_RUN_CHARS; in larger
 * runs, more samples are merged.
 *
 * The page reads several kinds of data, here and from a server.  The page itself begins with the
 * facts that runs and workloads may have (answer/facts.h), from which it takes its headings:
 *
 *     {"facts": [{"name": "n_lost", "head": "lost", "help": "Packets and frames ...", "unit": "",
 *                 "words": "lost on links"}, ...],
 *      "workload_facts": [...]}
 *
 * A run, written by rep_write_run(), in JSON:
 *
 *     {"file": "results.db", "label": "pfc",                 what differs in the file: runs.h
 *      "is_labelled": false,                                 true: the user gave the label
 *      "id": 1, "name": "gfc-ring", ...                      the columns of the table `run`:
 *      "n_flows": 3, "n_dropped": 0, "paused_ps": null, ...  all facts; null before the run's end
 *      "nodes": {"n": 6, "name": ["S1", ...], "kind": {"of": "AAEC", "texts": ["switch", "nic"]},
 *                "part": "AAEC"},
 *      "ports": ..., "flows": ..., "workloads": ..., "counters": ..., "events": ...,
 *      "violations": ..., "parameters": ..., "series": ...,  as the schema has them
 *      "n_recorded_flows": 3, "n_events": 25,             in the file; the page may have fewer
 *      "troubles": [{"kind": "drop", "n": 15, ...}],      of all events; see events-summary.h
 *      "hotspots": {"link": {"port": 4, "share": 1}, ...}, see hotspots.h
 *      "completion": {"workloads": [{"name": "all", "n_flows": 3, "n_finished": 3,
 *                                    "fct_mean_ps": ..., "slowdown_p99": ...}, ...],
 *                     "sizes": [{"from_bytes": 1000, "to_bytes": 1500, "n_flows": ...}, ...],
 *                     "worst": [{"name": "H1-H2", "id": 7, "bytes": ..., "fct_ps": ...,
 *                                "slowdown": ..., "state": "finished"}, ...],
 *                     "cdf": [...]},         of slowdowns, in steps of equal shares of flows
 *      "why": null}                                       the waits of flows; null: not recorded
 *
 * A column of texts is a list, or indices into a list of the distinct texts.  A column of numbers
 * is packed (json.h), increased by 1, where 0 means unknown.  A column of fractions is a list,
 * where null means unknown. rep_paper_write() writes the claims and figures of papers in a file:
 *
 *     {"file": "gfc.db",
 *      "claims": ...,               the table `claim`, and `figure`: the name by its source
 *      "figures": [{"study": "gfc", "name": "fig9", "source": "6.1.2, Fig. 9",
 *                   "quantity": "queue",
 *                   "panels": [{"title": "...", "svg": "<svg ...>", "csv": "line,..."}, ...]}],
 *      "n_left_out": 0}             figures after the 400th
 *
 * A sweep, written by rep_sweep_write(); sweep.h has more:
 *
 *     {"file": "sweep.db", "sweep": 1, "name": "star", "study": "over: ...",
 *      "n_runs": 12, "n_done": 12, "n_skipped": 0,
 *      "axes": {"metric": 3, "by": 0, "lines": 1, "panels": null},     to begin with
 *      "runs": [[id, status, why, has a deadlock], ...],
 *      "settings": [{"name": "switch.buffer", "unit": "bytes", "values": ["300KB", "1MB"],
 *                    "numbers": [300000, 1000000],            missing if it is no scale
 *                    "of": "AAEC"}, ...],                     packed: the value of each run
 *      "metrics": [{"name": "host_bps", "unit": "bps", "values": [5e9, null, ...]},
 *                  {"name": "all.fct_p99_ps", "unit": "ps", "least_flows": 100,
 *                   "n_flows": 62,               the metric that counts them
 *                   "values": ...}, ...]}
 *
 * The wait accounting of flows (flow-waits.h) is
 *
 *     {"n_flows": 9, "n_waited": 8, "n_victims": 1,            victims: null if not known
 *      "waits": [{"name": "pause", "words": "pauses"}, ...], what a flow may wait for
 *      "flows": {"n": 8, "flow": ..., "waited_ps": ..., "victim_ps": ..., "victim_of": ...,
 *                "what": ..., "port": ..., "root": ..., "pause_ps": ..., "credit_ps": ...,
 *                "rate_ps": ..., "control_ps": ..., "queue_ps": ...},    the worst first
 *      "hops": {"n": 24, "flow": ..., "port": ..., "class": ..., "n_packets": ..., "root": ...,
 *               "pause_ps": ..., ...},                       of the worst, by their paths
 *      "n_roots": 1,
 *      "roots": [{"end": "output", "ports": [7], "class": 0, "paused_ps": 1, "waited_ps": 1,
 *                 "n_flows": 8, "n_victims": 1, "chain": [0, 4, 7], "chain_ps": 1}, ...],
 *      "n_pauses": 40,
 *      "pauses": {"n": 40, "port": ..., "class": ..., "from_ps": ..., "to_ps": ..., "root": ...,
 *                 "next": ...}}
 *
 * where "what" is an index into "waits": the flow's longest wait.  "root" and "victim_of" are
 * indices into "roots", except that the root of a pause is a port, or unknown for a cycle.  "next"
 * is the port that a paused port waits for.  The pauses at an instant are those that have begun and
 * not ended.  If there are many pauses, only the longest are listed.
 *
 * Samples: rep_write_samples(), thinned (thin.h):
 *
 *     {"n": 1001, "each": 1, "times": "AAEC", "values": ["AAEC", null, ...]}
 *
 * with a packed item for each series.  It has one column for counters, or if a row is one sample;
 * else two, the minimum and the maximum. */
/* clang-format on */

#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdio.h>

#include "report/gather.h"
#include "report/sweep.h"

bool rep_has_page(void);

/* Two runs of this size, and the page itself, are smaller than 4 MB. With fewer rows a picture
 * would be useless. */
enum { REP_MAX_RUN_CHARS = 1850000, REP_FEW_ROWS = 64 };

void rep_page_begin(FILE *);
bool rep_page_run(FILE *, struct rec_file *, const struct rep_run *, struct err *);
bool rep_page_sweep(FILE *, struct rec_file *, const char *name, uint64_t id, struct err *);
bool rep_page_claims(FILE *, struct rec_file *, const char *name, struct err *);
void rep_page_end(FILE *);

/* The page's Content-Security-Policy, for a server that sends it as a header, too. */
void rep_page_policy(FILE *);

void rep_write_run(FILE *, const struct rep_run *);
void rep_write_scorecard(struct json *, const struct rec_rows *);
void rep_write_claims(struct json *, const struct rec_rows *);
void rep_write_samples(FILE *, const struct rep_run *, const struct rep_want *,
                       const struct rep_samples *);

#endif
