// The server of this page. src/web/web.h describes its requests and responses.

import { PaperFile, RawPaper } from "./papers";
import { RawRun } from "./run";
import { RawSamples } from "./samples";
import { RawSweep } from "./sweep-group";

export interface Listed {
    id: number;
    label: string;
    name: string;
    engines: string;
    arbitration: string;
    status: string;
    started_at: string;
}

export interface Job {
    job: number;
    scenario: string;
    results: string;
    settings: string;
    status: "running" | "ended" | "killed";
    code: number | null; // Null: the process is running, or was killed.
    said: string;
}

export interface Folder {
    files: (PaperFile & { runs?: Listed[]; sweeps?: { id: number; name: string; done: number }[]; error?: string })[];
    scenarios: string[];
    jobs: Job[];
}

export interface Value {
    key: string;
    value: string;
    origin: string;
    help: string;
    kind: string;
    may_be_auto: boolean;
    may_be_off: boolean;
    choices?: string[];
    min?: string;
    max?: string;
}

// A parameter of a plug-in, which is a traffic pattern or an engine.
export interface PatternField {
    name: string;
    help: string;
    default_text: string | null;
    choices?: string[];
}

export interface Pattern {
    name: string;
    title: string;
    parameters: PatternField[];
    keys?: { name: string; help: string }[];
}

export interface Traffic {
    flows: number; // Flows that the scenario lists.
    workload: string[]; // The traffic patterns of the scenario.
    patterns: Pattern[]; // All traffic patterns.
    engines: Pattern[]; // All engines.
}

export type FormValues = Traffic & { name: string; values: Value[] };

// An error of the server, and the setting that caused it, if there is one.
export class Refusal extends Error {
    constructor(text: string, readonly key: string | null) {
        super(text);
    }
}

export class Server {
    private readonly token = new URLSearchParams(location.search).get("token");

    state(): Promise<Folder> {
        return this.ask("state", {}) as Promise<Folder>;
    }

    run(file: string, run: number): Promise<RawRun> {
        return this.ask("run", { file, run: String(run) }) as Promise<RawRun>;
    }

    samples(file: string, run: number): Promise<RawSamples> {
        return this.ask("samples", { file, run: String(run) }) as Promise<RawSamples>;
    }

    sweep(file: string, sweep: number): Promise<RawSweep> {
        return this.ask("sweep", { file, sweep: String(sweep) }) as Promise<RawSweep>;
    }

    claims(file: string): Promise<RawPaper> {
        return this.ask("claims", { file }) as Promise<RawPaper>;
    }

    part(file: string, run: number, ids: number[], fromPs: number, toPs: number): Promise<RawSamples> {
        return this.ask("samples", { file, run: String(run), ids: ids.join(","), from: String(Math.floor(fromPs)),
            to: String(Math.ceil(toPs)) }) as Promise<RawSamples>;
    }

    form(scenario: string): Promise<FormValues> {
        return this.ask("form", { scenario }) as Promise<FormValues>;
    }

    start(scenario: string, results: string, sets: string[]): Promise<unknown> {
        const query = new URLSearchParams({ scenario, results });
        sets.forEach((s) => query.append("set", s));
        return this.fetch(`start?${query}`, "POST");
    }

    stop(job: number): Promise<unknown> {
        return this.fetch(`stop?job=${job}`, "POST");
    }

    // Reports changes, and whether the server is available.
    watch(changed: () => void, isThere: (there: boolean) => void): void {
        const query = this.token ? `?token=${encodeURIComponent(this.token)}` : "";
        const events = new EventSource(`api/changes${query}`);
        events.onopen = () => isThere(true);
        events.onmessage = changed;
        events.onerror = () => isThere(false);
    }

    private ask(what: string, query: Record<string, string>): Promise<unknown> {
        return this.fetch(`${what}?${new URLSearchParams(query)}`, "GET");
    }

    private async fetch(path: string, method: string): Promise<unknown> {
        const headers: Record<string, string> = { "X-Weir": "1" };
        if (this.token) {
            headers["Authorization"] = `Bearer ${this.token}`;
        }
        const response = await fetch(`api/${path}`, { method, headers });
        const answer = (await response.json()) as { error?: string; key?: string };
        if (!response.ok) {
            throw new Refusal(answer.error ?? response.statusText, answer.key ?? null);
        }
        return answer;
    }
}
