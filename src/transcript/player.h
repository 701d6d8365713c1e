/* The host that plays a transcript: declarations shared by the files of src/transcript.  It has one
 * node, one clock, and a list of the node's outputs, which transcripts call answers.
 *
 *     play.c      the node, and its events
 *     held.c      the packets in the node, from which engines may sample at random
 *     answers.c   the answers of the node, as text
 *     show.c      the comparison with the expected answers, and the output */

#ifndef TRANSCRIPT_PLAYER_H
#define TRANSCRIPT_PLAYER_H

#include "transcript/transcript.h"

/* A packet in the node. */
struct player_packet {
    struct weir_pkt pkt;
    bool is_forwarded; /* The packet has left its input. */
    bool is_queued;    /* The packet is at its output. */
};

struct player {
    const struct transcript *t;
    enum transcript_mode mode;
    FILE *file;
    struct pcapng *capture;
    uint32_t first_interface;

    struct weir_port ports[256];
    struct weir_shape shape;
    struct weir_buffer buffer;
    /* Indexes of packets at inputs and at outputs, if the engine needs them. */
    struct weir_index index, output_index;
    void *buffer_memory, *memory;
    struct weir_outbox out;
    struct weir_node node;
    uint64_t *pair_bytes; /* [input slot][output port]: bytes at outputs. */
    struct weir_gate *gates_before;
    weir_ps *timers; /* [key]: the time at which the timer is due, or WEIR_NEVER. */
    uint32_t n_timers, services;
    struct player_packet *packets; /* The packets in the node, in the order of their arrival. */
    size_t n_packets, max_packets;

    struct weir_text *answers; /* The answers to the current step. */
    size_t n_answers, max_answers;
    struct transcript_result result;
};

/* Adds an empty answer to the current step. The caller fills it in. */
struct weir_text *player_answer(struct player *);

/* Executes the node's outputs, and adds each of them to the answers of the step. */
void player_obey(struct player *);

static inline uint32_t
player_in_slot(const struct player *p, const struct weir_pkt *pkt)
{
    return weir_slot(&p->node.ctx, pkt->in_port, pkt->cls);
}

static inline uint32_t
player_out_slot(const struct player *p, const struct weir_pkt *pkt)
{
    return weir_slot(&p->node.ctx, pkt->out_port, pkt->cls);
}

static inline bool
player_has_stages(const struct player *p)
{
    return p->shape.services & WEIR_SERVICE_STAGES;
}

void player_lend_units(struct player *);
void player_free_units(struct player *);

/* For nodes with an index of packets: a packet arrives, leaves its input, reaches its output, moves
 * to another output, or is gone. The functions with a result return false if there is no such
 * packet. */
void player_give_unit(struct player *, struct weir_pkt *);
bool player_take_unit(struct player *, struct weir_pkt *);
bool player_give_output_unit(struct player *, struct weir_pkt *);
bool player_move_unit(struct player *, struct weir_pkt *, uint16_t from_port);
void player_forget_packet(struct player *, struct weir_pkt *, bool is_refused);

void player_capture_interfaces(struct player *);
void player_capture_frame(struct player *, uint32_t port, const struct weir_frame *,
                          const char *comment);

/* Compares the message before the start with the expected one. 'what' is "refused" or "warned". */
void player_check_said(struct player *, const char *what, const char *wanted, const char *said);
void player_write_heading(struct player *, bool fits, const char *said);

/* Compares the answers to a step with the expected ones, and writes the output of the mode. */
void player_judge(struct player *, const struct transcript_step *);

#endif
