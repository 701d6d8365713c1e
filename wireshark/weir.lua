-- Weir's own frames in Wireshark: GFC's stages, FAFC's pauses, credits, queue lengths, deliveries;
-- and congestion notification by 802.1Qau, which Wireshark does not know.
--
-- The formats are those of weir/wire.h.  Ethernet hands over what follows the EtherType, so every
-- offset here is 2 less than there.  Some EtherTypes are shared with others: PAUSE and PFC are MAC
-- control too, and anybody may use the experimental one.  What is not ours goes on to whoever had
-- the EtherType before, or back to Wireshark, which shows it as data.

local weir = Proto("weir", "Weir flow control")

local gfc_enable = ProtoField.uint8("weir.gfc.enable", "Class-enable vector", base.HEX)
local gfc_stages = {}
for class = 0, 7 do
    gfc_stages[class] = ProtoField.uint16("weir.gfc.stage.c" .. class, "Stage of class " .. class)
end
local fafc_enable = ProtoField.uint8("weir.fafc.enable", "Class-enable vector", base.HEX)
local fafc_pauses = {}
for class = 0, 7 do
    fafc_pauses[class] = ProtoField.uint32("weir.fafc.pause.c" .. class, "Pause of class " .. class,
        base.DEC, nil, 0, "Nanoseconds, added to those of earlier frames")
end
local credit_class = ProtoField.uint8("weir.credit.class", "Class")
local credit_fctbs = ProtoField.uint32("weir.credit.fctbs", "FCTBS", base.DEC, nil, 0,
    "Blocks that the sender of this frame has sent")
local credit_fccl = ProtoField.uint32("weir.credit.fccl", "FCCL", base.DEC, nil, 0,
    "Blocks that its receiver may have sent in all")
local credit_free = ProtoField.uint32("weir.credit.free", "Free", base.DEC, nil, 0,
    "Blocks free at the sender of this frame")
local queue_class = ProtoField.uint8("weir.queue.class", "Class")
local queue_bytes = ProtoField.uint32("weir.queue.bytes", "Bytes in the queue")
local queue_b0 = ProtoField.uint32("weir.queue.b0", "B0", base.DEC, nil, 0,
    "Bytes up to which the receiver of this frame sends at line rate")
local queue_bm = ProtoField.uint32("weir.queue.bm", "Bm", base.DEC, nil, 0,
    "Bytes at which its rate would be 0")
local delivery_kind = ProtoField.uint8("weir.delivery.kind", "Kind of packet")
local delivery_flow = ProtoField.uint32("weir.delivery.flow", "Flow")
local delivery_sequence = ProtoField.uint32("weir.delivery.sequence", "Sequence", base.DEC, nil, 0,
    "Number in its flow of the packet that has entered its output of the fabric")
local cnm_version = ProtoField.uint16("weir.cnm.version", "Version", base.DEC, nil, 0xf000)
local cnm_feedback = ProtoField.uint16("weir.cnm.feedback", "Quantised feedback", base.DEC, nil,
    0x003f, "How much the receiver of this message shall slow down: 0 to 63")
local cnm_cpid = ProtoField.uint64("weir.cnm.cpid", "CPID", base.HEX, nil, nil,
    "Which congestion point speaks")
local cnm_q_offset = ProtoField.int16("weir.cnm.q_offset", "QOffset", base.DEC, nil, nil,
    "The queue less Qeq, in units of 64 bytes")
local cnm_q_delta = ProtoField.int16("weir.cnm.q_delta", "QDelta", base.DEC, nil, nil,
    "The queue less that at the last sample, in units of 64 bytes")
local cnm_priority = ProtoField.uint16("weir.cnm.priority", "Encapsulated priority", base.DEC, nil,
    0xe000, "Of the packet that was sampled")
local cnm_destination = ProtoField.ether("weir.cnm.destination", "Encapsulated destination",
    "Of the packet that was sampled")
local cnm_length = ProtoField.uint16("weir.cnm.length", "Encapsulated length", base.DEC, nil, 0,
    "Bytes of the packet that was sampled, in this message")
local cnm_packet = ProtoField.bytes("weir.cnm.packet", "Encapsulated packet")
local cn_tag_flow = ProtoField.uint16("weir.cn_tag.flow", "Flow identifier", base.DEC, nil, 0,
    "By which the sender of a packet knows its flow again")

weir.fields = {
    gfc_enable, gfc_stages[0], gfc_stages[1], gfc_stages[2], gfc_stages[3], gfc_stages[4],
    gfc_stages[5], gfc_stages[6], gfc_stages[7], fafc_enable, fafc_pauses[0], fafc_pauses[1],
    fafc_pauses[2], fafc_pauses[3], fafc_pauses[4], fafc_pauses[5], fafc_pauses[6], fafc_pauses[7],
    credit_class, credit_fctbs, credit_fccl,
    credit_free, queue_class, queue_bytes, queue_b0, queue_bm,
    delivery_kind, delivery_flow, delivery_sequence, cnm_version, cnm_feedback, cnm_cpid,
    cnm_q_offset, cnm_q_delta, cnm_priority, cnm_destination, cnm_length, cnm_packet, cn_tag_flow,
}

local too_short = ProtoExpert.new("weir.too_short", "Frame too short for its kind",
    expert.group.MALFORMED, expert.severity.ERROR)
local cut = ProtoExpert.new("weir.cut", "The capture holds too little of this frame",
    expert.group.UNDECODED, expert.severity.NOTE)

weir.experts = { too_short, cut }

