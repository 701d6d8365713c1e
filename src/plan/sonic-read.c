/* Reads ports and buffers from config_db.json.
 *
 *     DEVICE_METADATA            hostname; platform, which says whether the chip is NVIDIA's;
 *                                buffer_model, which says how profiles are named
 *     PORT                       speed in Mb/s, mtu, lanes, admin_status
 *     PORT_QOS_MAP               pfc_enable: which classes are lossless
 *     CABLE_LENGTH               of each port
 *     BUFFER_PG                  which profile a class of a port has
 *     BUFFER_PROFILE             size, xon, xoff, dynamic_th or static_th; lossless if it has xoff
 *     BUFFER_POOL                size, and xoff where headroom is shared
 *     LOSSLESS_TRAFFIC_PATTERN   mtu, small_packet_percentage
 *     PFC_WD                     sonic-watchdog.c
 *     DEFAULT_LOSSLESS_BUFFER_PARAMETER   over_subscribe_ratio, of headroom that is shared
 *
 * The first three tables are required, unless options replace them.  The others are optional.
 *
 * The buffer is the sum of the pool and the groups of lossless classes, or of all groups with
 * headroom if an option gives the number of lossless classes.  A group reserves 'size'.  If that is
 * less than its xoff, headroom is in addition: separate, or, if the pool has xoff, from the pool's.
 *
 * SONiC gives no lossless profile to a port that is down, and none to one whose cable is "0m"
 * (sonic-swss, cfgmgr/buffermgr.cpp, cfgmgr/buffermgrdyn.cpp): such a port is not planned.  A port
 * counts as up if the file does not say whether it is, so that no port is skipped silently.
 *
 * Each port keeps the xon of its own profile.  Without a profile, SONiC on NVIDIA's chips gives
 * ports of 8 lanes nearly twice the xon and one packet more (sonic-swss,
 * cfgmgr/buffer_headroom_mellanox.lua).  If headroom is shared, it gives each lossless port 10 KiB
 * of its own (cfgmgr/buffer_pool_mellanox.lua). */

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "plan/files.h"

enum { DEFAULT_MTU = 9100, MAX_MBPS = 100000000, MANY_LANES = 8, PRIVATE_BYTES = 10 * 1024 };

struct sonic {
    struct plan *p;
    const struct plan_request *request;
    const struct scn_node *root, *profiles;
    const struct scn_node *first_profile; /* The first profile that lossless groups use. */
    uint64_t reserved_bytes, xoff_bytes;  /* Sums over all lossless groups. */
    bool has_shared_headroom, is_nvidia;
    struct err *err;
};

/* Values of SONiC's tables. */

/* Finds the table of that name; null: an optional table is missing. Any other value at the key is
 * an error. */
static bool
find_table(struct sonic *s, const char *name, bool is_needed, const char *example,
           const struct scn_node **table)
{
    *table = scn_child(s->root, name);
    if (!*table) {
        return !is_needed ||
               scn_fail(s->root, s->err, "no table %s; expected \"%s\": %s", name, name, example);
    }
    return (*table)->kind == SCN_MAP ||
           scn_fail(*table, s->err, "%s: expected a table, as in %s", name, example);
}

static bool
is_map(struct sonic *s, const struct scn_node *n, const char *example)
{
    return n->kind == SCN_MAP ||
           scn_fail(n, s->err, "%s: expected fields, as in %s", n->key, example);
}

/* Reads a whole number at a key. If an optional key is missing, 'value' is unchanged. */
static bool
read_number(struct sonic *s, const struct scn_node *map, const char *key, bool is_needed,
            uint64_t max, const char *example, uint64_t *value)
{
    const struct scn_node *n = scn_child(map, key);
    uint64_t read;

    if (!n) {
        return !is_needed || scn_fail_key(map, s->err, "%s has no %s; expected \"%s\": \"%s\"",
                                          map->key, key, key, example);
    }
    if (n->kind != SCN_WORD || !text_number(n->word, &read) || read > max) {
        return scn_fail(n, s->err, "%s of %s: expected a whole number up to %llu, as in \"%s\"",
                        key, map->key, (unsigned long long)max, example);
    }
    *value = read;
    return true;
}

