// Choosing a flow: its path is marked in the picture of the network, which comes into sight.

import { Store } from "./store";

export function bringPictureIntoSight(): void {
    document.getElementById("network")?.scrollIntoView({ behavior: "smooth" });
}

// Once more: no flow.
export function chooseFlow(store: Store, flow: string): void {
    const isChosen = store.view.flow === flow;
    store.set({ flow: isChosen ? null : flow });
    if (!isChosen) {
        bringPictureIntoSight();
    }
}
