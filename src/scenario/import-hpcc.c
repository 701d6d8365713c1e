/* HPCC's topology files, which most RDMA simulators read:
 *
 *     6 2 5                                   nodes, switches among them, links
 *     4 5                                     which are switches
 *     0 4 100Gbps 1000ns 0.000000             a link: ends, rate, delay, loss
 *
 * Node 0 becomes H0, switch 4 becomes S4.  HPCC's simulator reads the number of links that the
 * first line announces, and ignores the rest: its own files have remarks and old links there. */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "scenario/hpcc-config.h"

enum { MAX_NODES = 1000000, MAX_LINKS = 4000000 };

struct hpcc {
    struct scn_lines l;
    uint64_t n_nodes, n_switches, n_links;
    bool *is_switch; /* [node]. */
    struct scn_node *net;
    struct err *err;
};

static bool
read_header(struct hpcc *h)
{
    static const char what[] =
        "expected the numbers of nodes, switches and links, as in '324 4 352'";

    if (!scn_next_line(&h->l)) {
        return scn_fail_in(h->l.source, 1, 1, h->err, "%s", what);
    }
    if (!scn_next_number(&h->l, what, MAX_NODES, &h->n_nodes, h->err) ||
        !scn_next_number(&h->l, what, h->n_nodes, &h->n_switches, h->err) ||
        !scn_next_number(&h->l, what, MAX_LINKS, &h->n_links, h->err)) {
        return false;
    }
    if (h->n_nodes - h->n_switches > h->n_links) {
        return scn_fail_in(h->l.source, h->l.line, 1, h->err,
                           "there are fewer links than hosts, but every host needs one");
    }
    return scn_end_line(&h->l, h->err);
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
            if (h->is_switch[id]) {
                return scn_fail(word, h->err, "switch %s is listed twice", word->word);
            }
            h->is_switch[id] = true;
            scn_import_word(scn_import_list(h->net, "switches"), NULL, word, "S%llu",
                            (unsigned long long)id);
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
           scn_import_word(link->children[0], NULL, word, "%c%llu", h->is_switch[id] ? 'S' : 'H',
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
    h->is_switch = array_new(h->n_nodes, sizeof *h->is_switch);
    if (!read_switches(h) || !read_links(h)) {
        return false;
    }
    for (uint64_t i = 0; i < h->n_nodes; i++) {
        if (!h->is_switch[i]) {
            scn_import_word(scn_import_list(h->net, "hosts"), NULL, &here, "H%llu",
                            (unsigned long long)i);
        }
    }
    return true;
}

static bool
read_network(struct scn_reading *reading)
{
    struct hpcc h = { .l = { .source = reading->source },
                      .net = reading->net,
                      .err = reading->err };
    bool good = read_all(&h);

    reading->tail = good ? scn_pass_lines(&h.l) : reading->tail;
    scn_lines_close(&h.l);
    free(h.is_switch);
    return good;
}

const struct scn_format scn_hpcc = {
    .topology.about = { .name = "hpcc",
                        .title =
                            "A network in a file of HPCC's simulator: host 0 is H0, switch 4 is S4",
                        .source = "HPCC's simulator, topology.txt" },
    .keys = scn_hpcc_keys,
    .knobs = scn_knobs,
    .read = read_network,
};
