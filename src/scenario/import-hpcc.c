/* Reads HPCC's topology files, which most RDMA simulators use:
 *
 *     6 2 5                                   nodes, switches among them, links
 *     4 5                                     which are switches
 *     0 4 100Gbps 1000ns 0.000000             a link: ends, rate, delay, loss
 *
 * Node 0 becomes H0, switch 4 becomes S4.  HPCC's simulator reads the number of links that the
 * first line announces, and ignores the rest: its own files have remarks and old links there.
 *
 * SimAI's files also have servers, whose GPUs are the hosts.  A GPU has a link to each NVSwitch of
 * its server, and links to the switches of its NIC:
 *
 *     7 2 2 1 8 H100                          nodes, GPUs of a server, NVSwitches, switches, links,
 *                                             type of the GPUs
 *     4 5 6                                   which are NVSwitches, then which are switches
 *     0 4 2880Gbps 0.000025ms 0               a link, as above
 *
 * NVSwitch 4 becomes V4. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/hpcc-config.h"

enum { MAX_NODES = 1000000, MAX_LINKS = 4000000 };

struct hpcc {
    struct scn_lines l;
    bool is_simai;
    uint64_t n_nodes, n_switches, n_links; /* n_switches includes NVSwitches. */
    uint64_t n_nvswitches;                 /* The number of NVSwitches; 0 if the file is not
                                            * SimAI's. */
    char *letter;                          /* [node]: the first letter of its name. */
    struct scn_node *net;
    struct err *err;
};

static const char hpcc_header[] =
    "expected the numbers of nodes, switches and links, as in '324 4 352'";
static const char simai_header[] = "expected the numbers of nodes, GPUs of a server, NVSwitches, "
                                   "switches and links, and the type of the GPUs, as in "
                                   "'216 8 16 72 768 H100'";

static bool
read_hpcc_header(struct hpcc *h)
{
    const char *what = hpcc_header;

    return scn_next_number(&h->l, what, MAX_NODES, &h->n_nodes, h->err) &&
           scn_next_number(&h->l, what, h->n_nodes, &h->n_switches, h->err) &&
           scn_next_number(&h->l, what, MAX_LINKS, &h->n_links, h->err);
}

static bool
read_simai_header(struct hpcc *h)
{
    const char *what = simai_header;
    uint64_t server_gpus;

    if (!scn_next_number(&h->l, what, MAX_NODES, &h->n_nodes, h->err) ||
        !scn_next_number(&h->l, what, h->n_nodes, &server_gpus, h->err) ||
        !scn_next_number(&h->l, what, h->n_nodes, &h->n_nvswitches, h->err) ||
        !scn_next_number(&h->l, what, h->n_nodes - h->n_nvswitches, &h->n_switches, h->err) ||
        !scn_next_number(&h->l, what, MAX_LINKS, &h->n_links, h->err)) {
        return false;
    }
    h->n_switches += h->n_nvswitches;
    return scn_next_word(&h->l) || scn_fail_line(&h->l, h->err, what);
}

static bool
read_header(struct hpcc *h)
{
    if (!scn_next_line(&h->l)) {
        return scn_fail_in(h->l.source, 1, 1, h->err, "%s",
                           h->is_simai ? simai_header : hpcc_header);
    }
    if (!(h->is_simai ? read_simai_header(h) : read_hpcc_header(h)) ||
        !scn_end_line(&h->l, h->err)) {
        return false;
    }
    if (h->n_nodes == h->n_switches) {
        return scn_fail_in(h->l.source, h->l.line, 1, h->err,
                           "there are no hosts: all nodes are switches");
    }
    return h->n_nodes - h->n_switches <= h->n_links ||
           scn_fail_in(h->l.source, h->l.line, 1, h->err,
                       "there are fewer links than hosts, but every host needs one");
}

/* Reads the numbers of switches, which may be on one line or on several. */
static bool
read_switches(struct hpcc *h)
{
    uint64_t n = 0, id;

    while (n < h->n_switches) {
        if (!scn_next_line(&h->l)) {
            return scn_fail_line(&h->l, h->err,
                                 "there are fewer switches than the first line says");
        }
        for (const struct scn_node *word; n < h->n_switches && (word = scn_next_word(&h->l)); n++) {
            if (!scn_word_number(word, h->n_nodes - 1, &id, h->err)) {
                return false;
            }
            if (h->letter[id] != 'H') {
                return scn_fail(word, h->err, "switch %s is listed twice", word->word);
            }
            h->letter[id] = n < h->n_nvswitches ? 'V' : 'S';
            scn_import_word(scn_import_list(h->net, "switches"), NULL, word, "%c%llu",
                            h->letter[id], (unsigned long long)id);
        }
    }
    return scn_end_line(&h->l, h->err);
}

