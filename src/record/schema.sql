-- The results of runs: one SQLite file, a run or many, and summaries of sweeps.
--
-- This file is what `weir` makes a new results file with; it is also the contract between those who
-- write results and those who read them.  PRAGMA application_id is 1466263922 ("Weir" in ASCII) and
-- PRAGMA user_version the version of this schema, now 5: a program that finds another number there
-- leaves the file alone.
--
-- Rows belong to a run, and are numbered from 0 in it by `id`, in the order in which they were told.
-- Times end in _ps, picoseconds of simulated time; rates in _bps, bits a second; sizes in _bytes.
-- NULL is what there is not, or not yet: the end of a flow that has not ended, the class of what
-- has none.  Hashes are 16 hexadecimal digits.
--
-- A run is written while it goes on, at least about once a second, each time in one transaction: a
-- run that was killed has all that was told until then, and its status is still `running`.

-- A run.  `scenario` is the whole text that decided it; hash, seed and build are its identity: equal
-- identities have equal `results_hash`.  The columns from until_ps on are known at its end.
CREATE TABLE run (
    id            INTEGER PRIMARY KEY,  -- From 1, over the whole file.
    name          TEXT NOT NULL,
    scenario      TEXT NOT NULL,
    scenario_hash TEXT NOT NULL,
    seed          INTEGER NOT NULL,
    engines       TEXT NOT NULL,        -- In the order of the stack, with blanks between: "pfc ecn".
    arbitration   TEXT NOT NULL,
    build         TEXT NOT NULL,        -- The version of the program.
    started_at    TEXT NOT NULL,        -- UTC: 2025-01-31T12:00:00Z.
    status        TEXT NOT NULL CHECK (status IN ('running', 'complete', 'stopped', 'failed')),
    until_ps      INTEGER,              -- How far it came.
    wall_s        REAL,                 -- What it took, of real time.
    results_hash  TEXT,
    n_hops        INTEGER               -- Packets and frames that crossed a link.
);

