// Names of engines, transports and arbitrations for users, such as "PFC, FIFO".

const names: Record<string, string> = {
    none: "no flow control", pfc: "PFC", cbfc: "CBFC", ttl: "TTL", capfc: "CaPFC", fafc: "FAFC", ecn: "ECN", qcn: "QCN",
    "gfc-conceptual": "conceptual GFC", "gfc-buffer": "buffer-based GFC", "gfc-time": "time-based GFC",
    raw: "raw", rdma: "RDMA", dcqcn: "DCQCN", dctcp: "DCTCP", tcp: "TCP", timely: "TIMELY", hpcc: "HPCC",
    fifo: "FIFO", rr: "round robin", wfq: "WFQ", "input-fifo": "input FIFO",
};

// The name of a run made of its differences: "pfc ecn, rr" becomes "PFC + ECN, round robin". Other settings are not
// changed.
export function spoken(label: string): string {
    const say = (part: string): string => {
        const words = part.split(" ");
        return words.every((w) => w in names) ? words.map((w) => names[w]!).join(" + ") : part;
    };
    return label.split(", ").map(say).join(", ");
}

const percentiles: Record<string, string> = { median: "p50", "50 %": "p50", "95 %": "p95", "99 %": "p99", longest: "maximum" };

// The heading of a column of a table of completion times.
export const spokenHead = (head: string): string => percentiles[head] ?? head;
