import { build, firstView } from "./app";
import { Chooser } from "./chooser";
import { claimsSection } from "./claims";
import { h } from "./dom";
import { embeddedClaims, embeddedFigures, embeddedRuns, embeddedSweeps } from "./embedded";
import { claimsOfFigures, figuresSection } from "./figures";
import { Form } from "./form";
import { Library } from "./library";
import { Server } from "./server";
import { Store } from "./store";
import { SweepLibrary, SweepSection } from "./sweep";

// A report has its runs in it; else there is a server that has them.
function start(root: HTMLElement): void {
    const runs = embeddedRuns(), claims = embeddedClaims(), sweeps = embeddedSweeps(), store = new Store(firstView(runs));
    if (runs.length || claims.length || sweeps.length) {
        const figures = embeddedFigures();
        const top = h("div", {}, figures.length ? figuresSection(figures, claims, sweeps) : null,
            runs.length ? new Chooser(store).element : null);
        const below = h("div", {}, claims.length ? claimsSection(claims, claimsOfFigures(figures, claims)) : null,
            ...sweeps.map((s) => new SweepSection(s).element));
        const names = [...new Set(sweeps.map((s) => s.name))].join(", ");
        build(root, store, top, below, claims.length ? "What papers claim" : names || "No run is selected");
        return;
    }
    const server = new Server(), form = new Form(server);
    const library = new Library(store, server, (folder, again) => form.open(folder, again));
    const grown = new SweepLibrary((file, id) => server.sweep(file, id));
    library.listen((folder) => grown.look(folder.files));
    build(root, store, library.element, grown.element, "No run is selected");
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
