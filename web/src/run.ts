// A run as the page knows it: the network, flows, events, and where its samples are.

import { Samples } from "./samples";
import { RawWhy } from "./flow-waits";
import { RawTable, Table } from "./table";

export interface Place {
    id: number;
    name: string;
    isSwitch: boolean;
    ports: number[];
}

export interface Port {
    id: number;
    node: number;
    peer: number; // -1: none.
    rateBps: number;
    isDown: boolean; // Never used.
    name: string; // "S1 → S2": its packets go there.
}

export interface Flow {
    id: number;
    name: string;
    from: number;
    to: number;
    bytes: number; // NaN: without end.
    startPs: number;
    idealPs: number;
    finishedPs: number; // NaN: not yet.
    lastPs: number; // Its last packet so far.
    stoppedPs: number; // NaN: it was not stopped before its end.
    receivedBytes: number;
    lateBps: number;
    path: number[]; // Ports; empty if not known.
    isWarmUp: boolean; // Statistics do not count it.
    neverStarted: boolean;
}

export interface Happening {
    atPs: number;
    kind: string;
    port: number; // NaN: none.
    cls: number;
    flow: number;
    value: number;
    text: string;
}

export interface Setting {
    section: string;
    key: string;
    value: string;
    origin: string;
}

// The parameters of the engines of some nodes, derived values worked out.
export interface EngineParameter {
    role: string;
    node: string; // The first of those nodes.
    nNodes: number;
    name: string; // "pfc.xoff"
    text: string;
}

// Completion of a group of measured flows that have a size; null: not known.
export interface Completion {
    flows: number;
    ended: number;
    unfinished: number;
    fct_mean_s: number | null;
    fct_p50_s: number | null;
    fct_p95_s: number | null;
    fct_p99_s: number | null;
    fct_max_s: number | null;
    fct_max_at_least_s: number | null;
    slowdown_mean: number | null;
    slowdown_p50: number | null;
    slowdown_p95: number | null;
    slowdown_p99: number | null;
    slowdown_max: number | null;
    sent_bytes: number;
    sent_again_bytes: number;
}

export interface WorstFlow {
    name: string;
    id: number;
    why: string | null; // The cause that blocked it longest; null: not recorded.
    workload: string | null;
    bytes: number;
    state: "finished" | "unfinished";
    taken_s: number; // So far, if it has not finished.
    ideal_s: number;
    slowdown: number | null;
    sent_again_bytes: number;
}

// The first of the workloads is all flows.
export interface CompletionTable {
    workloads: (Completion & { name: string })[];
    sizes: (Completion & { from_bytes: number; to_bytes: number })[];
    worst: WorstFlow[];
    cdf: number[]; // Slowdowns, in steps of equal shares of flows.
}

// Sums over all flows and ports of the run, however many of them the page has.
export interface Totals {
    flows: number;
    measured: number; // Flows that completion times are of,
    finished: number | null; // and those of them that have ended; null, as below: the run has not come to its end.
    aside: { why: string; words: string; flows: number }[]; // All others.
    sent_bytes: number | null;
    sent_again_bytes: number | null;
    received_bytes: number | null;
    late_goodput_least_bps?: number; // For unfinished flows, in the second half of the run.
    late_goodput_most_bps?: number;
    not_arrived: { cause: string; words: string; packets: number }[]; // Empty: not counted yet.
    peak_input_queue_bytes?: number | null;
    peak_output_queue_bytes?: number | null;
    paused_s?: number | null; // Over all links; null: nothing in this run can pause.
    pfc_pauses?: number | null; // Messages of flow and congestion control; null: in this run there can be none,
    fafc_pauses?: number | null;
    link_start_waits?: number | null;
    rate_changes?: number | null;
    marks?: number | null; // packets marked (ECN),
    cnps?: number | null;
    silent?: { queues: number; flows: number; hosts: number; since_ps?: number }; // Blocked in the last tenth of the run.
    messages_sent?: number; // To senders, about congestion, where engines send such,
    messages_heard?: number; // and those that have come there.
    tau?: { kind: "measured" | "estimated"; most_ps: number; derived_ps: number }; // For a lab.
}

// Problems, counted over all events of one kind.
export interface Trouble {
    kind: string;
    n: number;
    first_ps: number;
    last_ps: number;
    n_ports: number; // At which it happened,
    port?: number; // the one where it happened most,
    n_there?: number; // and how often there.
    bin_ps: number; // Over time: how often in each part of this length.
    bins: number[];
}

