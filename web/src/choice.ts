// Chooses a flow: marks its path in the picture of the network, and scrolls to the picture.

import { Store } from "./store";

// Scrolls to an element. The style sheet decides whether the page scrolls smoothly or jumps.
export function bringIntoSight(id: string): void {
    document.getElementById(id)?.scrollIntoView();
}

export function bringPictureIntoSight(): void {
    bringIntoSight("network");
}

// Chooses a flow. If the flow is already chosen, no flow is chosen afterwards.
export function chooseFlow(store: Store, flow: string): void {
    const isChosen = store.view.flow === flow;
    store.set({ flow: isChosen ? null : flow });
    if (!isChosen) {
        bringPictureIntoSight();
    }
}
