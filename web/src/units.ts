// Numbers for people: three digits and a unit.

const rateUnits: [number, string][] = [[1e12, "Tb/s"], [1e9, "Gb/s"], [1e6, "Mb/s"], [1e3, "kb/s"], [1, "b/s"]];
const byteUnits: [number, string][] = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "KB"], [1, "B"]];
const timeUnits: [number, string][] = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"], [1, "ps"]];

export function digits(value: number, n = 3): string {
    return Number(value.toPrecision(n)).toLocaleString("en", { maximumFractionDigits: 6, useGrouping: value >= 1e5 });
}

function withUnit(value: number, units: [number, string][], n: number): string {
    if (value === 0) {
        return "0";
    }
    for (const [size, name] of units) {
        if (Math.abs(value) >= size) {
            return `${digits(value / size, n)} ${name}`;
        }
    }
    return `${digits(value, n)} ${units[units.length - 1]![1]}`;
}

export const rate = (bps: number): string => withUnit(bps, rateUnits, 3);
export const bytes = (n: number): string => withUnit(n, byteUnits, 3);
export const time = (ps: number, n = 4): string => withUnit(ps, timeUnits, n);
// With enough digits to distinguish two instants of this part of the time.
export const timeWithin = (ps: number, fromPs: number, toPs: number): string =>
    time(ps, 3 + Math.max(0, Math.ceil(Math.log10(Math.max(1, toPs / Math.max(1, toPs - fromPs))))));
export const percent = (share: number): string =>
    `${digits(100 * share, share > 0 && share < 0.001 ? 1 : 3)} %`;

// The unit of the values that a chart shows so.
const unitsOfFormats = new Map<unknown, string>([[rate, "bps"], [bytes, "bytes"], [time, "ps"], [percent, "share"]]);

export const unitOf = (format: (v: number) => string): string => unitsOfFormats.get(format) ?? "";

export function count(n: number, one: string, many = one + "s"): string {
    return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

// "a, b and c"
export function list(words: string[]): string {
    return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

// A size as scenarios have it: "300KB", "20B".
export function parseBytes(text: string): number | null {
    const found = /^([0-9.]+)\s*(B|KB|MB|GB|KiB|MiB|GiB)$/.exec(text);
    const sizes: Record<string, number> = {
        B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3,
    };
    return found ? Number(found[1]) * sizes[found[2]!]! : null;
}