-- The form of PFC: a vector of classes, and a number of 'len' bytes for each.  A class that is not
-- enabled has none, whatever its bytes say.
local function show_classes(tvb, tree, vector, fields, len, words)
    local enable = tvb(3, 1)
    local shown = {}

    tree:add(vector, enable)
    for class = 0, 7 do
        if enable:bitfield(7 - class, 1) == 1 then
            local number = tvb(4 + len * class, len)
            tree:add(fields[class], number)
            table.insert(shown, string.format(words, class, number:uint()))
        end
    end
    return #shown > 0 and table.concat(shown, ", ") or "no class"
end

local function show_gfc(tvb, tree)
    return show_classes(tvb, tree, gfc_enable, gfc_stages, 2, "class %d -> %d")
end

local function show_fafc(tvb, tree)
    return show_classes(tvb, tree, fafc_enable, fafc_pauses, 4, "class %d for %d ns")
end

local function show_credit(tvb, tree)
    tree:add(credit_class, tvb(2, 1))
    tree:add(credit_fctbs, tvb(4, 4))
    tree:add(credit_fccl, tvb(8, 4))
    tree:add(credit_free, tvb(12, 4))
    return string.format("class %d, may send up to %d, %d free",
        tvb(2, 1):uint(), tvb(8, 4):uint(), tvb(12, 4):uint())
end

local function show_queue(tvb, tree)
    tree:add(queue_class, tvb(2, 1))
    tree:add(queue_bytes, tvb(4, 4))
    tree:add(queue_b0, tvb(8, 4))
    tree:add(queue_bm, tvb(12, 4))
    return string.format("class %d, %d bytes of %d", tvb(2, 1):uint(), tvb(4, 4):uint(),
        tvb(12, 4):uint())
end

local function show_delivery(tvb, tree)
    tree:add(delivery_kind, tvb(2, 1))
    tree:add(delivery_flow, tvb(4, 4))
    tree:add(delivery_sequence, tvb(8, 4))
    return string.format("packet %d of flow %d", tvb(8, 4):uint(), tvb(4, 4):uint())
end

-- The packet that it quotes may end with the capture.
local function show_quoted(tvb, tree)
    local quoted, there = tvb(22, 2):uint(), tvb:len() - 24
    if tvb:reported_len() - 24 < quoted then
        tree:add_proto_expert_info(too_short)
    end
    if math.min(quoted, there) > 0 then
        tree:add(cnm_packet, tvb(24, math.min(quoted, there)))
    end
end

local function show_cnm(tvb, tree)
    local bytes = 64 * tvb(10, 2):int()

    tree:add(cnm_version, tvb(0, 2))
    tree:add(cnm_feedback, tvb(0, 2))
    tree:add(cnm_cpid, tvb(2, 8))
    tree:add(cnm_q_offset, tvb(10, 2))
    tree:add(cnm_q_delta, tvb(12, 2))
    tree:add(cnm_priority, tvb(14, 2))
    tree:add(cnm_destination, tvb(16, 6))
    tree:add(cnm_length, tvb(22, 2))
    show_quoted(tvb, tree)
    return string.format("feedback %d, class %d, about %d bytes %s Qeq", tvb(0, 2):bitfield(10, 6),
        tvb(14, 2):bitfield(0, 3), math.abs(bytes), bytes < 0 and "below" or "above")
end

local function show_tag(tvb, tree)
    tree:add(cn_tag_flow, tvb(0, 2))
    return string.format("flow %d", tvb(0, 2):uint())
end

-- EtherType, then opcode or subtype, from which 'len' counts; 'any' stands for an EtherType that
-- has none.  What follows a tag has an EtherType of its own.
local kinds = {
    [0x8808] = {
        [0x0102] = { name = "GFC stages", len = 20, show = show_gfc },
        [0x0103] = { name = "FAFC pause", len = 36, show = show_fafc },
    },
    [0x88b5] = {
        [0x0001] = { name = "Credit", len = 16, show = show_credit },
        [0x0002] = { name = "Queue", len = 16, show = show_queue },
        [0x0003] = { name = "Delivery", len = 12, show = show_delivery },
    },
    [0x22e7] = {
        any = { name = "CNM", len = 24, show = show_cnm },
    },
    [0x22e9] = {
        any = { name = "CN-TAG", len = 4, show = show_tag, is_tag = true },
    },
}

local ethertypes = DissectorTable.get("ethertype")
local others = {}
for ethertype in pairs(kinds) do
    others[ethertype] = ethertypes:get_dissector(ethertype)
end

local function kind_of(tvb, ethertype)
    local codes = kinds[ethertype]
    if codes and tvb:len() >= 2 then
        return codes.any or codes[tvb(0, 2):uint()]
    end
end

function weir.dissector(tvb, pinfo, tree)
    local ethertype = pinfo.match_uint
    local kind = kind_of(tvb, ethertype)
    if not kind then
        local other = others[ethertype]
        return other and other:call(tvb, pinfo, tree) or 0
    end

    local own = tree:add(weir, tvb(0, math.min(kind.len, tvb:len())), "Weir, " .. kind.name)
    local summary
    if tvb:reported_len() < kind.len then
        own:add_proto_expert_info(too_short)
        summary = "too short"
    elseif tvb:len() < kind.len then
        own:add_proto_expert_info(cut)
        summary = "cut by the capture"
    else
        summary = kind.show(tvb, own)
    end
    pinfo.cols.protocol = "Weir"
    pinfo.cols.info = kind.name .. ": " .. summary
    if kind.is_tag and tvb:len() > kind.len then
        ethertypes:try(tvb(2, 2):uint(), tvb(4):tvb(), pinfo, tree)
    end
    return tvb:len()
end

for ethertype in pairs(kinds) do
    ethertypes:add(ethertype, weir)
end