/* Copies the value of a node, if it is a word and fits. */
static void
copy_word(const struct scn_node *n, char *word, size_t bytes)
{
    if (n && n->kind == SCN_WORD && strlen(n->word) < bytes) {
        strcpy(word, n->word);
    }
}

static bool
is_word(const struct scn_node *n, const char *word)
{
    return n && n->kind == SCN_WORD && !strcmp(n->word, word);
}

/* Reads a reference such as "pool", which older versions write as "[BUFFER_POOL|pool]". */
static void
read_reference(struct sonic *s, const char *word, char *name, size_t name_bytes)
{
    const char *bar = strchr(word, '|');
    const char *from = word[0] == '[' && bar ? bar + 1 : word;

    s->p->has_brackets |= from != word;
    snprintf(name, name_bytes, "%.*s", (int)strcspn(from, "]"), from);
}

static struct plan_port *
find_port(struct sonic *s, const char *name, size_t len)
{
    for (size_t i = 0; i < s->p->n_ports; i++) {
        struct plan_port *port = &s->p->ports[i];
        if (strlen(port->name) == len && !strncmp(port->name, name, len)) {
            return port;
        }
    }
    return NULL;
}

/* Calls 'each' for every port of a key such as "Ethernet0,Ethernet4" or "Ethernet0|3-4". */
static bool
each_port(struct sonic *s, const struct scn_node *n,
          bool (*each)(struct sonic *, struct plan_port *, const struct scn_node *))
{
    for (const char *name = n->key; *name && *name != '|';) {
        size_t len = strcspn(name, ",|");
        struct plan_port *port = find_port(s, name, len);
        if (!port) {
            return scn_fail_key(n, s->err, "'%.*s': PORT has no such port", (int)len, name);
        }
        if (!each(s, port, n)) {
            return false;
        }
        name += len + (name[len] == ',');
    }
    return true;
}

/* Ports and their classes. */

static bool
has_many_lanes(const char *lanes)
{
    size_t n_lanes = 1;

    for (const char *c = lanes; *c; c++) {
        n_lanes += *c == ',';
    }
    return n_lanes == MANY_LANES;
}

static bool
read_port(struct sonic *s, const struct scn_node *n)
{
    const char *example = "{\"speed\": \"100000\", \"mtu\": \"9100\"}";
    struct plan_port port = { 0 };
    uint64_t mbps = 0, mtu = DEFAULT_MTU;

    if (!is_map(s, n, example) ||
        !read_number(s, n, "speed", !plan_is_given(s->request, "rate"), MAX_MBPS, "100000",
                     &mbps) ||
        !read_number(s, n, "mtu", false, 65535, "9100", &mtu)) {
        return false;
    }
    if (scn_child(n, "speed") && !mbps) {
        return scn_fail(scn_child(n, "speed"), s->err, "speed of %s is 0", n->key);
    }
    if (mtu < 64) {
        return scn_fail(scn_child(n, "mtu"), s->err, "mtu of %s is under 64", n->key);
    }
    if (strlen(n->key) >= sizeof port.name) {
        return scn_fail_key(n, s->err, "a port name has at most %zu letters", sizeof port.name - 1);
    }
    strcpy(port.name, n->key);
    copy_word(scn_child(n, "lanes"), port.lanes, sizeof port.lanes);
    port.is_down = is_word(scn_child(n, "admin_status"), "down");
    port.rate_bps = mbps ? mbps * 1000000 : s->request->in.rate_bps;
    port.mtu_bytes = (uint32_t)mtu;
    port.profile = plan_sonic_profile(&s->p->in, s->is_nvidia && has_many_lanes(port.lanes), mtu);
    ARRAY_PUSH(s->p->ports, s->p->n_ports, s->p->max_ports) = port;
    return true;
}

