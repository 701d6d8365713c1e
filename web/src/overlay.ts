// Overlays of a picture. A part of the page that has something to show about ports at an instant, such as which of them a pause spreads
// over, gives marks by port. The picture draws them wherever the port's link is.
//
//     network.overlay((run, view) => new Map([[port.id, { classes: ["root"], text: "1" }]]));
//
// The classes stand at the link's group (`.link.root .line` in style.css), the text in a badge (`.marks .root`) on it.

import { Run } from "./run";
import { View } from "./store";

export interface Mark {
    classes: string[];
    text?: string;
}

export type Overlay = (run: Run, view: View) => ReadonlyMap<number, Mark>;

// A line for several ports has the classes of all and the text of the first.
function together(marks: Mark[]): Mark | null {
    return marks.length ? { classes: [...new Set(marks.flatMap((m) => m.classes))], text: marks.find((m) => m.text)?.text } : null;
}

// The mark of a line for these ports, by all overlays.
export function markOf(ports: number[], overlays: ReadonlyMap<number, Mark>[]): Mark | null {
    return together(overlays.flatMap((o) => ports.map((p) => o.get(p)).filter((m) => m !== undefined)));
}
