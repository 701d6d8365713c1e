// Links to a view, in a real browser: node link.mjs PROGRAM ROOT
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { done, eventually, finish, open, report, root, slideTo, step, study, weir, withBrowser, withServer } from "./browser.mjs";

const { build } = createRequire(join(root, "web", "package.json"))("esbuild");

const copies = (page) => page.getByRole("button", { name: "Copy a link to this view" });
const shown = (page) => page.locator("figure.network figcaption strong").allTextContents();

async function state(page) {
    return {
        runs: await shown(page), now: await page.locator("output.now").textContent(), link: await page.locator("#pick-link").inputValue(),
        ticks: await page.locator(".ticks span").allTextContents(), colour: await page.locator('input[name="colour"]:checked').inputValue(),
        path: await page.locator(".link.onpath").count(),
    };
}

async function choose(page) {
    await page.getByRole("checkbox", { name: /^run 1: / }).uncheck();
    await page.locator("#pick-link").selectOption("S2 → S3");
    await page.locator('input[name="colour"][value="load"]').check({ force: true });
    await page.locator('#flows table.flows button', { hasText: "H1-H3" }).first().click();
    await page.getByRole("button", { name: "Zoom in on this instant" }).click();
    await slideTo(page, 0.25);
}

async function checkFile(browser, url) {
    const page = await open(browser, url);
    const first = await state(page);
    await choose(page);
    const wanted = await state(page);
    await copies(page).click();
    await page.locator(".view-link [role=status]:not(:empty)").waitFor();
    const address = page.url();
    await step("the address has the view, and opens it again, from disk, too", async () => {
        assert.ok(address.startsWith(`${url}#run=`) && !(await page.content()).includes("undefined"), address);
        assert.notDeepEqual(wanted, first);
        const other = await open(browser, address);
        await eventually(async () => assert.deepEqual(await state(other), wanted));
        await done(other);
    });
    await step("an address that is changed by hand is followed", async () => {
        await page.evaluate((hash) => { location.hash = hash; }, address.split("#")[1].replace(/time=\d+/, "time=0").replace(/from=\d+/, "from=0"));
        await eventually(async () => assert.equal(await page.locator("output.now").textContent(), "0"));
        assert.deepEqual(await shown(page), wanted.runs);
    });
    await done(page);
    return first;
}

// A random address: of parts of valid addresses, of their characters, or of any characters.
function randomHash(random) {
    const pick = (of) => of[Math.floor(random() * of.length)];
    const parts = ["run=", "link.db%232", "link.db%23", "time=", "from=", "to=", "link=", "S1+%E2%86%92+S2", "flow=", "H1-H3", "colour=", "load", "heat=", "heat-scale=", "heat-direction=", "heat-links=", "queue", "full", "up", "&", "&", "=",
        "-1", "1e9", "0x10", "NaN", "99999999999999999999", "5600000000", "%00", "%E2%28", "%", "<img src=x onerror=alert(1)>", "__proto__", "\"'>", "\ud800", "#", " "];
    const noise = () => String.fromCodePoint(Math.floor(random() * 0x3000)), part = () => (random() < 0.85 ? pick(parts) : noise());
    const keys = parts.filter((p) => p.endsWith("=")), values = ["0", "5", "7000000000", "colour=", ...parts];
    return Array.from({ length: 1 + Math.floor(random() * 14) }, () => (random() < 0.7 ? `&${pick(keys)}${pick(values)}` : part())).join("");
}

function randomNumbers() {
    let seed = 1;
    return () => (seed = (seed * 48271) % 2147483647) / 2147483647;
}

async function checkHostile(browser, url, first) {
    const random = randomNumbers();
    await step("an address of nonsense shows what the page shows without one, or what is true of it", async () => {
        for (let i = 0; i < 12; i++) {
            const page = await open(browser, `${url}#${randomHash(random)}`), got = await state(page);
            assert.deepEqual(await page.locator("#app img, #app script").count(), 0);
            assert.ok(got.runs.length >= 1 && got.runs.every((r) => /^run [12]: /.test(r)) && / → /.test(got.link) && got.ticks.length === 5, page.url());
            assert.ok(!/NaN|Infinity|undefined|-/.test([got.now, ...got.ticks].join()), page.url());
            await done(page);
        }
        for (const hash of ["time=-5", "time=1e9", "time=99999999999999999999", "from=5&to=1", "from=0&to=99999999999999", "link=S1+%E2%86%92+S9",
            "flow=__proto__", "colour=constructor", "run=link.db%239", "run=__proto__", "network", "%E2%28", ""]) {
            const page = await open(browser, `${url}#${hash}`);
            await eventually(async () => assert.deepEqual(await state(page), first, hash));
            await done(page);
        }
    });
}

