/* `weir explain`: shows a scenario with every default, and values derived from it. */

#include "explain/explain.h"

#include "bind/bind.h"
#include "cli/cli.h"
#include "cli/wrapped.h"
#include "run/outcome.h"
#include "scenario/json-schema.h"

static int
explain_cut(const struct scenario *s, uint32_t n_parts, bool json, struct err *err)
{
    struct model model;
    bool good = bind_model(s, &model, err) && explain_write_cut(stdout, &model, n_parts, json, err);

    model_free(&model);
    return good ? EXIT_GOOD : EXIT_USER;
}

struct options {
    struct verb_operands file;
    struct verb_words sets;
    uint64_t n_parts;
    bool all, json, schema, is_confined;
};

#define AT(MEMBER) .offset = offsetof(struct options, MEMBER)

static const struct verb_option options[] = {
    { "--set", "KEY=VALUE", CLI_SET_HELP, VERB_WORDS, AT(sets) },
    { "--all", NULL,
      "Shows every value with its meaning, defaults included. The output is itself a scenario, "
      "with the same results.",
      VERB_FLAG, AT(all) },
    { "--json", NULL,
      "Writes JSON, for programs: every value that --set can change, with its kind, range and "
      "meaning. Also writes the number of flows that the scenario lists, its workload, and all "
      "traffic patterns and engines.",
      VERB_FLAG, AT(json) },
    { "--cut", "N",
      "Shows instead how a run with N ranks or threads is cut into parts: the load of each part, "
      "the links across the cut, and how often the parts must synchronise.",
      VERB_NUMBER, AT(n_parts), .min = 1, .max = 65536 },
    { "--confined", NULL, CLI_CONFINED_HELP, VERB_FLAG, AT(is_confined) },
    { "--schema", NULL,
      "Shows a JSON schema of scenario files, with which editors complete and check them. Takes "
      "no FILE.",
      VERB_FLAG, AT(schema) },
    { 0 },
};

static int
explain(const struct options *o, struct err *err)
{
    struct scenario s;
    int code = (o->is_confined ? outcome_read_confined
                               : outcome_read)(&s, o->file.items[0], o->sets.items, o->sets.n, err);

    if (code != EXIT_GOOD) {
        return code;
    }
    if (o->n_parts) {
        code = explain_cut(&s, (uint32_t)o->n_parts, o->json, err);
    } else if (o->json) {
        explain_write_json(stdout, &s);
    } else {
        struct wrapped wrapped;
        wrapped_begin(&wrapped, true);
        code = explain_write_text(stdout, &s, o->all, err);
        wrapped_end(&wrapped);
    }
    scn_free(&s);
    return code;
}

static int
run_explain(void *given)
{
    const struct options *o = given;
    struct err err;

    if (o->schema) {
        scn_write_json_schema(stdout);
        return EXIT_GOOD;
    }
    if (!o->file.n) {
        return cli_fail(EXIT_USER, "explain: no scenario given");
    }
    int code = explain(o, &err);
    return code == EXIT_GOOD ? code : cli_print_error(code, &err);
}

const struct verb cli_explain = {
    .name = "explain",
    .group = VERB_WRITE,
    .run = run_explain,
    .brief = "show the values of a scenario, and what follows from them",
    .operands = "FILE",
    .about =
        "Shows the network of a scenario and the values that differ from their defaults, each with "
        "the place that it comes from. Long lists are cut. Derived values follow: the "
        "role of each node with the thresholds "
        "that "
        "its engines derive, tau, the buffer space that each scheme needs, and warnings about "
        "buffers that are too small.",
    .examples = "  weir explain ring.yaml --set engine=pfc\n"
                "  weir explain ring.yaml --all > complete.yaml\n",
    .options = options,
    .options_bytes = sizeof(struct options),
    .max_operands = 1,
};
