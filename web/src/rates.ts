// Rates of what is sent in whole packets, averaged so that no single packet shows.

import { Run } from "./run";
import { meanSlope, Samples } from "./samples";
import { parseBytes, time } from "./units";

const PACKETS = 20; // One more or less is then a twentieth.

// The time of 'n' packets at this rate.
export function packetsPs(run: Run, rateBps: number): number {
    const mtu = parseBytes(run.setting("wire", "mtu") ?? "") ?? 1500;
    return rateBps > 0 ? (PACKETS * mtu * 8e12) / rateBps : 0;
}

// Nothing where samples are further apart than that.
export function averageNote(overPs: number, { n, periodPs }: Samples): string {
    const rows = periodPs ? Math.ceil(overPs / periodPs - 0.01) : 0; // The mean period may be a little off.
    return n > 1 && rows > 1 ? `Averaged over ${time(rows * periodPs, 3)}, at least the time of ${PACKETS} packets.` : "";
}

export const rateOf = (samples: Samples, bytes: Float64Array, overPs: number): Float64Array =>
    meanSlope(samples.times, bytes, overPs).map((v) => v * 8e12);
