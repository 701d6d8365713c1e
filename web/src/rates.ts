// Rates of traffic in whole packets, averaged so that single packets are not visible.

import { Run } from "./run";
import { meanSlope, Samples } from "./samples";
import { parseBytes, time } from "./units";

const PACKETS = 20; // With 20 packets, one packet more or less changes the rate by a twentieth.

// The time of 'n' packets at this rate.
export function packetsPs(run: Run, rateBps: number): number {
    const mtu = parseBytes(run.setting("wire", "mtu") ?? "") ?? 1500;
    return rateBps > 0 ? (PACKETS * mtu * 8e12) / rateBps : 0;
}

// A note on averaging; "" if samples are further apart than the averaging time.
export function averageNote(overPs: number, { n, periodPs }: Samples): string {
    const rows = periodPs ? Math.ceil(overPs / periodPs - 0.01) : 0; // The mean period may be slightly inexact.
    return n > 1 && rows > 1 ? `Averaged over ${time(rows * periodPs, 3)}, at least the time of ${PACKETS} packets.` : "";
}

export const rateOf = (samples: Samples, bytes: Float64Array, overPs: number): Float64Array =>
    meanSlope(samples.times, bytes, overPs).map((v) => v * 8e12);
