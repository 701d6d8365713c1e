/* `weir switch`: runs one switch of a scenario on real ports, in real time, until it is over. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/switch.h"
#include "output/terminal.h"
#include "run/stopping.h"

/* Whole seconds, for times that are longer than picoseconds last. */
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
read_time(void *options, const char *word, struct err *err)
{
    struct switch_options *o = options;
    struct weir_text why = { 0 };
    uint64_t ps;

    if (weir_value_parse(WEIR_TIME, word, &ps, &why)) {
        o->time_ns = (int64_t)(ps / PS_PER_NS + (ps % PS_PER_NS > 0));
    } else if (!read_seconds(word, &o->time_ns)) {
        return err_set(err, "%s", why.s);
    }
    return o->time_ns || err_set(err, "takes a time of more than 0, as in 10s");
}

#define AT(MEMBER) .offset = offsetof(struct switch_options, MEMBER)

static const struct verb_option options[] = {
    { "--node", "NAME",
      "The switch of the scenario to run. Not needed if the scenario has only one switch.",
      VERB_WORD, AT(node) },
    { "--port", "NEIGHBOUR=DEVICE",
      "The device of the port to a neighbour: a network interface of this machine (H1=eth1), or "
      "a device as DPDK names it (H1=0000:01:00.0, H1=net_tap0,iface=weir0). H1=down says that "
      "nothing is connected there. Needed once for each port of the switch.",
      VERB_WORDS, AT(ports) },
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--time", "TIME",
      "Ends by itself after this time, as in 10s; more than 106 days in whole seconds. Default: "
      "runs until Ctrl-C.",
      VERB_READ, .read = read_time },
    { "--eal", "ARGUMENT",
      "An argument for DPDK's environment layer (EAL), as in --eal=--log-level=8. May be given "
      "several times.",
      VERB_WORDS, AT(eal) },
    { "--json", NULL, CLI_JSON_HELP, VERB_FLAG, AT(json) },
    { "--pcap", "OUT",
      "Writes all that crosses the ports to OUT, for Wireshark: what came, when it was read, and "
      "what was sent.",
      VERB_FILE, AT(pcap) },
    { "--force", NULL, "Replaces OUT if it exists.", VERB_FLAG, AT(force) },
    { 0 },
};

/* Running. */

static int64_t
ns_since(const struct timespec *began)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)(now.tv_sec - began->tv_sec) * NS_PER_S + (now.tv_nsec - began->tv_nsec);
}

static struct switch_told
told_by(const struct switch_running *r)
{
    return (struct switch_told){ .topo = &r->s.topo,
                                 .node = r->node,
                                 .ports = r->ports,
                                 .io = &r->io,
                                 .dp = r->dp,
                                 .now_ns = r->now_ns };
}

/* The kernel takes longer than this to hand a frame over, so that who reads interfaces by it may
 * leave the core to others meanwhile.  Who naps is then run before those who never do. */
enum { NAP_PS = 50000000 };

static bool
may_nap(const struct switch_running *r)
{
    bool may = true;

    for (uint32_t i = 0; i < r->io.n_ports; i++) {
        may &= r->ports[i].is_interface || r->ports[i].is_down;
    }
    return may;
}

static void
nap(const struct switch_running *r)
{
    weir_ps ps = sim_live_next(dp_node_sim(r->dp)) - dp_node_now(r->dp);
    const struct timespec t = { .tv_nsec = (ps < NAP_PS ? ps : NAP_PS) / PS_PER_NS };

    if (ps > 0) {
        nanosleep(&t, NULL);
    }
}

static void
look(struct switch_running *r, const struct timespec *began)
{
    r->now_ns = ns_since(began);
    dp_node_poll_ns(r->dp, r->now_ns);
}