static bool
read_ports(struct sonic *s)
{
    const struct scn_node *table;

    if (!find_table(s, "PORT", true, "{\"Ethernet0\": {\"speed\": \"100000\"}}", &table)) {
        return false;
    }
    for (size_t i = 0; i < table->n_children; i++) {
        if (!read_port(s, table->children[i])) {
            return false;
        }
    }
    return true;
}

/* Reads a list of classes such as "3,4". */
static bool
read_classes(struct sonic *s, struct plan_port *port, const struct scn_node *map)
{
    const struct scn_node *n = scn_child(map, "pfc_enable");
    const char *c = n && n->kind == SCN_WORD ? n->word : "";

    while (*c >= '0' && *c <= '7') {
        port->lossless |= (uint8_t)(1u << (*c++ - '0'));
        if (*c != ',') {
            break;
        }
        c++;
    }
    return !n || (n->kind == SCN_WORD && !*c) ||
           scn_fail(n, s->err, "pfc_enable of %s: expected classes from 0 to 7, as in \"3,4\"",
                    map->key);
}

static bool
read_qos_maps(struct sonic *s)
{
    const char *example = "{\"Ethernet0\": {\"pfc_enable\": \"3,4\"}}";
    const struct scn_node *table;

    if (!find_table(s, "PORT_QOS_MAP", !plan_is_given(s->request, "classes"), example, &table)) {
        return false;
    }
    for (size_t i = 0; table && i < table->n_children; i++) {
        const struct scn_node *n = table->children[i];
        if (strcmp(n->key, "global") &&
            (!is_map(s, n, "{\"pfc_enable\": \"3,4\"}") || !each_port(s, n, read_classes))) {
            return false;
        }
    }
    return true;
}

static bool
read_cable(struct sonic *s, struct plan_port *port, const struct scn_node *n)
{
    struct err why;

    if (n->kind != SCN_WORD || !plan_length_parse(n->word, &port->cable_mm, &why)) {
        return scn_fail(n, s->err, "length of the cable of %s: %s", port->name,
                        n->kind == SCN_WORD ? why.text : "expected a word, as in \"300m\"");
    }
    port->cable_ps = plan_cable_ps(port->cable_mm);
    port->is_unwired = !port->cable_mm && !plan_is_given(s->request, "cable") &&
                       !plan_is_given(s->request, "delay");
    return true;
}

/* Finds the cable of a port. The tables within CABLE_LENGTH may have any name, such as "AZURE". */
static const struct scn_node *
find_cable(const struct scn_node *table, const char *port)
{
    const struct scn_node *n = NULL;

    for (size_t i = 0; table && i < table->n_children && !n; i++) {
        n = scn_child(table->children[i], port);
    }
    return n;
}

static bool
read_cables(struct sonic *s)
{
    const char *example = "{\"AZURE\": {\"Ethernet0\": \"300m\"}}";
    bool is_needed = !plan_is_given(s->request, "cable") && !plan_is_given(s->request, "delay");
    const struct scn_node *table;

    if (!find_table(s, "CABLE_LENGTH", is_needed, example, &table)) {
        return false;
    }
    for (size_t i = 0; i < s->p->n_ports; i++) {
        struct plan_port *port = &s->p->ports[i];
        const struct scn_node *n = find_cable(table, port->name);
        if (n && !read_cable(s, port, n)) {
            return false;
        }
        if (!n && is_needed && port->lossless) {
            return scn_fail_key(table, s->err, "CABLE_LENGTH has no %s; expected \"%s\": \"300m\"",
                                port->name, port->name);
        }
    }
    return true;
}

