import { build, firstView } from "./app";
import { Chooser } from "./chooser";
import { claimsSection } from "./claims";
import { h } from "./dom";
import { embeddedClaims, embeddedRuns } from "./embedded";
import { Form } from "./form";
import { Library } from "./library";
import { Server } from "./server";
import { Store } from "./store";

// A report has its runs in it; else there is a server that has them.
function start(root: HTMLElement): void {
    const runs = embeddedRuns(), claims = embeddedClaims(), store = new Store(firstView(runs));
    if (runs.length || claims.length) {
        build(root, store, new Chooser(store).element, claims.length ? claimsSection(claims) : null);
        return;
    }
    const server = new Server(), form = new Form(server);
    const library = new Library(store, server, (folder, again) => form.open(folder, again));
    build(root, store, library.element, null);
    root.append(form.element);
    library.refresh();
}

const root = document.getElementById("app")!;
try {
    start(root);
} catch (error) {
    root.replaceChildren(h("h1", {}, "This report cannot be shown"),
        h("p", {}, "Its data are damaged, or this browser is too old."), h("pre", {}, String(error)));
    throw error;
}
