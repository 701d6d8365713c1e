/* Ports of a run that were chosen by name, as in S1:H1,S2:*. */

#ifndef REPORT_CHOSEN_PORTS_H
#define REPORT_CHOSEN_PORTS_H

#include "report/gather.h"

/* Sets is_chosen[port]; false if there is no such port, with the names that there are. */
bool rep_choose_ports(const struct rep_run *, const char *ports, bool *is_chosen, struct err *);

#endif