static bool
read_pattern(struct sonic *s)
{
    const struct scn_node *table;
    struct plan_input *in = &s->p->in;

    if (!find_table(s, "LOSSLESS_TRAFFIC_PATTERN", false,
                    "{\"AZURE\": {\"mtu\": \"1500\", \"small_packet_percentage\": \"100\"}}",
                    &table)) {
        return false;
    }
    if (!table || !table->n_children) {
        return true;
    }
    const struct scn_node *n = table->children[0];
    s->p->knows_cells = true;
    if (!is_map(s, n, "{\"mtu\": \"1500\", \"small_packet_percentage\": \"100\"}") ||
        !read_number(s, n, "mtu", false, 65535, "1500", &in->lossless_mtu_bytes) ||
        !read_number(s, n, "small_packet_percentage", false, 100, "100", &in->small_percent)) {
        return false;
    }
    return in->lossless_mtu_bytes >= 64 || scn_fail(n, s->err, "mtu of %s is under 64", n->key);
}

/* Reads the metadata. Platforms are named after the chip's maker and the switch:
 * "x86_64-mlnx_msn4700-r0", "x86_64-nvidia_sn5600-r0". */
static void
read_metadata(struct sonic *s)
{
    const struct scn_node *table = scn_child(s->root, "DEVICE_METADATA");
    const struct scn_node *here = table ? scn_child(table, "localhost") : NULL;
    const struct scn_node *name = here ? scn_child(here, "hostname") : NULL;
    const struct scn_node *platform = here ? scn_child(here, "platform") : NULL;

    if (name && name->kind == SCN_WORD) {
        snprintf(s->p->name, sizeof s->p->name, "%s", name->word);
    }
    copy_word(platform, s->p->platform, sizeof s->p->platform);
    s->p->is_dynamic = here && is_word(scn_child(here, "buffer_model"), "dynamic");
    s->is_nvidia = strstr(s->p->platform, "mlnx") || strstr(s->p->platform, "nvidia");
    s->p->headroom_pool.private_port_bytes = s->is_nvidia ? PRIVATE_BYTES : 0;
}

static bool
read_ratio(struct sonic *s)
{
    const char *example = "{\"AZURE\": {\"over_subscribe_ratio\": \"2\"}}";
    const struct scn_node *table;

    if (!find_table(s, "DEFAULT_LOSSLESS_BUFFER_PARAMETER", false, example, &table)) {
        return false;
    }
    return !table || !table->n_children ||
           (is_map(s, table->children[0], "{\"over_subscribe_ratio\": \"2\"}") &&
            read_number(s, table->children[0], "over_subscribe_ratio", false, 1024, "2",
                        &s->p->headroom_pool.over_subscription));
}

/* The buffer of the switch. */

/* The classes in a key such as "Ethernet0|3-4", as bits; 0 if the key has another form. */
static uint8_t
groups_of(const char *key)
{
    const char *c = strchr(key, '|');

    if (!c || c[1] < '0' || c[1] > '7') {
        return 0;
    }
    bool is_range = c[2] == '-' && c[3] >= c[1] && c[3] <= '7' && !c[4];
    char last = is_range ? c[3] : c[1];
    unsigned groups = (2u << (last - '0')) - (1u << (c[1] - '0'));

    return c[2] && !is_range ? (uint8_t)0 : (uint8_t)groups;
}

/* Finds the profile of a group; null: the switch chooses the profile. */
static bool
find_profile(struct sonic *s, const struct scn_node *group, const struct scn_node **profile)
{
    const struct scn_node *n = scn_child(group, "profile");
    char name[80];

    *profile = NULL;
    if (!n || is_word(n, "NULL")) {
        return true;
    }
    if (n->kind != SCN_WORD) {
        return scn_fail(n, s->err, "profile of %s: expected the name of a profile", group->key);
    }
    read_reference(s, n->word, name, sizeof name);
    *profile = scn_child(s->profiles, name);
    if (!*profile) {
        return scn_fail(n, s->err, "BUFFER_PROFILE has no '%s'", name);
    }
    return is_map(s, *profile, "{\"pool\": \"ingress_lossless_pool\", \"xoff\": \"40960\", ...}");
}