/* Until it is asked to stop, or its time is over.  It is said to run when it has looked once. */
static void
forward(struct switch_running *r)
{
    prctl(PR_SET_TIMERSLACK, 1); /* Naps end when they are over. */
    int64_t until_ns = r->o->time_ns ? r->o->time_ns : INT64_MAX;
    struct timespec began;
    bool is_seen = isatty(STDOUT_FILENO) && !r->o->json, naps = may_nap(r);
    struct switch_ticker ticker = { 0 };

    clock_gettime(CLOCK_MONOTONIC, &began);
    look(r, &began);
    fprintf(stderr, "%s is running; Ctrl-C ends it\n", r->s.topo.nodes[r->node].name);
    while (!stopping_is_asked() && r->now_ns < until_ns) {
        look(r, &began);
        if (r->io.has_changed) {
            struct switch_told told = told_by(r);
            switch_show_links(&r->io, &told);
        }
        if (is_seen && r->now_ns - ticker.last_ns >= NS_PER_S) {
            struct switch_told told = told_by(r);
            switch_show_second(&ticker, &told);
        }
        if (naps) {
            nap(r);
        }
    }
    r->now_ns = ns_since(&began);
    dp_node_end_ns(r->dp, r->now_ns); /* Not drained: there is no end to what others send. */
}

static int
how_it_ended(const struct switch_running *r, bool is_broken)
{
    return is_broken ? EXIT_PROMISE : r->now_ns < r->o->time_ns ? EXIT_STOPPED : EXIT_GOOD;
}

static int
conclude(struct switch_running *r, struct err *err)
{
    const struct switch_options *o = r->o;
    struct switch_told told = told_by(r);
    struct weir_text broken;
    struct switch_captured captured;
    int code = EXIT_GOOD;

    if (r->capture) {
        code = switch_capture_end(r->capture, &captured, err);
        told.captured = &captured;
        r->capture = NULL;
    }
    told.broken = r->s.expect & SCN_EXPECT_DROPS ? NULL : switch_broken(&told, &broken);
    (o->json ? switch_show_json : switch_show_text)(&told);
    return code == EXIT_GOOD ? how_it_ended(r, told.broken) : code;
}

static int
run(int argc, char **argv)
{
    struct switch_options o = { 0 };
    struct switch_running r = { .o = &o };
    struct err err;
    int code;

    if (!options_read(&cli_switch, argc, argv, &o, &code)) {
        return code;
    }
    if (o.force && !o.pcap) {
        return cli_fail(EXIT_USER, "switch: --force needs --pcap OUT");
    }
    cli_hear_interrupts();
    code = cli_read_scenario(&r.s, o.file.items[0], o.sets.items, o.sets.n);
    if (code != EXIT_GOOD) {
        return code;
    }
    stopping_hold(NULL, NULL);
    const struct terminal before = terminal_hold();
    code = switch_set_up(&r, &err);
    if (code == EXIT_GOOD) {
        forward(&r);
        code = conclude(&r, &err);
    }
    bool has_failed = code == EXIT_USER || code == EXIT_WORLD;
    switch_clean_up(&r);
    terminal_let_go(&before);
    stopping_let_go();
    return has_failed ? cli_tell(code, &err) : code;
}

const struct verb cli_switch = {
    .name = "switch",
    .run = run,
    .brief = "run one switch of a scenario on real ports, with DPDK",
    .operands = "FILE",
    .about =
        "Runs one switch of a scenario on real ports, in real time: the same switch, engines, "
        "buffers and thresholds as in the simulator. Frames that come by a port leave by another; "
        "each port sends at the rate of its link in the scenario. Packets of others, such as those "
        "of Linux hosts, are forwarded by their Ethernet addresses, in the class that their VLAN "
        "priority or DSCP says. The ports are DPDK's: network interfaces, PCI devices, taps.\n\n"
        "On a terminal it shows what happened each second. In the end it shows what crossed its "
        "ports, what was held back, which frames it could not use, and how late it was: the "
        "longest "
        "time between two looks at its ports and how long peers took to stop once they were asked "
        "to, with a warning if thresholds were derived for less. Ctrl-C ends it.\n\n"
        "The exit code is 0 if all went well; 4 if packets of a lossless class were dropped, by "
        "the switch or by a device; 2 if the arguments or the scenario have an error; 3 if DPDK, a "
        "device or a right is missing, "
        "which it then names; 130 if it was stopped before --time was over.\n\n"
        "doc/lab.md has examples; `weir lab` sets up a whole network on this machine.",
    .examples = "  sudo weir switch two-hosts.yaml --port H1=eth1 --port H2=eth2\n"
                "  sudo weir switch ring.yaml --node S1 --port H1=eth1 --port S2=eth2 \\\n"
                "      --port S3=down --time 10s --json\n",
    .options = options,
    .operands_at = offsetof(struct switch_options, file),
    .min_operands = 1,
    .max_operands = 1,
    .missing = "no scenario given",
};
