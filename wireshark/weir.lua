-- Weir's own frames in Wireshark: GFC's stages, credits, queue lengths.
--
-- The formats are those of weir/wire.h.  Ethernet hands over what follows the EtherType, so every
-- offset here is 2 less than there.  Both EtherTypes are shared with others: PAUSE and PFC are MAC
-- control too, and anybody may use the experimental one.  What is not ours goes on to whoever had
-- the EtherType before, or back to Wireshark, which shows it as data.

local weir = Proto("weir", "Weir flow control")

local gfc_enable = ProtoField.uint8("weir.gfc.enable", "Class-enable vector", base.HEX)
local gfc_stages = {}
for class = 0, 7 do
    gfc_stages[class] = ProtoField.uint16("weir.gfc.stage.c" .. class, "Stage of class " .. class)
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

weir.fields = {
    gfc_enable, gfc_stages[0], gfc_stages[1], gfc_stages[2], gfc_stages[3], gfc_stages[4],
    gfc_stages[5], gfc_stages[6], gfc_stages[7], credit_class, credit_fctbs, credit_fccl,
    credit_free, queue_class, queue_bytes, queue_b0, queue_bm,
}

local too_short = ProtoExpert.new("weir.too_short", "Frame too short for its kind",
    expert.group.MALFORMED, expert.severity.ERROR)
local cut = ProtoExpert.new("weir.cut", "The capture holds too little of this frame",
    expert.group.UNDECODED, expert.severity.NOTE)

weir.experts = { too_short, cut }

-- A class that is not enabled has no stage, whatever its number says.
local function show_gfc(tvb, tree)
    local enable = tvb(3, 1)
    local words = {}

    tree:add(gfc_enable, enable)
    for class = 0, 7 do
        if enable:bitfield(7 - class, 1) == 1 then
            local stage = tvb(4 + 2 * class, 2)
            tree:add(gfc_stages[class], stage)
            table.insert(words, string.format("class %d -> %d", class, stage:uint()))
        end
    end
    return #words > 0 and table.concat(words, ", ") or "no class"
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

-- EtherType, then opcode or subtype; 'len' counts from the latter.
local kinds = {
    [0x8808] = {
        [0x0102] = { name = "GFC stages", len = 20, show = show_gfc },
    },
    [0x88b5] = {
        [0x0001] = { name = "Credit", len = 16, show = show_credit },
        [0x0002] = { name = "Queue", len = 16, show = show_queue },
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
        return codes[tvb(0, 2):uint()]
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
    return tvb:len()
end

for ethertype in pairs(kinds) do
    ethertypes:add(ethertype, weir)
end
