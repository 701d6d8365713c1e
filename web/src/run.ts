// A run: its network, flows and events, and access to its samples.

import { Samples } from "./samples";
import { Values } from "./facts";
import { spoken } from "./names";
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
    peer: number; // -1: the port has no peer.
    rateBps: number;
    isDown: boolean; // The link failed before the run, and is never used.
    end: string; // The name of the node, "S1"; or of the port, "S1:2", if several links join the node and its peer.
    name: string; // The name of the link, such as "S1 → S2".
}

export interface Flow {
    id: number;
    name: string;
    from: number;
    to: number;
    bytes: number; // NaN: the flow is endless.
    startPs: number;
    finishedPs: number; // NaN: the flow has not finished.
    stoppedPs: number; // NaN: the flow was not stopped early.
    receivedBytes: number;
    slowdown: number;
    goodputBps: number;
    lateBps: number; // Goodput in the second half of the run.
    path: number[]; // The ids of ports; empty if the path is unknown.
    isWarmUp: boolean; // The flow is excluded from statistics.
    neverStarted: boolean;
    isConnection: boolean; // It carries messages of a job, and has no size and no end.
}

export interface RunEvent {
    atPs: number;
    kind: string;
    port: number; // NaN: the event has no port.
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

// A parameter of an engine at some nodes, with its derived value.
export interface EngineParameter {
    role: string;
    node: string; // The first of these nodes.
    nNodes: number;
    name: string; // Such as "pfc.xoff".
    text: string;
}

export interface WorstFlow {
    name: string;
    id: number;
    why: string | null; // The cause that blocked it longest; null: not recorded.
    workload: string | null;
    bytes: number;
    state: "finished" | "unfinished";
    fct_at_least_ps: number; // The completion time so far, if the flow has not finished.
    ideal_ps: number;
    slowdown_at_least: number | null; // The slowdown so far, if the flow has not finished.
    retransmitted_bytes: number;
}

// The first entry of 'workloads' has all flows.
export interface CompletionTable {
    workloads: (Values & { name: string })[];
    sizes: (Values & { from_bytes: number; to_bytes: number })[];
    worst: WorstFlow[];
    cdf: number[]; // Slowdowns at equal steps of the share of flows.
}

// Problems of one kind, counted over all its events.
export interface Trouble {
    kind: string;
    n: number;
    first_ps: number;
    last_ps: number;
    n_ports: number; // The number of ports at which it happened.
    port?: number; // The port at which it happened most often.
    n_there?: number; // The number of times that it happened at this port.
    bin_ps: number; // The length of a bin; 'bins' counts the events over time.
    bins: number[];
}

// Hotspots over the whole run: the link with the highest utilization, and the link that was paused longest.
export interface Hotspots {
    link?: { port: number; share: number };
    paused?: { port: number; class: number; n_pfc_pauses: number | null; n_fafc_pauses: number | null; share: number; n_ports: number };
}

// A run as the server or the report has it. It includes the facts of the run, which are null before its end.
export interface RawRun extends Values {
    file: string;
    label: string;
    is_labelled: boolean; // The user gave the label.
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
    wall_s: number | null;
    results_hash: string | null;
    control_bytes: number;
    n_recorded_flows: number;
    n_events: number;
    why: RawWhy | null; // Null: waits were not recorded.
    completion: CompletionTable;
    troubles: Trouble[];
    hotspots: Hotspots;
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
    cls: number; // NaN: all classes.
    flow: number; // NaN: all flows.
}

export class Run {
    readonly nodes: Place[];
    readonly ports: Port[];
    readonly flows: Flow[];
    readonly events: RunEvent[];
    readonly settings: Setting[];
    readonly engineParameters: EngineParameter[];
    readonly violations: { atPs: number; what: string }[];
    private readonly series = new Map<string, SeriesKey[]>();
    private readonly counters = new Map<string, { sum: number; maximum: number }>();
    readonly quantities: Set<string>;
    private readonly sampled = new Set<number>(); // The ids of sampled ports.

    constructor(readonly raw: RawRun, readonly samples: Samples, readonly index: number) {
        this.nodes = readNodes(new Table(raw.nodes));
        this.events = readEvents(new Table(raw.events));
        this.ports = readPorts(new Table(raw.ports), this.nodes, this.events);
        this.flows = readFlows(new Table(raw.flows));
        this.settings = readSettings(new Table(raw.parameters));
        this.engineParameters = readEngineParameters(new Table(raw.engine_parameters), this.nodes);
        this.violations = readViolations(new Table(raw.violations));
        const series = new Table(raw.series);
        this.quantities = this.readSeries(series);
        this.readCounters(new Table(raw.counters));
    }

    // A name that distinguishes this run from the others (nameRuns()).
    label = "";

    // Loads more samples of some series in a part of the time, if there is a server.
    finer: ((ids: number[], fromPs: number, toPs: number) => Promise<Samples>) | null = null;

    // If the page has only some of the flows, a text that says which, such as "the first 20,000 of 89,240 flows".
    get partOfFlows(): string | null {
        const n = (v: number): string => v.toLocaleString("en");
        return this.flows.length < this.raw.n_recorded_flows
            ? `the first ${n(this.flows.length)} of ${n(this.raw.n_recorded_flows)} flows` : null;
    }

    // A flow by its number. If the page does not have the flow, the result has only the number.
    flowAt(id: number): Flow {
        return this.flows[id] ?? {
            id, name: `flow ${id}`, from: NaN, to: NaN, bytes: NaN, startPs: NaN, finishedPs: NaN, stoppedPs: NaN,
            receivedBytes: NaN, slowdown: NaN, goodputBps: NaN, lateBps: NaN, path: [], isWarmUp: false, neverStarted: false, isConnection: false,
        };
    }