// Over the whole run: the link with the largest share of its rate, and the one that was paused the longest.
export interface Busiest {
    link?: { port: number; share: number };
    paused?: { port: number; class: number; pfc_pauses: number | null; fafc_pauses: number | null; share: number; n_ports: number };
}

export interface RawRun {
    file: string;
    label: string;
    id: number;
    name: string;
    scenario: string;
    seed: string;
    engines: string;
    arbitration: string;
    host: string; // "simulator", "lab" or "virtual lab".
    build: string;
    started_at: string;
    status: string;
    until_ps: number | null;
    wall_s: number | null;
    results_hash: string | null;
    n_hops: number | null;
    control_bytes: number;
    n_flows: number;
    n_events: number;
    totals: Totals;
    why: RawWhy | null; // Null: not recorded.
    completion: CompletionTable;
    happenings: Trouble[];
    busiest: Busiest;
    parameters: RawTable;
    engine_parameters: RawTable;
    nodes: RawTable;
    ports: RawTable;
    flows: RawTable;
    workloads: RawTable;
    counters: RawTable;
    events: RawTable;
    violations: RawTable;
    series: RawTable;
}

export interface SeriesKey {
    id: number;
    cls: number; // NaN: of all.
    flow: number; // NaN: of all.
}

export class Run {
    readonly nodes: Place[];
    readonly ports: Port[];
    readonly flows: Flow[];
    readonly events: Happening[];
    readonly settings: Setting[];
    readonly engineParameters: EngineParameter[];
    readonly violations: { atPs: number; what: string }[];
    private readonly series = new Map<string, SeriesKey[]>();
    private readonly counters = new Map<string, number>();
    readonly quantities: Set<string>;

    constructor(readonly raw: RawRun, readonly samples: Samples, readonly index: number) {
        this.nodes = readNodes(new Table(raw.nodes));
        this.events = readEvents(new Table(raw.events));
        this.ports = readPorts(new Table(raw.ports), this.nodes, this.events);
        this.flows = readFlows(new Table(raw.flows));
        this.settings = readSettings(new Table(raw.parameters));
        this.engineParameters = readEngineParameters(new Table(raw.engine_parameters), this.nodes);
        this.violations = readViolations(new Table(raw.violations));
        this.quantities = this.readSeries(new Table(raw.series));
        this.readCounters(new Table(raw.counters));
    }

    // A name that distinguishes this run from the others: see nameRuns().
    label = "";

    // More of the samples of some series in a part of the time, where there is someone to ask.
    finer: ((ids: number[], fromPs: number, toPs: number) => Promise<Samples>) | null = null;

    // Where the page has only some of the flows, which: "the first 20,000 of 89,240 flows".
    get partOfFlows(): string | null {
        const n = (v: number): string => v.toLocaleString("en");
        return this.flows.length < this.raw.n_flows ? `the first ${n(this.flows.length)} of ${n(this.raw.n_flows)} flows` : null;
    }

    // A flow by its number; of one that the page does not have, no more than that.
    flowAt(id: number): Flow {
        return this.flows[id] ?? {
            id, name: `flow ${id}`, from: NaN, to: NaN, bytes: NaN, startPs: NaN, idealPs: NaN, finishedPs: NaN,
            lastPs: NaN, stoppedPs: NaN,
            receivedBytes: NaN, lateBps: NaN, path: [], isWarmUp: false, neverStarted: false,
        };
    }

    get untilPs(): number {
        return this.raw.until_ps ?? this.samples.lastPs;
    }

    get isGoingOn(): boolean {
        return this.raw.status === "running";
    }

    setting(section: string, key: string): string | undefined {
        return this.settings.find((s) => s.section === section && s.key === key)?.value;
    }

    seriesOf(quantity: string, object: string, id: number): SeriesKey[] {
        return this.series.get(`${quantity} ${object} ${id}`) ?? [];
    }

    // The sum over classes.
    counter(object: string, id: number, name: string): number {
        return this.counters.get(`${object} ${id} ${name}`) ?? 0;
    }

    flowsOver(port: number): Flow[] {
        return this.flows.filter((f) => f.path.includes(port));
    }

    portNamed(name: string): Port | undefined {
        return this.ports.find((p) => p.name === name);
    }

    private readSeries(t: Table): Set<string> {
        const quantity = t.texts("quantity"), object = t.texts("object");
        const of = t.numbers("object_id"), cls = t.numbers("class"), flow = t.numbers("flow");
        for (let id = 0; id < t.n; id++) {
            const key = `${quantity[id]} ${object[id]} ${of[id]}`;
            const list = this.series.get(key) ?? [];
            list.push({ id, cls: cls[id]!, flow: flow[id]! });
            this.series.set(key, list);
        }
        return new Set(quantity);
    }

