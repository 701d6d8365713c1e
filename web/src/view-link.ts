// The button that copies a link to the current view.

import { button, h } from "./dom";
import { Store } from "./store";
import { hashOf, isOfView } from "./view-hash";

// The address of a view, without the token of a server, because other users need their own.
function addressOf(hash: string): string {
    const address = new URL(location.href);
    address.searchParams.delete("token");
    address.hash = hash;
    return address.href;
}

// If the browser does not let scripts copy, the page shows the address for the user to copy.
export class ViewLink {
    private readonly said = h("span", { class: "quiet", role: "status" });
    readonly element = h("p", { class: "view-link" }, button("Copy a link to this view", () => void this.copy(), { class: "plain" }), this.said);

    constructor(private readonly store: Store) {
        store.listen((view) => (this.element.hidden = !view.runs.length));
        addEventListener("hashchange", () => (isOfView(location.hash) ? location.reload() : undefined));
    }

    private async copy(): Promise<void> {
        const hash = hashOf(this.store.view), address = addressOf(hash);
        history.replaceState(null, "", hash);
        try {
            await navigator.clipboard.writeText(address);
            this.said.textContent = "Copied.";
        } catch {
            const field = h("input", { type: "text", value: address, readonly: true, "aria-label": "Link to this view" });
            this.said.replaceChildren("Copy it from here: ", field);
            field.select();
        }
    }
}