/* Checks that all profiles have the same threshold, because a plan has only one. */
static bool
check_same(struct sonic *s, const struct scn_node *profile, const char *key, const char *option)
{
    const struct scn_node *a = scn_child(s->first_profile, key), *b = scn_child(profile, key);
    const char *one = a && a->kind == SCN_WORD ? a->word : "none";
    const char *other = b && b->kind == SCN_WORD ? b->word : "none";

    return !strcmp(one, other) || plan_is_given(s->request, option) ||
           scn_fail_key(profile, s->err,
                        "%s is %s here and %s in %s: choose with --%s which one to plan with", key,
                        other, one, s->first_profile->key, option);
}

/* Adds a profile to the plan, unless the plan has it, and returns 1 + its index; 0: the profile is
 * invalid. */
static uint32_t
add_profile(struct sonic *s, const struct scn_node *profile)
{
    struct plan *p = s->p;
    struct plan_named f = { .xon_bytes = s->request->in.xon_bytes,
                            .xon_offset_bytes = s->request->in.xon_offset_bytes };

    for (size_t i = 0; i < p->n_profiles; i++) {
        if (!strcmp(p->profiles[i].name, profile->key)) {
            return (uint32_t)(i + 1);
        }
    }
    if (strlen(profile->key) >= sizeof f.name) {
        scn_fail_key(profile, s->err, "the name of a profile has at most %zu letters",
                     sizeof f.name - 1);
        return 0;
    }
    strcpy(f.name, profile->key);
    if (!read_number(s, profile, "xoff", true, WEIR_MAX_BYTES, "40960", &f.xoff_bytes) ||
        !read_number(s, profile, "size", true, WEIR_MAX_BYTES, "59392", &f.size_bytes) ||
        !read_number(s, profile, "xon", false, WEIR_MAX_BYTES, "18432", &f.xon_bytes) ||
        !read_number(s, profile, "xon_offset", false, WEIR_MAX_BYTES, "3072",
                     &f.xon_offset_bytes)) {
        return 0;
    }
    ARRAY_PUSH(p->profiles, p->n_profiles, p->max_profiles) = f;
    return (uint32_t)p->n_profiles;
}

struct plan_profile
plan_named_profile(const struct plan *p, const struct plan_named *f, bool has_8_lanes)
{
    bool is_beside = f->size_bytes < f->xoff_bytes || plan_shares_headroom(p);

    return (struct plan_profile){ .xon_bytes = f->xon_bytes,
                                  .xon_offset_bytes = f->xon_offset_bytes,
                                  .own_bytes =
                                      is_beside ? f->size_bytes : f->size_bytes - f->xoff_bytes,
                                  .is_beside = is_beside,
                                  .has_8_lanes = has_8_lanes };
}

/* The classes whose groups are planned: those that pause, or all if an option gives the classes. */
static uint8_t
planned_classes(const struct sonic *s, const struct plan_port *port)
{
    bool is_left_out = port->is_down || port->is_unwired;
    uint8_t pausing = plan_is_given(s->request, "classes") ? UINT8_MAX : port->lossless;

    return is_left_out ? 0 : pausing;
}

/* Reserves the headroom of a lossless profile for groups of a port. If the groups have several
 * profiles, the smallest headroom counts for the port. */