static bool
add_end(struct hpcc *h, struct scn_node *link)
{
    const struct scn_node *word = scn_next_word(&h->l);
    uint64_t id;

    if (!word) {
        return scn_fail_line(&h->l, h->err, "expected the number of a node");
    }
    return scn_word_number(word, h->n_nodes - 1, &id, h->err) &&
           scn_import_word(link->children[0], NULL, word, "%c%llu", h->letter[id],
                           (unsigned long long)id);
}

/* Whether a number is 0.  A link whose own loss is 0 has the loss of all links, HPCC's
 * ERROR_RATE_PER_LINK. */
static bool
is_zero(const char *word)
{
    const char *point = word + strspn(word, "0");
    const char *behind = point + (*point == '.');

    return point > word && !behind[strspn(behind, "0")];
}

static bool
read_link(struct hpcc *h)
{
    static const char *const keys[] = { "rate", "delay", "loss" };
    struct scn_node here = { .source = h->l.source, .line = h->l.line, .column = h->l.column };
    struct scn_node *link = scn_import_link(h->net, &here);

    if (!add_end(h, link) || !add_end(h, link)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        const struct scn_node *word = scn_next_word(&h->l);
        if (!word) {
            return scn_fail_line(&h->l, h->err,
                                 "expected rate, delay and loss, as in '100Gbps 1000ns 0.0'");
        }
        if (i < 2 || !is_zero(word->word)) {
            scn_import_word(link, keys[i], word, "%s", word->word);
        }
    }
    return scn_end_line(&h->l, h->err);
}

static bool
read_links(struct hpcc *h)
{
    for (uint64_t i = 0; i < h->n_links; i++) {
        if (!scn_next_line(&h->l)) {
            return scn_fail_line(&h->l, h->err, "there are fewer links than the first line says");
        }
        if (!read_link(h)) {
            return false;
        }
    }
    return true;
}

static bool
read_all(struct hpcc *h)
{
    struct scn_node here = { .source = h->l.source, .line = 1, .column = 1 };

    if (!scn_check_text(h->l.source, false, h->err) || !read_header(h)) {
        return false;
    }
    h->letter = array_new(h->n_nodes, sizeof *h->letter);
    memset(h->letter, 'H', h->n_nodes);
    if (!read_switches(h) || !read_links(h)) {
        return false;
    }
    for (uint64_t i = 0; i < h->n_nodes; i++) {
        if (h->letter[i] == 'H') {
            scn_import_word(scn_import_list(h->net, "hosts"), NULL, &here, "H%llu",
                            (unsigned long long)i);
        }
    }
    return true;
}

static bool
read_network(struct scn_reading *reading, bool is_simai)
{
    struct hpcc h = { .l = { .source = reading->source },
                      .is_simai = is_simai,
                      .net = reading->net,
                      .err = reading->err };
    bool good = read_all(&h);

    reading->tail = good ? scn_pass_lines(&h.l) : reading->tail;
    scn_lines_close(&h.l);
    free(h.letter);
    return good;
}

static bool
read_hpcc(struct scn_reading *reading)
{
    return read_network(reading, false);
}

static bool
read_simai(struct scn_reading *reading)
{
    return read_network(reading, true);
}

const struct scn_format scn_hpcc = {
    .topology.about = { .name = "hpcc",
                        .title =
                            "A network in a file of HPCC's simulator: host 0 is H0, switch 4 is S4",
                        .source = "HPCC's simulator, topology.txt" },
    .keys = scn_hpcc_keys,
    .knobs = scn_knobs,
    .read = read_hpcc,
};

const struct scn_format scn_simai = {
    .topology.about = { .name = "simai",
                        .title = "A training cluster in a file of SimAI: GPU 0 is host H0, "
                                 "NVSwitch 4 is V4, switch 6 is S6",
                        .source = "SimAI, gen_Topo_Template.py" },
    .read = read_simai,
};