// Tests the reader of addresses alone, with a run that has only the members that it reads.
async function checkAnyString() {
    const { outputFiles } = await build({ entryPoints: [join(root, "web/src/view-hash.ts")], bundle: true, write: false, format: "esm" });
    const { viewOf, hashOf } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
    const run = (id) => ({ raw: { file: "link.db", id }, untilPs: 20000000000, flows: [{ name: "H1-H3" }], quantities: new Set(["paused"]), portNamed: (n) => n === "S1 → S2" || undefined });
    const runs = [run(1), run(2)], start = { runs, shown: [0, 1], timePs: 5, fromPs: 0, toPs: 20000000000, link: "S1 → S2", flow: null, colour: "held",
        heat: { measure: "load", direction: "both", tiers: 0, scale: "largest" }, isPlaying: false };
    const first = () => ({ timePs: 0, fromPs: 0, toPs: 20000000000, link: "S1 → S2" });
    const fits = (v) => v.runs === runs && v.shown.length > 0 && v.shown.every((i) => i === 0 || i === 1) && [v.timePs, v.fromPs, v.toPs].every(Number.isSafeInteger) &&
        v.timePs >= 0 && v.timePs <= 20000000000 && v.fromPs >= 0 && v.fromPs < v.toPs && v.toPs <= 20000000000 && v.link === "S1 → S2" &&
        [null, "H1-H3"].includes(v.flow) && ["held", "load", "paused"].includes(v.colour) && Object.keys(v).length === 10 &&
        ["load", "queue"].includes(v.heat.measure) && ["both", "up"].includes(v.heat.direction) && ["largest", "full"].includes(v.heat.scale) &&
        Number.isInteger(v.heat.tiers) && v.heat.tiers >= 0 && v.heat.tiers <= 9 && Object.keys(v.heat).length === 4;
    const random = randomNumbers();
    let nChanged = 0;
    await step("of 20,000 strings each gives a view that fits, and what is written is read back", () => {
        for (let i = 0; i < 20000; i++) {
            const hash = `#${randomHash(random)}`, view = viewOf(hash, start, first);
            assert.ok(fits(view), JSON.stringify(hash));
            assert.deepEqual(viewOf(hashOf(view), start, first), view, JSON.stringify(hash));
            nChanged += JSON.stringify(view) !== JSON.stringify(start);
        }
        assert.ok(nChanged > 1000 && nChanged < 19000, nChanged);
    });
}

async function checkServer(browser) {
    await withServer(["."], async (url) => {
        const page = await open(browser, url);
        await page.locator("figure.network").nth(1).waitFor();
        await step("with a server the runs of the address are those that are shown", async () => {
            const address = new URL(url);
            address.hash = "run=link.db%231&time=1000000000&from=0&to=2000000000&link=S2+%E2%86%92+S3";
            const other = await open(browser, address.href);
            await eventually(async () => assert.deepEqual(await shown(other), ["run 1: PFC"]));
            assert.equal(await other.locator("output.now").textContent(), "1 ms");
            assert.equal(await other.locator("#pick-link").inputValue(), "S2 → S3");
            await done(other);
        });
        await step("a link can be copied from there", async () => {
            await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
            await copies(page).click();
            await page.getByText("Copied.").waitFor();
            assert.equal(await page.evaluate(() => navigator.clipboard.readText()), page.url());
        });
        await done(page);
    });
}

await withBrowser(async (browser) => {
    weir("run", study("ring.yaml"), "--record", "link.db");
    weir("run", study("ring.yaml"), "--set", "engine=gfc-buffer", "--record", "link.db");
    const url = report("link.db"), first = await checkFile(browser, url);
    await checkHostile(browser, url, first);
    await checkAnyString();
    await checkServer(browser);
    finish();
});
