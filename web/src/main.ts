import { build, firstOf, firstView } from "./app";
import { Chooser } from "./chooser";
import { h } from "./dom";
import { embeddedPapers, embeddedRuns, embeddedSweeps } from "./embedded";
import { Form } from "./form";
import { Library } from "./library";
import { PaperLibrary, paperSections } from "./papers";
import { Server } from "./server";
import { Store } from "./store";
import { SweepLibrary, SweepSection } from "./sweep";
import { viewOf } from "./view-hash";

// Starts the page. A report has its runs embedded; otherwise a server has them.
async function start(root: HTMLElement): Promise<void> {
    const [runs, papers, sweeps] = await Promise.all([embeddedRuns(), embeddedPapers(), embeddedSweeps()]);
    const isReport = runs.length + papers.length + sweeps.length > 0;
    const store = new Store(viewOf(location.hash, firstView(runs, !isReport), firstOf));
    if (isReport) {
        const { title, scorecard, figures, claims } = paperSections(papers);
        const top = h("div", {}, scorecard, figures, runs.length ? new Chooser(store).element : null);
        const below = h("div", {}, claims, ...sweeps.map((s) => new SweepSection(s).element));
        const names = [...new Set(sweeps.map((s) => s.name))].join(", ");
        build(root, store, top, below, title || names);
        return;
    }
    const server = new Server(), form = new Form(server);
    const library = new Library(store, server, (folder, again) => form.open(folder, again));
    const grown = new SweepLibrary((file, id) => server.sweep(file, id));
    const known = new PaperLibrary((file) => server.claims(file));
    library.listen(async (folder, lookedAt) => {
        await grown.look(folder.files);
        await known.look(lookedAt);
    });
    build(root, store, library.element, h("div", {}, known.element, grown.element), "");
    root.append(form.element);
    library.refresh();
}

const root = document.getElementById("app")!;
start(root).catch((error: unknown) => {
    root.replaceChildren(h("h1", {}, "This report cannot be shown"),
        h("p", {}, "Its data are damaged, or this browser is too old."), h("pre", {}, String(error)));
    throw error;
});
