/* The names of a run's series, in exports and in figures.
 *
 *     struct rep_places places = rep_places_of(&nodes, &ports, &flows, &series);
 *     char name[REP_SERIES_BYTES];
 *     rep_series_name(&places, series, name);                "queue S1 from L2"
 *
 * A port is named together with its peer (port-name.h): `from` the peer if the quantity is about
 * arriving packets, otherwise `to` the peer.  A flow is `flow NAME`, a node its name.  If the
 * series of the run have several classes, the name ends with `, class 3`.
 *
 *     struct rep_flow_names names = rep_flow_names_of(&flows);
 *     rep_flow_name(&names, 3, room);       "H1-H4", or "H1-H4 #3" if another flow has this name
 *     rep_flow_names_free(&names);
 *
 * A scenario may give two flows the same name, and two flows of the same pair have the same name by
 * default.  The flow's number, its `id` in the file, then follows the name. */

#ifndef REPORT_SERIES_NAME_H
#define REPORT_SERIES_NAME_H

#include <stdbool.h>

#include "record/reader.h"
#include "report/port-name.h"

enum { REP_FLOW_BYTES = 160 };

struct rep_flow_names {
    const struct rec_rows *flows; /* Owned by the caller. */
    bool *is_shared;              /* [flow]: another flow has the same name. */
};

struct rep_flow_names rep_flow_names_of(const struct rec_rows *flows);
void rep_flow_names_free(struct rep_flow_names *);

/* Writes a name into 'room', and returns 'room'. The name of a flow that is not in the file is its
 * number. */
const char *rep_flow_name(const struct rep_flow_names *, uint32_t flow, char room[REP_FLOW_BYTES]);

enum { REP_SERIES_BYTES = 600, REP_PLACE_BYTES = 500 };

/* The names of the objects of a run by their ids. The caller owns the rows. */
struct rep_places {
    struct rep_port_names ports;
    struct rep_flow_names flows;
    bool has_classes;
};

struct rep_places rep_places_of(const struct rec_rows *nodes, const struct rec_rows *ports,
                                const struct rec_rows *flows, const struct rec_rows *series);
void rep_places_free(struct rep_places *);

/* Write the name of a series: rep_series_name() with its quantity, rep_series_place() without it,
 * for a figure that has the quantity in its title. */
void rep_series_name(const struct rep_places *, const struct rec_series *,
                     char room[REP_SERIES_BYTES]);
void rep_series_place(const struct rep_places *, const struct rec_series *,
                      char room[REP_PLACE_BYTES]);

#endif