static bool
reserve(struct sonic *s, struct plan_port *port, uint8_t classes, const struct scn_node *profile)
{
    uint64_t n_groups = (uint64_t)__builtin_popcount(classes & planned_classes(s, port));
    uint32_t nth = add_profile(s, profile);

    if (!nth) {
        return false;
    }
    const struct plan_named *f = &s->p->profiles[nth - 1];
    bool is_beside = f->size_bytes < f->xoff_bytes && !s->has_shared_headroom;
    s->reserved_bytes += n_groups * (f->size_bytes + (is_beside ? f->xoff_bytes : 0));
    s->xoff_bytes += n_groups * f->xoff_bytes;
    port->grouped |= f->xoff_bytes ? classes : 0;
    if (!port->configured_bytes || f->xoff_bytes < port->configured_bytes) {
        port->configured_bytes = f->xoff_bytes;
        port->profile = plan_named_profile(s->p, f, port->profile.has_8_lanes);
    }
    for (uint8_t first = (uint8_t)__builtin_ctz(classes), cls = first; classes >> cls; cls++) {
        uint8_t last = (uint8_t)(first + __builtin_popcount(classes) - 1);
        bool is_in_buffer = planned_classes(s, port) >> cls & 1;
        port->groups[cls] = (struct plan_group){ nth, first, last, is_in_buffer };
    }
    s->first_profile = s->first_profile ? s->first_profile : profile;
    return check_same(s, profile, "dynamic_th", "dynamic-th") &&
           check_same(s, profile, "static_th", "static-th");
}

/* Reads a group. A lossy profile gives no headroom to a class that pauses its peer. The switch
 * chooses the headroom of a group without a profile. */
static bool
read_group(struct sonic *s, struct plan_port *port, const struct scn_node *group)
{
    uint8_t classes = groups_of(group->key);
    const struct scn_node *profile;

    if (!classes) {
        return scn_fail_key(group, s->err,
                            "'%s': expected a port and its classes, as in "
                            "\"Ethernet0|3-4\"",
                            group->key);
    }
    if (!find_profile(s, group, &profile)) {
        return false;
    }
    bool is_lossless = profile && scn_child(profile, "xoff");
    s->p->knows_groups |= is_lossless || (profile && classes & port->lossless);
    port->grouped |= profile ? 0 : classes;
    return !is_lossless || reserve(s, port, classes, profile);
}

/* Reads the profiles that no group uses. They may be written, too, and then keep their values. */
static bool
read_unused_profiles(struct sonic *s)
{
    for (size_t i = 0; s->profiles && i < s->profiles->n_children; i++) {
        const struct scn_node *profile = s->profiles->children[i];
        if (scn_child(profile, "xoff") && !add_profile(s, profile)) {
            return false;
        }
    }
    return true;
}

static bool
read_groups(struct sonic *s)
{
    const struct scn_node *table;

    if (!find_table(s, "BUFFER_PROFILE", false, "{\"name\": {\"xoff\": \"40960\", ...}}",
                    &s->profiles) ||
        !find_table(s, "BUFFER_PG", false, "{\"Ethernet0|3-4\": {\"profile\": \"name\"}}",
                    &table)) {
        return false;
    }
    for (size_t i = 0; table && i < table->n_children; i++) {
        const struct scn_node *n = table->children[i];
        if (!is_map(s, n, "{\"profile\": \"name\"}") || !each_port(s, n, read_group)) {
            return false;
        }
    }
    return read_unused_profiles(s);
}

/* Reads the threshold; dynamic_th must be a choice of the plan's field. */
static bool
read_threshold(struct sonic *s, const struct scn_node *profile)
{
    const struct weir_field *f = weir_field_find(plan_fields, "dynamic-th");
    const struct scn_node *n = scn_child(profile, "dynamic_th");
    struct weir_text why = { 0 };

    if (!read_number(s, profile, "static_th", false, WEIR_MAX_BYTES, "1000000",
                     &s->p->in.static_th_bytes)) {
        return false;
    }
    return !n ||
           (n->kind == SCN_WORD && weir_field_parse(f, n->word, &s->p->in.dynamic_th, &why)) ||
           scn_fail(n, s->err,
                    "dynamic_th of %s: expected a whole number from -8 to 7, as in \"0\"",
                    profile->key);
}

