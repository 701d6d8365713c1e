// The styles of lines, on a canvas and in a drawing.

export const dashes: (number[] | undefined)[] = [undefined, [7, 4], [2, 3], [9, 3, 2, 3]];

export function cssColour(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export const lineColour = (i: number): string => cssColour(`--run-${i % 6}`);
