/* The recovery that does nothing, and the registry of all. */

#include "transport/recovery.h"

static const struct weir_field no_fields[] = { { 0 } };

const struct recovery rc_none = {
    .about = { .name = "none",
               .title = "Packets are sent once; what is lost stays lost",
               .source = "-",
               .params = no_fields },
};

/* One a line, so that adding one is adding a line. */
#define RECOVERIES(ONE)                                                                            \
    ONE(rc_none)                                                                                   \
    ONE(rc_go_back_n)                                                                              \
    ONE(rc_selective)

#define DECLARE(NAME) extern const struct recovery NAME;
#define ABOUT(NAME)   &NAME.about,

RECOVERIES(DECLARE)
static const struct weir_plugin *const all[] = { RECOVERIES(ABOUT) 0 };

const struct weir_registry recoveries = {
    .one = "recovery",
    .many = "recoveries",
    .title = "How a sender notices what was lost, and sends it again",
    .plugins = all,
};

const struct recovery *
recovery_at(uint64_t i)
{
    return (const struct recovery *)all[i];
}

const struct recovery *
recovery_find(const char *name)
{
    return (const struct recovery *)weir_plugin_find(&recoveries, name);
}