/* Finds the pool of lossless profiles, or the pool with the usual name. */
static bool
find_pool(struct sonic *s, const struct scn_node **pool)
{
    const struct scn_node *table;
    char *name = s->p->pool_name;

    *pool = NULL;
    strcpy(name, "ingress_lossless_pool");
    if (!find_table(s, "BUFFER_POOL", false, "{\"ingress_lossless_pool\": {\"size\": \"...\"}}",
                    &table)) {
        return false;
    }
    for (size_t i = 0; s->profiles && i < s->profiles->n_children; i++) {
        const struct scn_node *profile = s->profiles->children[i], *n = scn_child(profile, "pool");
        if (scn_child(profile, "xoff") && n && n->kind == SCN_WORD) {
            read_reference(s, n->word, name, sizeof s->p->pool_name);
            break;
        }
    }
    *pool = table ? scn_child(table, name) : NULL;
    return !*pool || is_map(s, *pool, "{\"size\": \"12766208\", \"mode\": \"dynamic\"}");
}

static uint64_t
shared_headroom(const struct sonic *s)
{
    uint64_t n_ports = 0;

    for (size_t i = 0; i < s->p->n_ports; i++) {
        const struct plan_port *port = &s->p->ports[i];
        n_ports += port->configured_bytes && planned_classes(s, port);
    }
    return plan_headroom_pool_bytes(s->p, s->xoff_bytes, n_ports);
}

/* Sets the reserved bytes of groups without a profile: if headroom is shared, these are only the
 * xon. */
static void
leave_xon(struct sonic *s)
{
    for (size_t i = 0; i < s->p->n_ports; i++) {
        struct plan_port *port = &s->p->ports[i];
        if (s->has_shared_headroom && !port->configured_bytes) {
            port->profile.own_bytes = port->profile.xon_bytes;
        }
    }
}

/* Reads the buffer.  If a pool has no size, the switch computes it, and the buffer is unknown. */
static bool
read_buffer(struct sonic *s)
{
    const struct scn_node *pool;
    uint64_t size = 0, xoff = 0;

    s->profiles = scn_child(s->root, "BUFFER_PROFILE");
    if (!find_pool(s, &pool) ||
        (pool && (!read_number(s, pool, "size", false, WEIR_MAX_BYTES, "12766208", &size) ||
                  !read_number(s, pool, "xoff", false, WEIR_MAX_BYTES, "4194112", &xoff)))) {
        return false;
    }
    s->p->pool_bytes = size;
    s->p->headroom_pool.bytes = xoff;
    s->has_shared_headroom = xoff || s->p->headroom_pool.over_subscription;
    if (!read_groups(s) || (s->first_profile && !read_threshold(s, s->first_profile))) {
        return false;
    }
    leave_xon(s);
    uint64_t all = size + s->reserved_bytes + shared_headroom(s);
    if (size && all > WEIR_MAX_BYTES) {
        return scn_fail(pool, s->err, "%s: pool and priority groups have %llu bytes together",
                        pool->key, (unsigned long long)all);
    }
    s->p->in.buffer_bytes = size ? all : WEIR_AUTO;
    return true;
}

bool
plan_is_sonic(const struct scn_node *root)
{
    return scn_child(root, "PORT") || scn_child(root, "PORT_QOS_MAP") ||
           scn_child(root, "BUFFER_POOL") || scn_child(root, "CABLE_LENGTH") ||
           scn_child(root, "DEVICE_METADATA");
}

bool
plan_read_sonic(struct plan *p, const struct plan_request *r, const struct scn_node *root,
                struct err *err)
{
    struct sonic s = { .p = p, .request = r, .root = root, .err = err };

    *p = (struct plan){ .in = r->in, .is_sonic = true };
    read_metadata(&s);
    return read_ports(&s) && read_qos_maps(&s) && read_cables(&s) && read_pattern(&s) &&
           read_ratio(&s) && read_buffer(&s) && plan_read_watchdog(p, root, err);
}
