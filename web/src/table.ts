// Reads tables of a results file. A column of texts is a list, or indexes into a list. A column of numbers is packed
// with 1 added to each number, and 0 for none. A column of fractions is a list.

import { unpack } from "./unpack";

type Texts = string[] | { of: string; texts: string[] };
export type RawTable = { n: number } & Record<string, number | string | Texts | (number | null)[]>;

export class Table {
    constructor(private readonly raw: RawTable) {}

    get n(): number {
        return this.raw.n;
    }

    // The numbers of a column; NaN: there is no value.
    numbers(name: string): Float64Array {
        const column = this.raw[name];
        if (Array.isArray(column)) {
            return Float64Array.from(column as (number | null)[], (v) => v ?? NaN);
        }
        if (typeof column !== "string") {
            throw new Error(`the results lack the numbers '${name}'`);
        }
        return unpack(column, this.n)[0]!.map((v) => (v === 0 ? NaN : v - 1));
    }

    texts(name: string): string[] {
        const column = this.raw[name];
        if (Array.isArray(column)) {
            return column.map(String);
        }
        if (typeof column !== "object") {
            throw new Error(`the results lack the texts '${name}'`);
        }
        return Array.from(unpack(column.of, this.n)[0]!, (i) => column.texts[i] ?? "");
    }
}
