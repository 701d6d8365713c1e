/* Frames, byte by byte.
 *
 * A frame is stored from its EtherType on, as on the wire; the port handles the addresses before it
 * and the check sequence after it.  All numbers are big-endian.  A decoder accepts any bytes, and
 * returns false if they are not a frame of its form.  It accepts padding and ignores reserved
 * fields.  Frames of PFC, GFC and FAFC are MAC control frames; their opcodes distinguish them.
 *
 * PFC (802.1Qbb), and GFC's stages in the same form: 22 bytes
 *     0  88 08            MAC control
 *     2  01 01            PFC; GFC's own opcode is 01 02, not assigned by 802.3 Annex 31A
 *     4  00 vv            class-enable vector, bit c for class c
 *     6  tt tt   x 8      one number a class: pause in quanta of 512 bit times, or a stage
 *
 * FAFC's pauses, in MAC control too: 38 bytes.  Pauses add up: each starts when the one before ends
 *     0  88 08
 *     2  01 03            FAFC's own opcode, not assigned by 802.3 Annex 31A either
 *     4  00 vv            class-enable vector, bit c for class c
 *     6  tt tt tt tt x 8  one pause a class, in nanoseconds
 *
 * Credits, after InfiniBand's flow control packet: 18 bytes
 *     0  88 b5            local experimental EtherType (802 clause 9.2)
 *     2  00 01            subtype
 *     4  cc 00            class, reserved
 *     6  ss ss ss ss      FCTBS: blocks that the sender of this frame has sent
 *    10  ll ll ll ll      FCCL: blocks that its receiver may have sent in all
 *    14  ff ff ff ff      blocks free at the sender of this frame
 *
 * Subtypes from ff 00 on are for experiments: no engine of Weir will use them.
 *
 * Queue length, for conceptual GFC: 18 bytes
 *     0  88 b5
 *     2  00 02            subtype
 *     4  cc 00            class, reserved
 *     6  qq qq qq qq      bytes in the queue
 *    10  bb bb bb bb      B0: up to this queue, the peer sends at line rate; above it, slower
 *    14  mm mm mm mm      Bm: at this queue, the peer stops; more than B0
 *
 * Delivery, inside a fabric: 14 bytes.  The edge switch where a packet has entered its output sends
 * it to the edge switch that keeps a copy of the packet:
 *     0  88 b5
 *     2  00 03            subtype
 *     4  kk 00            kind of the packet, which only the host program defines; reserved
 *     6  ff ff ff ff      flow of the packet
 *    10  ss ss ss ss      its number in that flow
 *
 * Congestion notification message, CNM (802.1Qau 33.3 and 33.4): 26 bytes, and the quoted packet.
 * It is sent to the sender of a packet.  If that packet had a CN-TAG, the message begins with the
 * same tag:
 *     -  22 e9 ii ii      CN-TAG: the flow identifier that the sender gave the packet
 *     0  22 e7            congestion notification
 *     2  v r:qq           version, 4 bits, sent as 0 and ignored; reserved, 6 bits; quantised
 *                         feedback, 6 bits
 *     4  cc x 8           CPID: identifies the congestion point
 *    12  oo oo            QOffset: the queue less Qeq, signed, in units of 64 bytes
 *    14  dd dd            QDelta: the queue less that at the last sample, in units of 64 bytes
 *    16  pp 00            encapsulated priority, of the packet: the upper three bits
 *    18  aa x 6           encapsulated destination, of the packet
 *    24  ll ll            how many bytes of the packet follow: 0 to 64; Weir sends 0             */

#ifndef WEIR_WIRE_H
#define WEIR_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WEIR_FRAME_MAX      48 /* A 64-byte Ethernet frame less addresses and check sequence. */
#define WEIR_ETHERNET_BYTES 60 /* The same frame with addresses, without check sequence. */
#define WEIR_CONTROL_BYTES  64 /* The size of a control frame on the wire, without its gap. */

/* EtherTypes, opcodes and subtypes of control frames. */
#define WEIR_ETHERTYPE_MAC_CONTROL  0x8808
#define WEIR_ETHERTYPE_EXPERIMENTAL 0x88b5
#define WEIR_ETHERTYPE_CNM          0x22e7
#define WEIR_ETHERTYPE_CN_TAG       0x22e9
#define WEIR_OPCODE_PFC             0x0101
#define WEIR_OPCODE_GFC             0x0102
#define WEIR_OPCODE_FAFC            0x0103
#define WEIR_SUBTYPE_CREDIT         0x0001
#define WEIR_SUBTYPE_QUEUE          0x0002
#define WEIR_SUBTYPE_DELIVERY       0x0003

