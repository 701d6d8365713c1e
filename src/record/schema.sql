-- Results of runs: one SQLite file with one run or many, and with summaries of sweeps.
--
-- `weir` creates new results files with this schema.  It is also the contract between programs that
-- write results and programs that read them.  PRAGMA application_id is 1466263922 ("Weir" in
-- ASCII), and PRAGMA user_version is the version of this schema, now 15.  A program that finds a
-- number that it does not know must not change the file.  Version 14 lacks the columns done_ps and
-- paper, and all columns of jobs.
--
-- Lines like @run-facts@ stand for one column for each fact; a results file has all these columns.
--
-- Rows belong to a run and are numbered in it by `id`, from 0, in the order in which they were
-- recorded.  Columns that end in _ps are picoseconds of simulated time, _bps bits per second,
-- _bytes bytes.  NULL stands for a value that does not exist, or is not known yet: the end of a
-- flow that has not ended, the class of an object without a class.  Hashes are 16 hexadecimal
-- digits.
--
-- A run is written while it is in progress, about once per second, in one transaction each time.
-- So a killed run has all data up to its last transaction, and its status is still `running`.

-- A run.  `scenario` is the complete text of the scenario. scenario_hash, seed and build identify
-- the run: if they are equal, `results_hash` is equal, for runs that are simulated or in virtual
-- time.  Runs in a real-time lab differ each time.  The columns between started_at and status are
-- the facts of the run (src/answer/run-facts.def), which are set at its end.
--
-- Lists show runs in the order of (command_ns, place, id), in which commands began them.  The ids
-- of one command's runs are in this order, too; ids of simultaneous commands are interleaved.
CREATE TABLE run (
    id            INTEGER PRIMARY KEY,  -- Counts from 1 in the whole file.
    name          TEXT NOT NULL,
    scenario      TEXT NOT NULL,
    scenario_hash TEXT NOT NULL,
    seed          INTEGER NOT NULL,
    engines       TEXT NOT NULL,        -- In the order of the stack, separated by blanks: "pfc ecn".
    arbitration   TEXT NOT NULL,
    host          TEXT NOT NULL,        -- The program that ran its nodes: "simulator"; "lab", processes on this machine; or "virtual lab", real frames by a clock of their own.
    settings      TEXT NOT NULL,        -- Settings of this run, one line each: "switch.buffer=300KB".
    command_ns    INTEGER NOT NULL,     -- The start of the command that made the run: nanoseconds
                                        -- since 1970.
    place         INTEGER NOT NULL,     -- The position among the runs of that command, from 0.
    build         TEXT NOT NULL,        -- The version of the program.
    wall_s        REAL,                 -- Real time that the run took, in seconds; NULL before its end.
    started_at    TEXT NOT NULL,        -- UTC: 2025-01-31T12:00:00Z.
    @run-facts@
    status        TEXT NOT NULL CHECK (status IN ('running', 'complete', 'stopped', 'failed'))
);

