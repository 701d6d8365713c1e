import { build, firstView } from "./app";
import { h } from "./dom";
import { embeddedRuns } from "./embedded";
import { Store } from "./store";

const root = document.getElementById("app")!;
try {
    const runs = embeddedRuns();
    build(root, new Store(firstView(runs)));
} catch (error) {
    root.replaceChildren(h("h1", {}, "This report can not be shown"),
        h("p", {}, "What it holds is damaged, or this browser is too old for it."), h("pre", {}, String(error)));
    throw error;
}
