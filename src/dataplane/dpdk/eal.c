/* Starts DPDK with options that suit its devices. */

#include "dataplane/dpdk/eal.h"

#include <inttypes.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_pci.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "dataplane/dpdk/cores.h"
#include "dataplane/dpdk/said.h"

enum { SPARE_MB = 1024, MOST_WORD = 32, MOST_GIVEN = 200 };

struct words {
    char **items;
    size_t n, max;
};

static struct {
    struct words given; /* The user's arguments. */
    bool has_started, runs;
} eal;

static bool write_memory(char text[CORES_TEXT], uint64_t bytes);
static bool write_cores(char text[CORES_TEXT], uint64_t bytes);

/* EAL's options for devices of the PCI bus, and for all other devices. An option is left out if the
 * user gives one of the words of 'unless'. */
#define HUGE_PAGES "--in-memory", "--huge-dir", "--huge-unlink", "--socket-mem", "--socket-limit"
static const struct own_word {
    const char *word;
    bool is_for_pci, is_for_others;
    const char *unless[8];
    /* Writes the value, which follows the word. Returns false if there is no value. */
    bool (*write_value)(char text[CORES_TEXT], uint64_t bytes);
} own_words[] = {
    { "--no-huge", false, true, { HUGE_PAGES }, NULL },
    { "--no-shconf", false, true, { HUGE_PAGES, "--file-prefix" }, NULL },
    { "-m", false, true, { HUGE_PAGES, "-m" }, write_memory },
    { "--no-pci", false, true, { "-a", "--allow", "-b", "--block" }, NULL },
    { "--in-memory", true, false, { HUGE_PAGES, "--file-prefix", "--no-huge" }, NULL },
    { "--no-telemetry", true, true, { "--telemetry" }, NULL },
    { "--lcores=", true, true, { "-c", "-l", "-s", "-S", "--lcores" }, write_cores },
};

/* Options with which the user wants to see the output of EAL. */
static const char *const loud_words[] = { "-h", "--help", "-v", "--log-level" };

static void
add_word(struct words *words, const char *word)
{
    ARRAY_PUSH(words->items, words->n, words->max) = strdup(word);
}

static void
free_words(struct words *words)
{
    for (size_t i = 0; i < words->n; i++) {
        free(words->items[i]);
    }
    free(words->items);
    *words = (struct words){ 0 };
}

/* Whether an argument is an option. "-a" also matches "-a01:00.0", and "--log-level" matches
 * "--log-level=8". */
static bool
is_word(const char *given, const char *word)
{
    size_t len = strlen(word);

    return !strncmp(given, word, len) && (word[1] != '-' || !given[len] || given[len] == '=');
}

static bool
has_one_of(const struct words *given, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n && words[i]; i++) {
        for (size_t k = 0; k < given->n; k++) {
            if (is_word(given->items[k], words[i])) {
                return true;
            }
        }
    }
    return false;
}

#define HAS_ONE_OF(GIVEN, WORDS) has_one_of(GIVEN, WORDS, sizeof(WORDS) / sizeof *(WORDS))

bool
eal_pci_address(const char *device, char address[PCI_ADDRESS])
{
    struct rte_pci_addr parsed;

    snprintf(address, PCI_ADDRESS, "%.*s", (int)strcspn(device, ","), device);
    if (rte_pci_addr_parse(address, &parsed)) {
        return false;
    }
    rte_pci_device_name(&parsed, address, PCI_ADDRESS);
    return true;
}

/* Writes the size of the memory for frames. It is enough for the frames of the first ports and for
 * many more, because memory is only taken when it is used. */
static bool
write_memory(char text[CORES_TEXT], uint64_t bytes)
{
    snprintf(text, CORES_TEXT, "%" PRIu64, SPARE_MB + (bytes >> 20));
    return true;
}

/* Describes one logical core of DPDK that may run on any core of the process. Otherwise DPDK would
 * bind each process of a lab to the same first core. If the kernel does not report the cores, DPDK
 * chooses. */
static bool
write_cores(char text[CORES_TEXT], uint64_t bytes)
{
    cpu_set_t own;

    (void)bytes;
    CPU_ZERO(&own);
    return !sched_getaffinity(0, sizeof own, &own) && eal_name_cores(&own, text);
}

/* Adds the PCI devices that the user named, so that EAL uses no others. Returns false if there are
 * none. */
