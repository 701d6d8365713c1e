// The pictures of the documentation, taken from pages of real runs: node pictures.mjs PROGRAM ROOT [--write]
// Without --write the pictures are also taken, which tests that the page has everything that they
// show.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { done, finish, folder, open, report, root, step, study, weir, withBrowser } from "./browser.mjs";

const INCAST = `topology: {kind: leaf-spine, leaves: 4, spines: 2, hosts: 8, rate: 100Gbps}
workload: [{kind: permutation, bytes: 1MB}, {name: burst, kind: incast, senders: 16, bytes: 200KB}]
run: {time: 1ms, run_out: 5ms}
`;

// Each picture, with the run that makes its results, and the part of the page with which it begins.
const PICTURES = [
    { path: "doc/pictures/report.png", results: "ttl.db", at: "#network", height: 800,
        make: () => weir("compare", join(root, "studies", "ttl", "paper.yaml"), "--over", "engine=pfc,ttl", "--record", "ttl.db") },
    { path: "doc/tutorial/pictures/deadlock.png", results: "ring.db", at: "#network", height: 820,
        make: () => weir("run", study("ring.yaml"), "--record", "ring.db") },
    { path: "doc/tutorial/pictures/page.png", results: "incast.db", at: "h1", height: 1100,
        make: () => {
            writeFileSync(join(folder, "incast.yaml"), INCAST);
            weir("run", "incast.yaml", "--why", "--record", "incast.db");
        } },
    { path: "doc/tutorial/pictures/figure.png", results: "fig4.db", at: "#figures", height: 760,
        make: () => weir("reproduce", "qcn-os", "fig4", "--studies", join(root, "studies"), "--record", "fig4.db") },
];


async function take(browser, { path, results, at, height, make }) {
    make();
    const page = await open(browser, report(results), { viewport: { width: 1200, height } });
    await page.locator(at).first().evaluate((e) => e.scrollIntoView({ behavior: "instant" }));
    await page.waitForTimeout(300);
    const picture = await page.screenshot();
    assert.ok(picture.length > 20000, `${path} shows something`);
    if (process.argv.includes("--write")) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), picture);
    }
    await done(page);
}

await withBrowser(async (browser) => {
    for (const picture of PICTURES) {
        await step(picture.path, () => take(browser, picture));
    }
});
finish();