-- Everything that can be set, as it was in this run.  `origin` says why: the line of a file, a
-- default, derived from the rest, or --set.
CREATE TABLE parameter (
    run     INTEGER NOT NULL REFERENCES run,
    id      INTEGER NOT NULL,
    section TEXT NOT NULL,              -- "switch", "engines.pfc"
    key     TEXT NOT NULL,              -- "xoff"
    value   TEXT NOT NULL,              -- "800KB"
    origin  TEXT NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- What the engines ran with: values that were left to them are worked out here, from the links and the
-- buffer of the node.  Nodes of one role that are built alike have one row for each parameter.
CREATE TABLE engine_parameter (
    run     INTEGER NOT NULL REFERENCES run,
    id      INTEGER NOT NULL,
    role    TEXT NOT NULL,              -- As in node.
    node    INTEGER NOT NULL,           -- The first of the nodes, of which there are so many.
    n_nodes INTEGER NOT NULL,
    engine  TEXT NOT NULL,              -- "pfc"
    key     TEXT NOT NULL,              -- "xoff"
    value   INTEGER NOT NULL,           -- In bytes, picoseconds, bits a second; a ratio of 65536.
    text    TEXT NOT NULL,              -- "800KB"
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A switch or a NIC.
CREATE TABLE node (
    run  INTEGER NOT NULL REFERENCES run,
    id   INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,                 -- switch, nic
    role TEXT NOT NULL,                 -- "switches", "hosts", or a role that the scenario names.
    part INTEGER,                       -- Nodes of one part talk mostly to each other: a pod, say.
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- Where a node meets a link.  `peer` is the port at the other end; rate and delay are the link's.
CREATE TABLE port (
    run      INTEGER NOT NULL REFERENCES run,
    id       INTEGER NOT NULL,
    node     INTEGER NOT NULL,
    number   INTEGER NOT NULL,          -- Within its node, from 0.
    peer     INTEGER,
    rate_bps INTEGER NOT NULL,
    delay_ps INTEGER NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A flow: what was asked for, and from first_ps on what became of it.  Until its results are told,
-- those are NULL.
CREATE TABLE flow (
    run            INTEGER NOT NULL REFERENCES run,
    id             INTEGER NOT NULL,
    name           TEXT NOT NULL,
    from_node      INTEGER NOT NULL,
    to_node        INTEGER NOT NULL,
    class          INTEGER NOT NULL,
    bytes          INTEGER,             -- NULL: as long as the run.
    start_ps       INTEGER NOT NULL,
    ideal_ps       INTEGER,             -- From start to finish, were it alone in the network.
    first_ps       INTEGER,             -- The first packet arrived,
    last_ps        INTEGER,             -- and the last so far.
    finished_ps    INTEGER,             -- The last of all.
    sent_bytes     INTEGER,
    received_bytes INTEGER,
    n_packets      INTEGER,             -- Received.
    late_bps       INTEGER,             -- Received after the middle of the run.
    path           TEXT,                -- Ids of the ports that it leaves by, with blanks between; NULL
                                        -- if the series of flows are not recorded.
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- What was counted, at the end: `object` is what kind of thing `object_id` numbers: port, node,
-- flow, or run (then NULL).
CREATE TABLE counter (
    run       INTEGER NOT NULL REFERENCES run,
    id        INTEGER NOT NULL,
    object    TEXT NOT NULL,
    object_id INTEGER,
    class     INTEGER,
    name      TEXT NOT NULL,            -- sent_bytes, n_dropped, or an engine's own: pfc.pauses
    value     INTEGER NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- What happened at an instant.  Kinds:
--
--     pause      The port was told to send no more of this class.  Value: until when, in ps.
--     resume     The pause was taken back, or ran out.
--     rate       The port was told at which rate to send this class.  Value: bits a second; NULL: any.
--     drop       A packet was dropped on arrival at the port.  Value: its bytes.
--     expire     A packet was dropped on arrival: it had crossed too many switches.  Value: its bytes.
--     loss       A packet, or a frame if no flow is named, was lost on the link.  Value: its bytes.
--     again      The flow goes back and sends again.  Value: from which packet on.
--     link-down  The link went down; at 0: it is never used.  Value: 0.
--     link-up    The link came up again.  Value: 1.
--     storm      The watchdog of the port acts on this class from now on.  Value: bytes that wait there.
--     restored   The watchdog of the port no longer acts on this class.  Value: packets dropped so far.
--     discard    The watchdog dropped a packet that was to leave by the port.  Value: its bytes.
--     stall      The host stopped draining this class.  Value: bytes that it holds.
--     drain      The host drains this class again.  Value: bytes that it holds.
--     deadlock   A ring of queues that wait for each other closed; `text` names it.  Value: queues that stand still.
--     stuck      One queue of that ring, at the time when the last packet left it.  Value: its place, from 0.
--     held       A flow that has packets in that ring.
CREATE TABLE event (
    run   INTEGER NOT NULL REFERENCES run,
    id    INTEGER NOT NULL,
    at_ps INTEGER NOT NULL,
    kind  TEXT NOT NULL,
    node  INTEGER,
    port  INTEGER,                      -- Its id, not its number within the node.
    class INTEGER,
    flow  INTEGER,
    value INTEGER,
    text  TEXT,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A promise that was broken, in words.
CREATE TABLE violation (
    run   INTEGER NOT NULL REFERENCES run,
    id    INTEGER NOT NULL,
    at_ps INTEGER,
    what  TEXT NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A time series: what is sampled.  All series of a run are sampled at the same instants; the values
-- are columns of the blocks below, that of the series with id 0 first.
CREATE TABLE series (
    run       INTEGER NOT NULL REFERENCES run,
    id        INTEGER NOT NULL,
    quantity  TEXT NOT NULL,            -- queue, sent, received, rate, paused, credit
    unit      TEXT NOT NULL,            -- bytes, bps, ps
    object    TEXT NOT NULL,            -- As in counter.
    object_id INTEGER,
    class     INTEGER,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A block: `n_rows` samples in a row of all series of the run, from first_ps to last_ps.  `bytes` is
-- one zstd frame.  Inside are 1 + (number of series) columns, the times in picoseconds first, then
-- the series by id; whole numbers of 64 bits without sign, little-endian.  A column is
--
--     first   8 bytes   the first value
--     grain   8 bytes   every step from a value to the next is a whole number of these
--     width   1 byte    0 to 8
--     planes  width times n_rows - 1 bytes: of each step the lowest byte, then of each the next ...
--
-- A step is stored as twice its size in grains, less 1 if it goes down: 0, -1, 1, -2 as 0, 1, 2, 3;
-- sums are modulo 2^64.  A width of 0 is a value that never changes.  src/record/series.h says why
-- it is so, and doc/results.md reads it in twenty lines of Python.
CREATE TABLE block (
    run      INTEGER NOT NULL REFERENCES run,
    id       INTEGER NOT NULL,
    first_ps INTEGER NOT NULL,
    last_ps  INTEGER NOT NULL,
    n_rows   INTEGER NOT NULL,
    bytes    BLOB NOT NULL,
    PRIMARY KEY (run, id)
);

-- A sweep: a study's runs, numbered by `id` in `summary` from 0 in the order of the product of its
-- axes, the last axis running fastest.  Equal hashes are the same study of the same scenario by the
-- same build; shards of one sweep, in files of their own, have it in common.
CREATE TABLE sweep (
    id         INTEGER PRIMARY KEY,     -- From 1, over the whole file.
    name       TEXT NOT NULL,
    study      TEXT NOT NULL,           -- The axes, and the whole scenario of one run.
    hash       TEXT NOT NULL UNIQUE,
    build      TEXT NOT NULL,
    started_at TEXT NOT NULL,           -- UTC.
    n_runs     INTEGER NOT NULL         -- Of all shards; finished are those in summary.
);

-- One run of a sweep.  Status:
--
--     complete   it ran to its end
--     stopped    it ran until what the study waits for had come: a deadlock
--     skipped    the study leaves it out (`only`)
--     refused    it can not be run; `why` says why
--     failed     its process came to harm; it is run again when the sweep goes on
CREATE TABLE summary (
    sweep               INTEGER NOT NULL REFERENCES sweep,
    id                  INTEGER NOT NULL,
    settings            TEXT NOT NULL,  -- JSON: {"engine": "pfc", "run.seed": "17"}
    status              TEXT NOT NULL
                        CHECK (status IN ('complete', 'stopped', 'skipped', 'refused', 'failed')),
    why                 TEXT,
    until_ps            INTEGER,        -- How far it came.
    deadlock_ps         INTEGER,        -- When the ring closed; NULL: no deadlock.
    n_flows             INTEGER,        -- That have started,
    n_finished          INTEGER,        -- and have ended.
    n_collapsed         INTEGER,        -- Endless flows under a tenth of their fair share.
    n_dropped           INTEGER,
    n_expired           INTEGER,        -- Packets that came to the limit of hops.
    min_bps             INTEGER,        -- Goodput of flows that have started, from start to end:
    mean_bps            INTEGER,        -- the least, and the mean.
    received_bps        INTEGER,        -- By all hosts together.
    host_bps            INTEGER,        -- Sent by a host, counted every 100 us: the mean of all,
    host_deviation_bps  INTEGER,        -- their standard deviation,
    host_late_bps       INTEGER,        -- the mean of the run's last tenth,
    silent_share        REAL,           -- and the part of hosts that sent nothing then.
    slowdown_mean       REAL,           -- Of flows that have ended: times longer than alone.
    slowdown_p50        REAL,
    slowdown_p95        REAL,
    slowdown_p99        REAL,
    slowdown_max        REAL,
    longest_queue_bytes INTEGER,        -- At any input, at any time.
    feedback_bps        INTEGER,        -- Control frames of all ports,
    feedback_share      REAL,           -- of what all links carry;
    feedback_p99        REAL,           -- of a port, counted every 500 us: what 99 % do not exceed,
    feedback_max        REAL,           -- and the most.
    results_hash        TEXT,
    n_hops              INTEGER,
    wall_s              REAL,
    PRIMARY KEY (sweep, id)
) WITHOUT ROWID;

-- What a paper claims, and what came out of `weir reproduce`: a row for each arbitration.
CREATE TABLE claim (
    id          INTEGER PRIMARY KEY,
    study       TEXT NOT NULL,          -- The paper: "gfc".
    scenario    TEXT NOT NULL,          -- What was run,
    is_sample   INTEGER NOT NULL,       -- and whether only a part of it: 1 or 0.
    source      TEXT NOT NULL,          -- Where the paper says it: "6.1.2, Fig. 9".
    engine      TEXT NOT NULL,
    what        TEXT NOT NULL,          -- "goodput of F1"
    unit        TEXT NOT NULL,          -- yes (1) or no (0), bps, bytes, B, share, times, networks, packets
    arbitration TEXT NOT NULL,          -- Empty: of arithmetic.
    sign        TEXT NOT NULL,          -- How it is meant: =, <, or >.
    published   REAL NOT NULL,
    measured    REAL,
    holds       INTEGER,                -- 1 or 0; NULL: not enough was run to say.
    n_runs      INTEGER NOT NULL,       -- Behind the measured number.
    build       TEXT NOT NULL
);
