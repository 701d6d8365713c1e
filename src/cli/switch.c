/* `weir switch`: runs one switch of a scenario on real ports, in real time. */

#include "switch/switch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "output/terminal.h"
#include "run/stopping.h"

enum { PS_PER_NS = 1000, NS_PER_S = 1000000000 };

_Static_assert((int)SWITCH_MAX_PORTS == (int)VERB_MAX_WORDS, "--port can name every port");

struct switch_options {
    struct verb_operands file;
    struct verb_words sets, ports, eal;
    const char *node, *pcap;
    int64_t time_ns; /* The time to run; 0: the switch runs until it is stopped. */
    bool force, json;
};

/* Reads a time in whole seconds, because long times do not fit into 64 bits of picoseconds. */
static bool
read_seconds(const char *word, int64_t *ns)
{
    char *end;

    errno = 0;
    unsigned long long s = strtoull(word, &end, 10);
    bool is_good =
        *word >= '0' && *word <= '9' && !strcmp(end, "s") && !errno && s <= INT64_MAX / NS_PER_S;
    *ns = is_good ? (int64_t)s * NS_PER_S : 0;
    return is_good;
}

static bool
read_time(void *time_ns, const char *word, struct err *err)
{
    struct weir_text why = { 0 };
    int64_t *ns = time_ns;
    uint64_t ps;

    if (weir_value_parse(WEIR_TIME, word, &ps, &why)) {
        *ns = (int64_t)(ps / PS_PER_NS + (ps % PS_PER_NS > 0));
    } else if (!read_seconds(word, ns)) {
        return err_set(err, "%s", why.s);
    }
    return *ns || err_set(err, "takes a time of more than 0, as in 10s");
}

#define AT(MEMBER) .offset = offsetof(struct switch_options, MEMBER)

static const struct verb_option options[] = {
    { "--node", "NAME",
      "Switch of the scenario to run. Not needed if the scenario has only one switch.", VERB_WORD,
      AT(node) },
    { "--port", "NEIGHBOUR=DEVICE",
      "Device of the port to a neighbour: a network interface of this machine (H1=eth1), or a "
      "device as DPDK names it (H1=0000:01:00.0, H1=net_tap0,iface=weir0). H1=down declares that "
      "nothing is connected to that port. Give this option once for each port of the switch. If a "
      "neighbour has several links, name its port (S2:1=eth3) or the link (trunk-1=eth3).",
      VERB_WORDS, AT(ports) },
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--time", "TIME",
      "Stops after this time, as in 10s; times over 106 days must be whole seconds. Default: "
      "runs until Ctrl-C.",
      VERB_READ, AT(time_ns), .read = read_time },
    { "--eal", "ARGUMENT",
      "Argument for DPDK's environment layer (EAL), as in --eal=--log-level=8. May be given "
      "several times.",
      VERB_WORDS, AT(eal) },
    { "--json", NULL, CLI_JSON_HELP, VERB_FLAG, AT(json) },
    { "--pcap", "OUT",
      "Writes the frames that cross the ports to OUT, for Wireshark: received frames, with the "
      "time at which they were read, and sent frames.",
      VERB_FILE, AT(pcap) },
    { "--force", NULL, "Replaces OUT if it exists.", VERB_FLAG, AT(force) },
    { 0 },
};

static struct switch_request
request_of(const struct switch_options *o)
{
    return (struct switch_request){ .node = o->node,
                                    .ports = o->ports.items,
                                    .n_ports = o->ports.n,
                                    .eal = o->eal.items,
                                    .pcap = o->pcap,
                                    .force = o->force,
                                    .time_ns = o->time_ns,
                                    .messages = stderr,
                                    .out = stdout,
                                    .json = o->json,
                                    .shows_seconds = isatty(STDOUT_FILENO) && !o->json };
}

static int
run_switch(void *given)
{
    const struct switch_options *o = given;
    struct scenario scenario;
    struct err err;

    if (o->force && !o->pcap) {
        return cli_fail(EXIT_USER, "switch: --force needs --pcap OUT");
    }
    cli_hear_interrupts();
    int code = cli_read_scenario(&scenario, o->file.items[0], o->sets.items, o->sets.n);
    if (code != EXIT_GOOD) {
        return code;
    }
    stopping_hold(NULL, NULL);
    const struct terminal before = terminal_hold();
    const struct switch_request request = request_of(o);
    code = switch_run(&scenario, &request, &err);
    scn_free(&scenario);
    terminal_let_go(&before);
    stopping_let_go();
    return code == EXIT_USER || code == EXIT_WORLD ? cli_print_error(code, &err) : code;
}

const struct verb cli_switch = {
    .name = "switch",
    .group = VERB_REAL,
    .run = run_switch,
    .brief = "run one switch of a scenario on real ports, with DPDK",
    .operands = "FILE",
    .about =
        "Runs one switch of a scenario on real ports, in real time: the same switch, engines, "
        "buffers and thresholds as in the simulator. Frames that arrive at one port leave by "
        "another; each port sends at the rate of its link in the scenario. Other packets, such as "
        "those of Linux hosts, are forwarded by their Ethernet addresses, in the class that their "
        "VLAN priority or DSCP selects. The ports are devices of DPDK: network interfaces, PCI "
        "devices, taps.\n\n"
        "On a terminal it shows what happened each second. At the end it shows what crossed its "
        "ports, pauses, frames that it could not use, and how late it was. Lateness is the longest "
        "time between two polls of its ports, and the time that peers took to stop after a pause. "
        "It warns if thresholds were derived for shorter times. Ctrl-C ends it.\n\n"
        "The exit code is 0 if all went well. It is 4 if packets of a lossless class were dropped, "
        "by the switch or by a device. It is 2 if the arguments or the scenario have an error. It "
        "is 3 if DPDK, a device or a right is missing; the error names it. It is 130 if it was "
        "stopped before --time was over.\n\n"
        "doc/lab.md has examples; `weir lab` sets up a whole network on this machine.",
    .examples = "  sudo weir switch two-hosts.yaml --port H1=eth1 --port H2=eth2\n"
                "  sudo weir switch ring.yaml --node S1 --port H1=eth1 --port S2=eth2 \\\n"
                "      --port S3=down --time 10s --json\n",
    .options = options,
    .options_bytes = sizeof(struct switch_options),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no scenario given",
};
