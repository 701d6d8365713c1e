// Overlays of a picture. A part of the page that shows something about ports at an instant, such as the ports to which
// a pause has spread, gives marks by port. The picture draws these marks at the port's link.
//
//     network.overlay((run, view) => new Map([[port.id, { classes: ["root"], text: "1" }]]));
//
// The style classes are set on the link's group (`.link.root .line` in style.css), and the text is in a badge on it
// (`.marks .root`).

import { Run } from "./run";
import { View } from "./store";

export interface Mark {
    classes: string[];
    text?: string;
}

export type Overlay = (run: Run, view: View) => ReadonlyMap<number, Mark>;

// Combines marks. A line for several ports has the style classes of all of them, and the text of the first.
function together(marks: Mark[]): Mark | null {
    return marks.length ? { classes: [...new Set(marks.flatMap((m) => m.classes))], text: marks.find((m) => m.text)?.text } : null;
}

// The mark of a line for these ports, from all overlays.
export function markOf(ports: number[], overlays: ReadonlyMap<number, Mark>[]): Mark | null {
    return together(overlays.flatMap((o) => ports.map((p) => o.get(p)).filter((m) => m !== undefined)));
}
