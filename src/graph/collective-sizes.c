/* Sizes of collectives: how bytes are cut into channels, shares and pieces (collective.h). */

#include "graph/collective.h"

uint64_t
coll_part_at(uint64_t bytes, uint64_t parts, uint64_t i)
{
    uint64_t larger = bytes % parts;

    return i * (bytes / parts) + (i < larger ? i : larger);
}

uint64_t
coll_parts_upto(uint64_t bytes, uint64_t parts, uint64_t upto)
{
    uint64_t small = bytes / parts, n_larger = bytes % parts, in_larger = n_larger * (small + 1);

    if (upto <= in_larger) {
        return (upto + small) / (small + 1);
    }
    return n_larger + (upto - in_larger + small - 1) / small;
}

uint64_t
coll_share_at(const struct coll_view *v, uint32_t i)
{
    uint64_t cell = v->cell + (uint64_t)i * v->width;

    return cell * v->cell_bytes + (cell < v->n_larger ? cell : v->n_larger);
}

/* The bytes of the shares from 'first' to before 'past_end'. */
static uint64_t
range_bytes(const struct coll_view *v, uint32_t first, uint32_t past_end)
{
    return coll_share_at(v, past_end) - coll_share_at(v, first);
}

uint64_t
coll_data_bytes(const struct coll_view *v, struct coll_data d)
{
    uint64_t bytes = 0;

    if (d.count == 1 || d.stride == 1) {
        uint32_t past_end = d.first + d.count;
        bytes = past_end <= v->shares
                    ? range_bytes(v, d.first, past_end)
                    : range_bytes(v, d.first, v->shares) + range_bytes(v, 0, past_end - v->shares);
        return bytes * v->copies;
    }
    for (uint32_t k = 0, i = d.first; k < d.count; k++, i += d.stride) {
        i -= i >= v->shares ? v->shares : 0;
        bytes += range_bytes(v, i, i + 1);
    }
    return bytes * v->copies;
}

uint32_t
coll_pieces(const struct coll_view *v, uint64_t bytes)
{
    if (!v->chunk_bytes || !bytes) {
        return 1;
    }
    return (uint32_t)((bytes + v->chunk_bytes - 1) / v->chunk_bytes);
}

uint32_t
coll_share_pieces(const struct coll_view *v)
{
    return coll_pieces(v, range_bytes(v, 0, 1) * v->copies);
}

static uint32_t
cells_of(const struct coll_view *v)
{
    return v->algorithm->shares ? v->algorithm->shares(v->op, v->n) : v->n;
}

void
coll_recut(struct coll_view *v)
{
    v->cells = v->shares = cells_of(v);
    v->cell_bytes = v->bytes / v->cells;
    v->n_larger = (uint32_t)(v->bytes % v->cells);
    v->cell = 0;
    v->width = 1;
}

/* Cells are numbered channel by channel, and the first of all cells are larger. */
static void
cut_channel(const struct coll_params *p, uint32_t channel, struct coll_view *v)
{
    uint64_t per_channel = cells_of(v), cells = per_channel * p->channels;
    uint64_t before = per_channel * channel;

    v->first = coll_part_at(p->bytes, cells, before);
    v->bytes = coll_part_at(p->bytes, cells, before + per_channel) - v->first;
    coll_recut(v);
}

struct coll_view
coll_view_of(const struct coll_params *p, uint32_t me, uint32_t channel, uint32_t phase)
{
    struct coll_view v = { .algorithm = p->algorithm,
                           .op = p->op,
                           .n = p->n,
                           .me = me,
                           .root = p->root,
                           .stride = 1,
                           .copies = 1,
                           .chunk_bytes = p->chunk_bytes };

    cut_channel(p, channel, &v);
    if (p->algorithm->enter) {
        p->algorithm->enter(p, phase, &v);
    }
    return v;
}
