// Choosing a flow: its path is marked in the picture of the network, which comes into sight.

import { Store } from "./store";

// The style decides whether the page glides there or jumps.
export function bringIntoSight(id: string): void {
    document.getElementById(id)?.scrollIntoView();
}

export function bringPictureIntoSight(): void {
    bringIntoSight("network");
}

// Once more: no flow.
export function chooseFlow(store: Store, flow: string): void {
    const isChosen = store.view.flow === flow;
    store.set({ flow: isChosen ? null : flow });
    if (!isChosen) {
        bringPictureIntoSight();
    }
}