    private readCounters(t: Table): void {
        const object = t.texts("object"), name = t.texts("name");
        const of = t.numbers("object_id"), value = t.numbers("value");
        for (let i = 0; i < t.n; i++) {
            const key = `${object[i]} ${of[i]} ${name[i]}`;
            this.counters.set(key, (this.counters.get(key) ?? 0) + value[i]!);
        }
    }
}

// "run 3: gfc-buffer": its number in the file and the differences there, as everywhere.
export function numbered(id: number, name: string): string {
    return `run ${id}: ${name}`;
}

// Runs of several files have the same numbers: then the name has the file, too.
export function nameRuns(runs: Run[]): void {
    const areSeveral = new Set(runs.map((r) => r.raw.file)).size > 1;
    for (const run of runs) {
        run.label = (areSeveral ? `${run.raw.file} ` : "") + numbered(run.raw.id, run.raw.label);
    }
}

function readNodes(t: Table): Place[] {
    const name = t.texts("name"), kind = t.texts("kind");
    return name.map((n, id) => ({ id, name: n, isSwitch: kind[id] === "switch", ports: [] }));
}

// A file may be corrupt: references that lead nowhere are left out.
function readPorts(t: Table, nodes: Place[], events: Happening[]): Port[] {
    const node = t.numbers("node"), peer = t.numbers("peer"), rate = t.numbers("rate_bps");
    const down = new Set(events.filter((e) => e.kind === "link-down" && e.atPs === 0).map((e) => e.port));
    const leads = (id: number): boolean => !!nodes[node[id]!] && !!nodes[node[peer[id]!]!];
    const ports = Array.from(node, (n, id): Port => ({
        id, node: n, peer: leads(id) ? peer[id]! : -1, rateBps: rate[id]!, isDown: down.has(id), name: "",
    }));
    for (const p of ports) {
        nodes[p.node]?.ports.push(p.id);
        p.name = `${nodes[p.node]?.name ?? "?"} → ${nodes[ports[p.peer]?.node ?? -1]?.name ?? "?"}`;
    }
    return ports;
}

function readFlows(t: Table): Flow[] {
    const name = t.texts("name"), path = t.texts("path");
    const from = t.numbers("from_node"), to = t.numbers("to_node"), size = t.numbers("bytes");
    const start = t.numbers("start_ps"), ideal = t.numbers("ideal_ps"), end = t.numbers("finished_ps");
    const received = t.numbers("received_bytes"), late = t.numbers("late_bps");
    const last = t.numbers("last_ps"), stopped = t.numbers("stopped_ps"), warmUp = t.numbers("is_warm_up");
    return name.map((n, id) => ({
        id, name: n, from: from[id]!, to: to[id]!, bytes: size[id]!, startPs: start[id]!, idealPs: ideal[id]!,
        finishedPs: end[id]!, lastPs: last[id]!, stoppedPs: stopped[id]!, receivedBytes: received[id]!, lateBps: late[id]!,
        path: path[id] ? path[id]!.split(" ").map(Number) : [], isWarmUp: warmUp[id] === 1,
        neverStarted: Number.isNaN(warmUp[id]!) && !Number.isNaN(received[id]!),
    }));
}

function readEvents(t: Table): Happening[] {
    const at = t.numbers("at_ps"), kind = t.texts("kind"), port = t.numbers("port");
    const flow = t.numbers("flow"), value = t.numbers("value"), text = t.texts("text"), cls = t.numbers("class");
    return kind.map((k, i) => ({
        atPs: at[i]!, kind: k, port: port[i]!, cls: cls[i]!, flow: flow[i]!, value: value[i]!, text: text[i]!,
    }));
}

function readSettings(t: Table): Setting[] {
    const section = t.texts("section"), key = t.texts("key"), value = t.texts("value"), origin = t.texts("origin");
    return key.map((k, i) => ({ section: section[i]!, key: k, value: value[i]!, origin: origin[i]! }));
}

function readEngineParameters(t: Table, nodes: Place[]): EngineParameter[] {
    const role = t.texts("role"), node = t.numbers("node"), nNodes = t.numbers("n_nodes");
    const engine = t.texts("engine"), text = t.texts("text");
    return t.texts("key").map((k, i) => ({
        role: role[i]!, node: nodes[node[i]!]!.name, nNodes: nNodes[i]!, name: `${engine[i]}.${k}`, text: text[i]!,
    }));
}

function readViolations(t: Table): { atPs: number; what: string }[] {
    const at = t.numbers("at_ps");
    return t.texts("what").map((what, i) => ({ atPs: at[i]!, what }));
}
