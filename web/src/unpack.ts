// Unpacks columns of numbers, in the format of src/record/series.h. Blocks have at most 4096 rows. Each block has,
// column by column, the first value, a grain, a width, and the steps in byte planes.

const BLOCK_ROWS = 4096;
const TWO_32 = 2 ** 32;

// The number that means "no limit"; no value is larger.
export const NO_LIMIT = 2 ** 52 - 1;

export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) {
        bytes[i] = text.charCodeAt(i);
    }
    return bytes;
}

class Reader {
    private at = 0;
    constructor(private readonly bytes: Uint8Array) {}

    number(): number {
        const view = new DataView(this.bytes.buffer, this.at, 8);
        this.at += 8;
        return view.getUint32(0, true) + view.getUint32(4, true) * TWO_32;
    }

    column(to: Float64Array, first: number, n: number): void {
        let value = this.number();
        const grain = this.number();
        const width = this.bytes[this.at++]!;
        const planes = this.at;
        const steps = n - 1;
        this.at += width * steps;
        to[first] = value;
        if (width === 0) {
            to.fill(value, first, first + n);
            return;
        }
        for (let i = 0; i < steps; i++) {
            let step = 0;
            for (let k = width - 1; k >= 0; k--) {
                step = step * 256 + this.bytes[planes + k * steps + i]!;
            }
            value += grain * (step % 2 ? -(step + 1) / 2 : step / 2);
            to[first + i + 1] = value;
        }
    }
}

export function unpack(base64: string, nRows: number, nColumns = 1): Float64Array[] {
    const reader = new Reader(bytesOf(base64));
    const columns = Array.from({ length: nColumns }, () => new Float64Array(nRows));
    for (let first = 0; first < nRows; first += BLOCK_ROWS) {
        for (const column of columns) {
            reader.column(column, first, Math.min(BLOCK_ROWS, nRows - first));
        }
    }
    return columns;
}
