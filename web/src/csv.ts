// Writes the numbers of a chart as CSV (RFC 4180), with enough digits to read each number back exactly.

export interface CsvColumn {
    name: string;
    values: ArrayLike<number | string | null>; // Unknown values, null or NaN, are empty cells.
}

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

const cell = (v: number | string | null | undefined): string => (v === null || v === undefined || Number.isNaN(v) ? "" : quoted(String(v)));

export function named(name: string, unit: string): string {
    return unit ? `${name} [${unit}]` : name;
}

export function csv(columns: CsvColumn[]): string {
    const n = Math.max(0, ...columns.map((c) => c.values.length));
    const rows = Array.from({ length: n }, (_, i) => columns.map((c) => cell(c.values[i])).join(","));
    return [columns.map((c) => quoted(c.name)).join(","), ...rows].join("\r\n") + "\r\n";
}