    get hasPortSamples(): boolean {
        return this.sampled.size > 0;
    }

    isSampled(port: Port): boolean {
        return this.sampled.has(port.id);
    }

    get untilPs(): number {
        return this.raw.until_ps ?? this.samples.lastPs;
    }

    get isGoingOn(): boolean {
        return this.raw.status === "running";
    }

    // Whether the facts of the run are known, because it has ended or was stopped.
    get hasResults(): boolean {
        return ["complete", "stopped"].includes(this.raw.status) && this.raw.n_finite !== null;
    }

    setting(section: string, key: string): string | undefined {
        return this.settings.find((s) => s.section === section && s.key === key)?.value;
    }

    seriesOf(quantity: string, object: string, id: number): SeriesKey[] {
        return this.series.get(`${quantity} ${object} ${id}`) ?? [];
    }

    // A counter of an object, summed over classes.
    counter(object: string, id: number, name: string): number {
        return this.counters.get(`${object} ${id} ${name}`)?.sum ?? 0;
    }

    // The maximum of a counter over classes; null: there is no such counter.
    maximum(object: string, id: number, name: string): number | null {
        return this.counters.get(`${object} ${id} ${name}`)?.maximum ?? null;
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
            if (object[id] === "port") {
                this.sampled.add(of[id]!);
            }
        }
        return new Set(quantity);
    }

    private readCounters(t: Table): void {
        const object = t.texts("object"), name = t.texts("name");
        const of = t.numbers("object_id"), value = t.numbers("value");
        for (let i = 0; i < t.n; i++) {
            const key = `${object[i]} ${of[i]} ${name[i]}`;
            const { sum, maximum } = this.counters.get(key) ?? { sum: 0, maximum: 0 };
            this.counters.set(key, { sum: sum + value[i]!, maximum: Math.max(maximum, value[i]!) });
        }
    }
}

// The name of a run, such as "run 3: buffer-based GFC": its number in the file, and its differences from other runs
// there. A label is shown as the user wrote it.
export function numbered(id: number, name: string, isLabelled = false): string {
    return `run ${id}: ${isLabelled ? name : spoken(name)}`;
}

// Sets the labels of runs. Runs of different files may have the same number, so their names include the file.
export function nameRuns(runs: Run[]): void {
    const areSeveral = new Set(runs.map((r) => r.raw.file)).size > 1;
    for (const run of runs) {
        run.label = (areSeveral ? `${run.raw.file} ` : "") + numbered(run.raw.id, run.raw.label, run.raw.is_labelled);
    }
}

function readNodes(t: Table): Place[] {
    const name = t.texts("name"), kind = t.texts("kind");
    return name.map((n, id) => ({ id, name: n, isSwitch: kind[id] === "switch", ports: [] }));
}

// Lists the ports that share their node and its peer with another port.
function parallelPorts(ports: Port[]): Port[] {
    const pair = (p: Port): string => `${p.node} ${ports[p.peer]?.node ?? `none ${p.id}`}`;
    const counts = new Map<string, number>();
    ports.forEach((p) => counts.set(pair(p), (counts.get(pair(p)) ?? 0) + 1));
    return ports.filter((p) => counts.get(pair(p))! > 1);
}

// Reads the ports. A file may be corrupt, so invalid references are left out.
function readPorts(t: Table, nodes: Place[], events: RunEvent[]): Port[] {
    const node = t.numbers("node"), peer = t.numbers("peer"), rate = t.numbers("rate_bps"), number = t.numbers("number");
    const down = new Set(events.filter((e) => e.kind === "link-down" && e.atPs === 0).map((e) => e.port));
    const leads = (id: number): boolean => !!nodes[node[id]!] && !!nodes[node[peer[id]!]!];
    const ports = Array.from(node, (n, id): Port => ({
        id, node: n, peer: leads(id) ? peer[id]! : -1, rateBps: rate[id]!, isDown: down.has(id), end: nodes[n]?.name ?? "?", name: "",
    }));
    ports.forEach((p) => nodes[p.node]?.ports.push(p.id));
    for (const p of parallelPorts(ports)) {
        p.end += `:${number[p.id]}`;
    }
    ports.forEach((p) => (p.name = `${p.end} → ${ports[p.peer]?.end ?? "?"}`));
    return ports;
}

function readFlows(t: Table): Flow[] {
    const name = t.texts("name"), path = t.texts("path");
    const from = t.numbers("from_node"), to = t.numbers("to_node"), size = t.numbers("bytes");
    const start = t.numbers("start_ps"), end = t.numbers("finished_ps");
    const received = t.numbers("received_bytes"), late = t.numbers("late_goodput_bps");
    const slowdown = t.numbers("slowdown"), goodput = t.numbers("goodput_bps");
    const stopped = t.numbers("stopped_ps"), warmUp = t.numbers("is_warm_up"), connection = t.numbers("is_connection");
    return name.map((n, id) => ({
        id, name: n, from: from[id]!, to: to[id]!, bytes: size[id]!, startPs: start[id]!, finishedPs: end[id]!,
        stoppedPs: stopped[id]!, receivedBytes: received[id]!, slowdown: slowdown[id]!, goodputBps: goodput[id]!, lateBps: late[id]!,
        path: path[id] ? path[id]!.split(" ").map(Number) : [], isWarmUp: warmUp[id] === 1,
        isConnection: connection[id] === 1,
        neverStarted: connection[id] !== 1 && Number.isNaN(warmUp[id]!) && !Number.isNaN(received[id]!),
    }));
}

function readEvents(t: Table): RunEvent[] {
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
