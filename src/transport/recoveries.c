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
/* clang-format off */
static const struct weir_plugin *const all[] = {
    &rc_none.about,
    &rc_go_back_n.about,
    &rc_selective.about,
    0,
};
/* clang-format on */

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