static bool
add_pci(struct words *words, const struct dpdk_port *ports, uint32_t n_ports)
{
    char address[PCI_ADDRESS];
    bool is_pci = false;

    for (uint32_t i = 0; i < n_ports; i++) {
        if (ports[i].device && eal_pci_address(ports[i].device, address)) {
            add_word(words, "-a");
            add_word(words, ports[i].device);
            is_pci = true;
        }
    }
    return is_pci;
}

static void
add_own_words(struct words *words, bool is_pci, uint64_t bytes)
{
    for (size_t i = 0; i < sizeof own_words / sizeof *own_words; i++) {
        const struct own_word *own = &own_words[i];
        bool is_for_these = is_pci ? own->is_for_pci : own->is_for_others;
        char value[CORES_TEXT] = "", word[CORES_TEXT + MOST_WORD];
        bool has_value = !own->write_value || own->write_value(value, bytes);
        snprintf(word, sizeof word, "%s%s", own->word, value);
        if (is_for_these && has_value && !HAS_ONE_OF(&eal.given, own->unless)) {
            add_word(words, word);
        }
    }
}

/* Makes the arguments for EAL: the name of the program, Weir's arguments, and the user's
 * arguments. */
static bool
add_words(struct words *words, const struct dpdk_port *ports, uint32_t n_ports, uint64_t bytes)
{
    add_word(words, "weir");
    bool is_pci = add_pci(words, ports, n_ports);
    add_own_words(words, is_pci, bytes);
    for (size_t i = 0; i < eal.given.n; i++) {
        add_word(words, eal.given.items[i]);
    }
    return is_pci;
}

/* Starts EAL with a copy of the list, because EAL changes the order of its arguments, but not the
 * arguments. */
static bool
init(const struct words *words)
{
    char **order = array_new(words->n + 1, sizeof *order);
    bool is_loud = HAS_ONE_OF(&eal.given, loud_words);
    struct said_hush hush = { 0 };

    memcpy(order, words->items, words->n * sizeof *order);
    if (!is_loud) {
        said_keep();
        hush = said_hush();
    }
    bool is_good = rte_eal_init((int)words->n, order) >= 0;
    if (!is_loud) {
        said_unhush(hush);
    }
    free(order);
    return is_good;
}

bool
eal_begin(const char *const *args, struct err *err)
{
    if (eal.has_started) {
        return err_set(err, "DPDK can start only once in a process");
    }
    free_words(&eal.given);
    for (size_t i = 0; args && args[i]; i++) {
        add_word(&eal.given, args[i]);
    }
    return true;
}

static const char *
hint(bool is_pci)
{
    if (is_pci) {
        return "; devices of the PCI bus need root and huge pages: 'sysctl vm.nr_hugepages=512' "
               "reserves some";
    }
    return strstr(said_first(), "hugepage")
               ? "; there are no huge pages: 'sysctl vm.nr_hugepages=512' reserves some"
               : "";
}

/* Reports that DPDK does not start. The error includes the user's arguments, because they may be
 * the reason, and EAL's own message does not repeat them. */
static bool
fail_to_start(bool is_pci, struct err *err)
{
    char given[MOST_GIVEN] = "";
    size_t len = 0;

    for (size_t i = 0; i < eal.given.n && len < sizeof given - 1; i++) {
        len += (size_t)snprintf(given + len, sizeof given - len, " %s", eal.given.items[i]);
    }
    return err_set(err, "DPDK does not start%s%s: %s%s", len ? " with" : "", given,
                   *said_first() ? said_first() : rte_strerror(rte_errno), hint(is_pci));
}

bool
eal_start(const struct dpdk_port *ports, uint32_t n_ports, uint64_t bytes, struct err *err)
{
    if (eal.has_started) {
        return eal.runs ||
               err_set(err,
                       "DPDK has ended or did not start, and can start only once in a process");
    }
    struct words words = { 0 };
    bool is_pci = add_words(&words, ports, n_ports, bytes);
    said_forget();
    eal.has_started = true;
    eal.runs = init(&words);
    free_words(&words);
    return eal.runs || fail_to_start(is_pci, err);
}

void
eal_end(void)
{
    if (eal.runs) {
        rte_eal_cleanup();
    }
    eal.runs = false;
    free_words(&eal.given);
}