/* EtherType and opcode or subtype in one number, which identifies an engine's frames. */
#define WEIR_FRAME_ID(ETHERTYPE, CODE) ((uint32_t)(ETHERTYPE) << 16 | (uint32_t)(CODE))

/* A control frame or message, without addresses and check sequence. */
struct weir_frame {
    uint8_t len;
    uint8_t bytes[WEIR_FRAME_MAX];
};

struct weir_class_frame { /* The pauses of PFC, or the stages of GFC. */
    uint16_t opcode;
    uint8_t enable;
    uint16_t values[8];
};

/* The pauses of FAFC, one for each class. */
struct weir_fafc_pause {
    uint16_t opcode;
    uint8_t enable;
    uint32_t pause_ns[8];
};

/* Credit of CBFC: blocks sent, blocks that the peer may send, and free blocks. */
struct weir_credit_frame {
    uint8_t cls;
    uint32_t fctbs, fccl, free_blocks;
};

/* The queue that GFC reports for a class. */
struct weir_queue_frame {
    uint8_t cls;
    uint32_t queue_bytes, b0_bytes, bm_bytes;
};

/* The delivery of a packet inside a fabric. */
struct weir_delivery_frame {
    uint8_t kind;
    uint32_t flow, sequence;
};

/* A congestion notification message (CNM) of IEEE 802.1Qau. */
struct weir_cnm {
    uint8_t quantised_fb; /* From 0 to WEIR_CNM_MAX_FB. */
    uint8_t priority;     /* From 0 to 7. */
    uint8_t quoted_bytes; /* The number of bytes of the packet that the message quotes; the encoder
                           * quotes none. */
    uint64_t cpid;
    int16_t q_offset, q_delta; /* In units of 64 bytes: weir_cnm_units(). */
    uint8_t destination[6];
};

/* The largest quantised feedback of a CNM. */
#define WEIR_CNM_MAX_FB 63

/* The WEIR_FRAME_ID of a frame; 0 if the frame is too short to have one. */
uint32_t weir_frame_id(const struct weir_frame *);

/* The EtherType that identifies an engine's messages, after a CN-TAG if the message has one; 0 if
 * the message is too short. */
uint16_t weir_message_type(const struct weir_frame *);

/* Writes and reads control frames.  A decoder returns false for a frame of another kind or of a
 * wrong length. */
void weir_class_frame_encode(const struct weir_class_frame *, struct weir_frame *);
bool weir_class_frame_decode(const struct weir_frame *, struct weir_class_frame *);
void weir_fafc_pause_encode(const struct weir_fafc_pause *, struct weir_frame *);
bool weir_fafc_pause_decode(const struct weir_frame *, struct weir_fafc_pause *);
void weir_credit_frame_encode(const struct weir_credit_frame *, struct weir_frame *);
bool weir_credit_frame_decode(const struct weir_frame *, struct weir_credit_frame *);
void weir_queue_frame_encode(const struct weir_queue_frame *, struct weir_frame *);
bool weir_queue_frame_decode(const struct weir_frame *, struct weir_queue_frame *);
void weir_delivery_frame_encode(const struct weir_delivery_frame *, struct weir_frame *);
bool weir_delivery_frame_decode(const struct weir_frame *, struct weir_delivery_frame *);

/* A CNM may quote more of a packet than struct weir_frame can hold; the rest is ignored. */
void weir_cnm_encode(const struct weir_cnm *, struct weir_frame *);
bool weir_cnm_decode(const struct weir_frame *, struct weir_cnm *);

/* Converts bytes to units of 64 bytes, rounded towards 0 and limited to 16 bits. */
int16_t weir_cnm_units(int64_t bytes);

/* Makes a whole Ethernet frame, padded and without check sequence, to 01-80-C2-00-00-01, an address
 * that bridges never forward; and the reverse.  The reverse cuts a frame that is longer than struct
 * weir_frame. */
void weir_frame_to_ethernet(const struct weir_frame *, const uint8_t source[6],
                            uint8_t out[WEIR_ETHERNET_BYTES]);
bool weir_frame_from_ethernet(const uint8_t *bytes, size_t len, struct weir_frame *);

#ifdef __cplusplus
}
#endif

#endif