-- Every parameter, with its value in this run. `origin` is the source of the value: the line of a
-- file, a default, derived from other values, or --set.
CREATE TABLE parameter (
    run     INTEGER NOT NULL REFERENCES run,
    id      INTEGER NOT NULL,
    section TEXT NOT NULL,              -- "switch", "engines.pfc"
    key     TEXT NOT NULL,              -- "xoff"
    value   TEXT NOT NULL,              -- "800KB"
    origin  TEXT NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- Parameters of engines, including those that engines derived from the links and the buffer of
-- their node.  Nodes of one role with equal engines share one row for each parameter.
CREATE TABLE engine_parameter (
    run     INTEGER NOT NULL REFERENCES run,
    id      INTEGER NOT NULL,
    role    TEXT NOT NULL,              -- As in node.
    node    INTEGER NOT NULL,           -- The first of these nodes.
    n_nodes INTEGER NOT NULL,           -- The number of these nodes.
    engine  TEXT NOT NULL,              -- "pfc"
    key     TEXT NOT NULL,              -- "xoff"
    value   INTEGER NOT NULL,           -- In bytes, picoseconds or bits per second; a ratio is in units of 1/65536.
    text    TEXT NOT NULL,              -- "800KB"
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A switch or a NIC.
CREATE TABLE node (
    run    INTEGER NOT NULL REFERENCES run,
    id     INTEGER NOT NULL,
    name   TEXT NOT NULL,
    kind   TEXT NOT NULL,               -- switch, nic
    role   TEXT NOT NULL,               -- "switches", "hosts", or a role that the scenario names.
    part   INTEGER,                     -- Nodes of one part, such as a pod, talk mostly to each other.
    number INTEGER NOT NULL,            -- The number in files for HPCC's scripts: as in the
                                        -- network's file; else hosts from 0 on, then switches.
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A port of a node.  `peer` is the port at the other end of its link; rate and delay are the link's.
CREATE TABLE port (
    run      INTEGER NOT NULL REFERENCES run,
    id       INTEGER NOT NULL,
    node     INTEGER NOT NULL,
    number   INTEGER NOT NULL,          -- Within its node, from 0.
    peer     INTEGER,
    rate_bps INTEGER NOT NULL,
    delay_ps INTEGER NOT NULL,
    link     TEXT,                      -- The name of its link; NULL: the link has none.
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A flow: first its definition, then, from first_ps on, its results, which are NULL until they are
-- known.
CREATE TABLE flow (
    run            INTEGER NOT NULL REFERENCES run,
    id             INTEGER NOT NULL,
    name           TEXT NOT NULL,
    from_node      INTEGER NOT NULL,
    to_node        INTEGER NOT NULL,
    class          INTEGER NOT NULL,
    bytes          INTEGER,             -- The size; NULL: it sends until the run ends.
    start_ps       INTEGER NOT NULL,
    ideal_ps       INTEGER,             -- Its duration if it were alone in the network.
    first_ps       INTEGER,             -- Arrival of its first packet.
    last_ps        INTEGER,             -- Arrival of its last packet so far.
    finished_ps    INTEGER,             -- Arrival of its last packet, when all have arrived.
    stopped_ps     INTEGER,             -- Time at which it was stopped before it had sent all
                                        -- bytes; NULL: it was not stopped.
    fct_ps         INTEGER,             -- Completion time; NULL: it has not finished.
    slowdown       REAL,                -- fct_ps divided by ideal_ps.
    sent_bytes     INTEGER,             -- Retransmitted bytes count again.
    retransmitted_bytes INTEGER,        -- Bytes sent that had been sent before; part of sent_bytes.
    received_bytes INTEGER,
    n_packets      INTEGER,             -- Packets received.
    goodput_bps    INTEGER,             -- Goodput from its start to its end, or to the end of the run.
    late_goodput_bps INTEGER,           -- Goodput in the second half of the run.
    path           TEXT,                -- Ids of the ports that send its packets, separated by blanks;
                                        -- NULL if the series of flows are not recorded, or each packet may
                                        -- take another path.
    dport          INTEGER,             -- Destination port, if the flow has one.
    workload       INTEGER NOT NULL,    -- Number of the workload that generated it, from 1; 0:
                                        -- the scenario lists it.
    is_warm_up     INTEGER,             -- 1: it started in the warm-up, and statistics exclude it;
                                        -- 0: it started later; NULL: it never started.
    is_connection  INTEGER,             -- 1: a connection of a job, which has messages instead of a size; 0: a flow.
    header_bytes   INTEGER NOT NULL,    -- The headers in `bytes` that the flow's file does not
                                        -- count (`flows: {headers: 48B}`).
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- Completion times at the end of the run: `id` 0 is for all measured flows, the other ids for one
-- workload each, by its number.
CREATE TABLE workload (
    run                   INTEGER NOT NULL REFERENCES run,
    id                    INTEGER NOT NULL,
    name                  TEXT NOT NULL,     -- As in the scenario; "all" if id is 0.
    @workload-facts@
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A counter at the end of the run.  `object` is the kind of thing that `object_id` numbers: port, node,
-- flow, or run (then object_id is NULL).
CREATE TABLE counter (
    run       INTEGER NOT NULL REFERENCES run,
    id        INTEGER NOT NULL,
    object    TEXT NOT NULL,
    object_id INTEGER,
    class     INTEGER,
    name      TEXT NOT NULL,            -- sent_bytes, n_dropped, peak_input_queue_bytes, or an engine's own: pfc.pauses
    value     INTEGER NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- An event at one instant.  Kinds:
--
--     pause      The peer paused this class at the port, by PFC, by FAFC or by both.  Value: end of the pause, in ps.
--     resume     The pause was ended by a resume, or ran out.
--     rate       The peer set the rate at which the port sends this class.  Value: bits per second; NULL: no limit.
--     drop       A packet that came in by the port was dropped: on arrival, or later because no route led on.  Value: bytes of the packet.
--     overflow   A packet was dropped at the end of a pipeline: the queue that it was to leave the port by had no room.  Value: bytes of the packet.
--     expire     A packet was dropped on arrival: it had crossed too many switches.  Value: bytes of the packet.
--     loss       A packet, or a control frame if no flow is named, was lost on the link.  Value: bytes of the packet or frame.
--     again      The flow goes back and retransmits packets.  Value: number of the first one.
--     link-down  The link went down; at time 0: it is never used.  Value: 0.
--     link-up    The link came up again.  Value: 1.
--     link-rate  The port sends at another rate from now on.  Value: bits per second.
--     link-wait  The link came up, and the port waits for the first message of its peer about this class.  Value: end of the wait without a message, in ps.
--     link-go    The wait at the start of the link ended.
--     storm      The watchdog of the port found a pause storm and acts on this class from now on.  Value: bytes that wait in the queue.
--     restored   The watchdog of the port no longer acts on this class.  Value: packets dropped so far.
--     discard    The watchdog dropped a packet that was to leave by the port.  Value: bytes of the packet.
--     flush      A packet that was to leave by the port was dropped, as its link is down.  Value: bytes of the packet.
--     stall      The host stopped draining this class.  Value: bytes that the host holds.
--     drain      The host drains this class again.  Value: bytes that the host holds.
--     message    A message to the sender of the flow was sent because of the queue of the port.
--     heard      A message about the flow arrived, and takes effect.
--     blame      Packets that came in by the port, sent in this class, wait mostly for one output of the node; only with `record.why`.  `text`: their class there, if it changed.  Value: the id of that output's port.
--     deadlock   A cycle of queues that wait for each other closed; `text` names it.  Value: queues that stand still.
--     stuck      One queue of that cycle, at the time when the last packet left it.  Value: its place, from 0.
--     held       A flow that has packets in that cycle.
CREATE TABLE event (
    run   INTEGER NOT NULL REFERENCES run,
    id    INTEGER NOT NULL,
    at_ps INTEGER NOT NULL,
    kind  TEXT NOT NULL,
    node  INTEGER,
    port  INTEGER,                      -- The id of the port, not its number within the node.
    class INTEGER,
    flow  INTEGER,
    value INTEGER,
    text  TEXT,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- Where and why a flow waited: one row for each output port and class on its path; only
-- with `record.why`.  The sender's own port is the first.  There one packet at a time is next, so
-- the times are elapsed simulated time.  At a switch a packet waits from its arrival, or from the
-- end of the pipeline or crossbar before its output, until its first bit leaves; times are summed
-- over all packets.  The cause at an instant is the first of these that applies: pause, credit,
-- rate, control, queue.
CREATE TABLE wait (
    run        INTEGER NOT NULL REFERENCES run,
    id         INTEGER NOT NULL,
    flow       INTEGER NOT NULL,
    port       INTEGER NOT NULL,        -- The output port of its packets.
    class      INTEGER NOT NULL,
    n_packets  INTEGER NOT NULL,        -- Number of packets that left through the port, were dropped
                                        -- there, or still wait.
    first_ps   INTEGER NOT NULL,        -- Time when the first of them began to wait.
    last_ps    INTEGER NOT NULL,        -- Time when the last of them left, or the end of the run, if
                                        -- it still waits.  The next five columns are sums over all
                                        -- packets; at the sender, where one packet at a time is
                                        -- next, they are simulated time.  Divided by n_packets they
                                        -- are the mean per packet.
    pause_ps   INTEGER NOT NULL,        -- Time waited for the end of a pause or hold.
    credit_ps  INTEGER NOT NULL,        -- Time waited for credit.
    rate_ps    INTEGER NOT NULL,        -- Time waited because of a rate that the peer requested.
    control_ps INTEGER NOT NULL,        -- At the sender: time waited because of the flow's own rate or window; elsewhere 0.
    queue_ps   INTEGER NOT NULL,        -- Time waited for earlier packets of any flow, and for control frames.
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A violation, in words: an event that must not happen, such as dropped packets of a lossless
-- class.
CREATE TABLE violation (
    run   INTEGER NOT NULL REFERENCES run,
    id    INTEGER NOT NULL,
    at_ps INTEGER,
    what  TEXT NOT NULL,
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A time series: a quantity that is sampled.  All series of a run are sampled at the same instants; their
-- values are the columns of the blocks below, in the order of their ids.
CREATE TABLE series (
    run       INTEGER NOT NULL REFERENCES run,
    id        INTEGER NOT NULL,
    quantity  TEXT NOT NULL,            -- queue (at an input), output (at an output), passing (inside a switch, between
                                        -- the two), held (of one flow at an input).  Ports: sent, rate, paused, credit.
                                        -- Flows: sent, received, limit (by engines at the sender), messages (that the
                                        -- sender has heard), pace, window (by the transport).
    unit      TEXT NOT NULL,            -- bytes, bps, ps, messages
    object    TEXT NOT NULL,            -- As in counter.
    object_id INTEGER,
    class     INTEGER,
    flow      INTEGER,                  -- Only packets of this flow; NULL: of all flows.
    PRIMARY KEY (run, id)
) WITHOUT ROWID;

-- A block: `n_rows` consecutive samples of all series of the run, from first_ps to last_ps.  `bytes` is
-- one zstd frame.  It holds 1 + (number of series) columns, first the times in picoseconds, then
-- the series by id; values are unsigned 64-bit integers, little-endian.  A column is
--
--     first   8 bytes   the first value
--     grain   8 bytes   every step from one value to the next is a multiple of this
--     width   1 byte    0 to 8
--     planes  width times n_rows - 1 bytes: the lowest byte of every step, then the next of every step ...
--
-- A step is stored as twice its size in grains, less 1 if it goes down: 0, -1, 1, -2 as 0, 1, 2, 3;
-- sums are modulo 2^64.  A width of 0 means that the value never changes.  src/record/series.h gives the
-- reasons, and doc/results.md reads it in twenty lines of Python.
CREATE TABLE block (
    run      INTEGER NOT NULL REFERENCES run,
    id       INTEGER NOT NULL,
    first_ps INTEGER NOT NULL,
    last_ps  INTEGER NOT NULL,
    n_rows   INTEGER NOT NULL,
    bytes    BLOB NOT NULL,
    PRIMARY KEY (run, id)
);

-- A sweep: the runs of a study, numbered by `id` in `summary` from 0 in the order of the product of its
-- axes, the last axis running fastest.  Sweeps with equal hashes are the same study of the same scenario
-- by the same build; shards of one sweep, each in a file of its own, have the same hash.
CREATE TABLE sweep (
    id         INTEGER PRIMARY KEY,     -- Counts from 1 in the whole file.
    name       TEXT NOT NULL,
    study      TEXT NOT NULL,           -- The axes of the study, and the complete scenario of one
                                        -- run.
    hash       TEXT NOT NULL UNIQUE,
    build      TEXT NOT NULL,
    started_at TEXT NOT NULL,           -- UTC.
    n_runs     INTEGER NOT NULL,        -- Runs of all shards; those that are finished are in summary.
    units      TEXT                     -- JSON: units of the measures of the study, {"victim": "bps"}; NULL: it has none.
);

-- One run of a sweep.  Status:
--
--     complete   it ran to its end
--     stopped    it ended at a deadlock, as the study asks for (`stop`)
--     skipped    the study leaves it out (`only`)
--     refused    it cannot run with its settings; `why` says why
--     failed     its process crashed; it is run again when the sweep is resumed
CREATE TABLE summary (
    sweep               INTEGER NOT NULL REFERENCES sweep,
    id                  INTEGER NOT NULL,
    settings            TEXT NOT NULL,  -- JSON: {"engine": "pfc", "run.seed": "17"}; variants by their names
    status              TEXT NOT NULL
                        CHECK (status IN ('complete', 'stopped', 'skipped', 'refused', 'failed')),
    why                 TEXT,
    wall_s              REAL,           -- Real time that the run took, in seconds.
    @run-facts@
    measures            TEXT,           -- JSON: measures of the study, {"victim": 5e+09}; null: the run
                                        -- does not have it; NULL: the study has none.
    PRIMARY KEY (sweep, id)
) WITHOUT ROWID;

-- Completion times of one run of a sweep, as in `workload`.
CREATE TABLE summary_workload (
    sweep                 INTEGER NOT NULL REFERENCES sweep,
    id                    INTEGER NOT NULL,  -- 65 times summary, plus workload.
    summary               INTEGER NOT NULL,  -- The id of the run in summary.
    workload              INTEGER NOT NULL,  -- 0: all measured flows; else its number.
    name                  TEXT NOT NULL,
    @workload-facts@
    PRIMARY KEY (sweep, id)
) WITHOUT ROWID;

-- A statement of a paper, and the verdict of `weir reproduce` on it: the scorecard, in the order of the paper.
CREATE TABLE statement (
    id          INTEGER PRIMARY KEY,
    study       TEXT NOT NULL,          -- The paper: "gfc".
    paper       TEXT,                   -- Its title, with authors, where and when: as a study cites it.
    name        TEXT NOT NULL,          -- As one asks `weir reproduce` for it: "fig9".
    source      TEXT NOT NULL,          -- Where the paper says it: "6.1.2, Fig. 9".
    says        TEXT NOT NULL,          -- The statement, in a sentence.
    in_file     TEXT NOT NULL,          -- The study or plan that measures it; empty: not tested.
    engine      TEXT NOT NULL,          -- The engine, variant or scheme that it is about.
    what        TEXT NOT NULL,          -- The quantity, as in claim.
    metric      TEXT NOT NULL,          -- The same as a metric of its study: "query.fct_p99_ps"; or empty.
    runs        TEXT NOT NULL,          -- The settings that its runs share, separated by tabs:
                                        -- "scheme=pfc".
    against     TEXT NOT NULL,          -- If not empty: the value is a ratio to the result for this
                                        -- value of the first setting.
    unit        TEXT NOT NULL,          -- As in claim; for yes and no the share of runs with yes.
    sign        TEXT NOT NULL,          -- How the published value is meant: =, < or >.
    published   REAL,                   -- NULL: not tested.
    measured    REAL,                   -- In the median run.
    lowest      REAL,                   -- The range of single runs; NULL: single runs do not have it.
    highest     REAL,
    n_runs      INTEGER NOT NULL,
    is_sample   INTEGER NOT NULL,       -- 1 if only a part of the study's seeds was run, else 0.
    verdict     TEXT NOT NULL,          -- holds, stronger, direction, no, not tested; empty: not run.
    why         TEXT NOT NULL,          -- The reason for a difference, or for not testing; or
                                        -- empty.
    build       TEXT NOT NULL
);

-- A claim of a paper, and the value that `weir reproduce` measured: one row for each arbitration.
CREATE TABLE claim (
    id          INTEGER PRIMARY KEY,
    study       TEXT NOT NULL,          -- The paper: "gfc".
    scenario    TEXT NOT NULL,          -- The scenario or study that was run, and the selected
                                        -- runs: "sizes, tree=thin".
    is_sample   INTEGER NOT NULL,       -- 1 if only a sample of its runs was run, else 0.
    source      TEXT NOT NULL,          -- Where the paper says it: "6.1.2, Fig. 9".
    engine      TEXT NOT NULL,          -- The engine, or the variant of the study that the claim is about.
    what        TEXT NOT NULL,          -- "goodput of F1"
    unit        TEXT NOT NULL,          -- yes (1) or no (0), bps, bytes, B, ps, share, times, networks, packets, flows, runs,
                                        -- messages, per second
    arbitration TEXT NOT NULL,          -- Empty: computed, not simulated.
    sign        TEXT NOT NULL,          -- How the published value is meant: =, < or >.
    published   REAL NOT NULL,
    measured    REAL,
    lowest      REAL,                   -- The minimum of the quantity in single runs; NULL: single runs do not have it.
    highest     REAL,                   -- The maximum of the quantity in single runs; NULL: single runs do not have it.
    holds       INTEGER,                -- 1 or 0; NULL: too little was run to judge.
    n_runs      INTEGER NOT NULL,       -- Number of runs on which the measured value is based.
    build       TEXT NOT NULL
);

-- A figure of a paper, as the study defines it: a quantity of ports, flows, hosts or switches over
-- time, flows that have ended, a metric of sweeps, or the values of statements.  Several rows with
-- one name are its parts.
CREATE TABLE figure (
    id            INTEGER PRIMARY KEY,
    study         TEXT NOT NULL,        -- As in claim.
    name          TEXT NOT NULL,        -- As one asks `weir reproduce` for it: "fig9".
    source        TEXT NOT NULL,        -- As in claim.
    title         TEXT NOT NULL,
    scenario      TEXT NOT NULL,        -- The name of the first scenario, or study, that is drawn.
    quantity      TEXT NOT NULL,        -- As in series; for flows that have ended slowdown or fct;
                                        -- for a sweep a metric.
    object        TEXT NOT NULL CHECK (object IN ('port', 'flow', 'hosts', 'switch', 'flows', 'sizes', 'sweep', 'statement')),
    -- One line each, with tabs between its parts.  Runs: name, first engine (empty: any), arbitration (empty: any),
    -- name of the line, name of the panel.  Sweeps: name of the group, study, metric.
    drawn         TEXT NOT NULL,
    subjects      TEXT NOT NULL,        -- One line each: name of the line, "S1 H1" or name of the object, flow.
    by_setting    TEXT NOT NULL,        -- Sweeps: the setting of the x axis; empty: the groups.
    line_setting  TEXT NOT NULL,        -- Sweeps: the setting with a line for each value; empty: none.
    panel_setting TEXT NOT NULL,        -- Sweeps: the setting with a panel for each value; empty: none.
    filters       TEXT NOT NULL,        -- The drawn values, in order: setting, value, name.
    published     TEXT NOT NULL,        -- Values in figures.yaml: name on the x axis, name of the
                                        -- line, value.
    relative      TEXT NOT NULL,        -- Values are divided by the minimum of each group, or by the line of this name.
    draw          TEXT NOT NULL CHECK (draw IN ('', 'bars', 'lines', 'cdf', 'table')),
    x_title       TEXT NOT NULL,        -- Empty: the name of the drawn quantity.
    y_title       TEXT NOT NULL
);
