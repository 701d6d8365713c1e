// Numbers as text for users: three digits and a unit.

const rateUnits: [number, string][] = [[1e12, "Tb/s"], [1e9, "Gb/s"], [1e6, "Mb/s"], [1e3, "kb/s"], [1, "b/s"]];
const byteUnits: [number, string][] = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "KB"], [1, "B"]];
const timeUnits: [number, string][] = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"], [1, "ps"]];

// Writes value × 10^shift with n digits, rounded half away from zero in decimal, like the program (src/output/value.h).
function rounded(value: number, n: number, shift = 0): number {
    if (!Number.isFinite(value)) {
        return value;
    }
    const [digits, exponent] = Math.abs(value).toExponential().split("e");
    return Math.sign(value) * Number(`${Math.round(Number(`${digits}e${n - 1}`))}e${Number(exponent) - n + 1 + shift}`);
}

export function digits(value: number, n = 3, shift = 0): string {
    return rounded(value, n, shift).toLocaleString("en", { maximumSignificantDigits: n, useGrouping: value >= 1e5 });
}

// Writes a whole number of bytes, picoseconds or bits per second with a unit.
function withUnit(value: number, units: [number, string][], n: number): string {
    const shown = rounded(Math.round(value), n);
    if (shown === 0) {
        return "0";
    }
    const [size, name] = units.find(([from]) => Math.abs(shown) >= from)!;
    return `${digits(shown / size, n)} ${name}`;
}

export const rate = (bps: number): string => withUnit(bps, rateUnits, 3);
export const bytes = (n: number): string => withUnit(n, byteUnits, 3);
export const time = (ps: number, n = 4): string => withUnit(ps, timeUnits, n);
// Writes a time with enough digits to distinguish instants of the visible part.
export const timeWithin = (ps: number, fromPs: number, toPs: number): string =>
    time(ps, 3 + Math.max(0, Math.ceil(Math.log10(Math.max(1, toPs / Math.max(1, toPs - fromPs))))));
export const percent = (share: number): string => `${digits(share, 3, 2)} %`;

const whole = (n: number): string => n.toLocaleString("en", { maximumSignificantDigits: 10 });

// Writes a value in a unit of results files; counts have all digits.
export function showValue(unit: string, value: number | null): string {
    const shows: Record<string, (v: number) => string> = {
        bps: rate, bytes, ps: (v) => time(v, 3), share: percent, times: (v) => `${digits(v)}×`, yes: (v) => (v ? "yes" : "no"),
        "per second": (v) => `${digits(v)}/s`, s: (v) => `${digits(v)} s`,
    };
    return value === null || Number.isNaN(value) ? "–" : (shows[unit] ?? ((v: number) => `${whole(v)} ${unit}`.trim()))(value);
}

// The unit of values that a chart shows in this format.
const unitsOfFormats = new Map<unknown, string>([[rate, "bps"], [bytes, "bytes"], [time, "ps"], [percent, "share"]]);

export const unitOf = (format: (v: number) => string): string => unitsOfFormats.get(format) ?? "";

export function count(n: number, one: string, many = one + "s"): string {
    return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

// Joins words, such as "a, b and c".
export function list(words: string[]): string {
    return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
}

// Reads a size as in scenarios: "300KB", "20B".
export function parseBytes(text: string): number | null {
    const found = /^([0-9.]+)\s*(B|KB|MB|GB|KiB|MiB|GiB)$/.exec(text);
    const sizes: Record<string, number> = {
        B: 1, KB: 1e3, MB: 1e6, GB: 1e9, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3,
    };
    return found ? Number(found[1]) * sizes[found[2]!]! : null;
}
