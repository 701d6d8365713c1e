// Drives a real browser over sweeps, in a report and while they grow, and over figures of papers: node sweep.mjs PROGRAM ROOT
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { done, execSql, finish, folder, open, readPng, readSvg, report, root, saved, step, weir, withBrowser, withPage, withServer } from "./browser.mjs";

// With fifo the ring deadlocks under PFC, which cannot run with the smallest buffer. Sizes are not
// sorted as words: 300KB comes before 1MB.
writeFileSync(join(folder, "ring.yaml"), `
topology: {kind: ring, switches: 3, rate: 10Gbps, delay: 1us}
wire: {gap: 0B}
flows:
  - {from: H1, to: H3, via: [S1, S2, S3]}
  - {from: H2, to: H1, via: [S2, S3, S1]}
  - {from: H3, to: H2, via: [S3, S1, S2]}
run: {time: 3ms}
`);
writeFileSync(join(folder, "study.yaml"), `
base: ring.yaml
over:
  switch.buffer: [1MB, 3KB, 300KB]
  engine: [pfc, gfc-buffer]
  switch.arbitration: [fifo, rr]
  run.seed: 1..3
measure: {first: {of: received, flow: H1-H3, from: 1ms}}
`);

const text = (page, selector) => page.locator(selector).allTextContents();

// The medians that the command line prints, as the page would show them.
function medians(...args) {
    const [head, ...rows] = weir("report", "sweep.db", "--csv", ...args).trim().split("\n").map((l) => l.split(","));
    return rows.map((r) => Number(r[head.indexOf("median")]));
}

async function checkReport(page) {
    await step("a sweep has charts: a measure over a scale, lines and panels", async () => {
        assert.equal(await page.title(), "study – Weir");
        assert.match((await text(page, ".sweep-words"))[0], /^36 of 36 runs done, \d+ with a deadlock, \d+ refused or failed\.$/);
        assert.deepEqual(await text(page, ".sweep-chart figcaption"), ["first, switch.arbitration=fifo", "first, switch.arbitration=rr"]);
        assert.deepEqual(await text(page, ".sweep-chart >> nth=0 >> .key"), ["pfc", "gfc-buffer"]);
        const ticks = await text(page, ".sweep-chart >> nth=0 >> svg > text");
        assert.deepEqual(ticks.filter((t) => /KB|MB/.test(t)), ["3KB", "300KB", "1MB"]);
    });
    await step("medians are those of the command line", async () => {
        await page.locator(".sweep").getByLabel("Show").selectOption("received_bps");
        await page.locator(".sweep").getByLabel("charts").selectOption("");
        await page.getByText("The numbers of these charts").click();
        const shown = await text(page, ".medians tbody tr >> nth=1 >> td");
        const gbps = shown.map((t) => Number(/^([\d.]+) Gb/.exec(t)?.[1]));
        const wanted = medians("--metric", "received_bps", "--by", "switch.buffer", "--lines", "engine");
        assert.deepEqual(gbps, [wanted[1], wanted[4]].map((v) => Number((v / 1e9).toPrecision(3))));
    });
    await step("a chart is saved with its numbers", async () => {
        await page.locator(".sweep-chart summary").first().click();
        const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "CSV", exact: true }).click()]);
        assert.equal(download.suggestedFilename(), "study-received-bps-over-switch.buffer.csv");
        const [heads, ...rows] = readFileSync(await download.path(), "utf8").trimEnd().split("\r\n").map((l) => l.split('"').length > 1
            ? l.split(/","|,"|",|"/).filter((c) => c) : l.split(","));
        assert.deepEqual(heads.slice(0, 5), ["switch.buffer [bytes]", "received_bps, pfc, median [bps]", "received_bps, pfc, quartile 1 [bps]",
            "received_bps, pfc, quartile 3 [bps]", "received_bps, pfc, runs"]);
        const wanted = medians("--metric", "received_bps", "--by", "switch.buffer", "--lines", "engine");
        assert.deepEqual(rows.slice(1).map((r) => Number(r[1])).map((v) => Number(v.toPrecision(5))),
            [wanted[1], wanted[2]].map((v) => Number(v.toPrecision(5))));
    });
    await step("runs can be sorted, and deadlocks are marked", async () => {
        const rows = page.locator(".runs tbody tr");
        assert.equal(await rows.count(), 36);
        assert.ok(await page.locator(".runs tr.dead", { hasText: "deadlock" }).count() > 0);
        assert.ok(await page.locator(".runs tr.failed", { hasText: "refused: " }).count() > 0);
        await page.locator(".runs").getByRole("button", { name: "switch.buffer" }).click();
        assert.match(await rows.first().textContent(), /3KB/);
        await page.locator(".runs").getByRole("button", { name: "switch.buffer" }).click();
        assert.match(await rows.first().textContent(), /1MB/);
    });
}

async function checkGrowing(page) {
    await step("a sweep grows while one looks, and what was chosen stays", async () => {
        await page.getByText("18 of 36 runs done").waitFor();
        await page.locator(".sweep").getByLabel("Show").selectOption({ label: "received_bps" });
        weir("sweep", "study.yaml", "--record", "grown.db");
        await page.getByText("36 of 36 runs done").waitFor();
        assert.match((await text(page, ".sweep-chart figcaption"))[0], /^received_bps/);
    });
}

async function checkFigures(browser) {
    weir("reproduce", "gfc", "fig5", "--rows", "--studies", join(root, "studies"), "--record", "figures.db");
    const page = await open(browser, report("figures.db"));
    await step("the title is that of the paper, not of a run", async () => {
        assert.equal(await page.locator("h1").textContent(), "gfc");
        assert.equal(await page.title(), "gfc – Weir");
        assert.match(await page.locator(".numbers .of-run").first().textContent(), /gfc-two-to-one|PFC/);
    });
    await step("a figure is drawn as the paper has it, published beside measured", async () => {
        assert.deepEqual(await text(page, ".paper-figure h3"), ["gfc: 4.1, Fig. 5"]);
        const titles = await page.locator(".gallery img").evaluateAll((all) => all.map((i) => [i.alt, i.complete && i.naturalWidth > 300]));
        assert.deepEqual(titles, ["Queue of S1 from H1", "Input rate"].flatMap((what) =>
            ["PFC", "conceptual GFC"].map((who) => [`4.1, Fig. 5: ${what}, ${who}`, true])));
        assert.equal(await page.locator(".paper-figure .claims tbody tr").count(), 3);
        assert.equal(await page.locator("#claims table").count(), 0);
    });
    await step("each is saved as SVG, PNG and CSV, as weir report --figures writes it", async () => {
        weir("report", "figures.db", "--figures", "figures");
        const name = "fig5-2", figure = page.locator(".gallery .paper").nth(1), file = (ending) => readFileSync(join(folder, "figures", name + ending), "utf8");
        const numbers = await saved(page, figure, "CSV"), drawing = await saved(page, figure, "SVG"), picture = await saved(page, figure, "PNG");
        assert.match(numbers.name, /gfc-4\.1-fig\.-5-queue-of-s1-from-h1-conceptual-gfc\.csv$/);
        assert.equal(numbers.content.toString(), file(".csv"));
        const [, width] = /width="(\d+)"/.exec(file(".svg")), found = await readPng(page, picture.content), read = await readSvg(page, drawing.content);
        assert.deepEqual([read.broken, read.texts], [false, (await readSvg(page, file(".svg"))).texts]);
        assert.deepEqual([found.width, found.corner], [2 * Number(width), [255, 255, 255, 255]]);
        assert.ok(found.nColours > 10, found.nColours);
    });
    await step("pictures have the same axes, side by side, and fit the page", async () => {
        const right = await page.locator(".gallery .paper").evaluateAll((all) => Math.max(...all.map((e) => e.getBoundingClientRect().right)));
        assert.ok(right <= await page.evaluate(() => document.documentElement.clientWidth), String(right));
    });
    await done(page);
}

async function checkScorecard(browser) {
    weir("reproduce", "ttl", "2.2", "--studies", join(root, "studies"), "--record", "ttl.db");
    const page = await open(browser, report("ttl.db"));
    await page.setViewportSize({ width: 1366, height: 900 });
    await step("statements of the scorecard do not overlap the next column", async () => {
        const wide = await page.locator(".scorecard td.says").evaluateAll((all) => all.map((td) => td.scrollWidth - td.clientWidth));
        assert.ok(wide.length > 0 && wide.every((w) => w === 0), String(wide));
    });
    await step("the title is that of the paper, as its statements cite it", async () => {
        assert.equal(await page.locator("h1").textContent(), /^paper: "?(.*?)"?$/m.exec(readFileSync(join(root, "studies/ttl/statements.yaml"), "utf8"))[1]);
    });
    await step("statements of a plan are a table", async () => {
        assert.deepEqual(await page.locator(".gallery img").evaluateAll((all) => all.map((i) => i.alt)), ["2.2: Buffer that keeps outputs busy"]);
    });
    await done(page);
}

// The page of a server has the same figures and claims, and changes with the file.
async function checkServed(page) {
    const nClaims = (n) => page.locator("#claims").getByText(`${n} claims; of`);
    await step("a server shows figures and claims below the runs that are looked at", async () => {
        await nClaims(3).waitFor();
        assert.deepEqual(await text(page, "main ~ div .paper-figure h3"), ["gfc: 4.1, Fig. 5"]);
        assert.equal(await page.locator(".gallery img").count(), 4);
    });
    await step("they change when the file does", async () => {
        execSql("figures.db", ["INSERT INTO claim SELECT 999, study, 'another', is_sample, '5.1', engine, what, unit, arbitration, sign, " +
            "published, measured, lowest, highest, holds, n_runs, build FROM claim WHERE id = 1"]);
        await nClaims(4).waitFor();
    });
    await step("they leave with the last run of their file, and stay where there is nothing else", async () => {
        for (let box = page.locator(".library input:checked").first(); await box.count();) {
            await box.click();
        }
        await page.locator("#claims").waitFor({ state: "detached" });
        await page.locator(".library input").first().check();
        await nClaims(4).waitFor();
        execSql("figures.db", ["DELETE FROM run"]);
        await page.locator("main").waitFor({ state: "hidden" });
        assert.ok(await nClaims(4).isVisible());
        // Only claims are left.
        await page.locator(".gallery img").first().waitFor({ state: "detached" });
    });
}

async function checkFew(page) {
    await step("a percentile of too few flows is left out of charts and tables", async () => {
        for (const [metric, known, few] of [["all.fct_p99_ps", 1, 1], ["all.fct_p50_ps", 2, 0]]) {
            await page.locator(".sweep").getByLabel("Show").selectOption(metric);
            const cells = await page.locator(".medians tbody td").allTextContents(), values = await page.locator(".runs tbody td:last-child").allTextContents();
            assert.deepEqual([cells.filter((c) => c.includes("2 of 2 runs with too few flows")).length, cells.filter((c) => /^[\d.]+ us/.test(c)).length], [few, known]);
            assert.deepEqual(values.map((v) => v === "–").sort(), [...Array(2 * known).fill(false), ...Array(2 * few).fill(true)]);
            assert.equal(await page.locator(".sweep-chart circle").count(), known);
            assert.equal(await page.getByText("2 of 4 runs have too few flows for this percentile and are left out.").count(), few);
        }
    });
}

await withBrowser(async (browser) => {
    writeFileSync(join(folder, "few.yaml"), "topology: {kind: incast, hosts: 4, rate: 10Gbps}\nworkload: {kind: poisson, sizes: google-rpc, load: 0.5}\nrun: {run_out: 5ms}\n");
    writeFileSync(join(folder, "few-study.yaml"), "base: few.yaml\nover: {run.time: [20us, 400us], run.seed: 1..2}\n");
    weir("sweep", "few-study.yaml", "--record", "few.db");
    await withPage(browser, report("few.db"), checkFew);
    weir("sweep", "study.yaml", "--record", "sweep.db");
    await withPage(browser, report("sweep.db"), checkReport);
    weir("sweep", "study.yaml", "--record", "grown.db", "--shard", "1/2");
    await withServer(["grown.db"], (url) => withPage(browser, url, checkGrowing));
    await checkFigures(browser);
    await checkScorecard(browser);
    await withServer(["figures.db"], (url) => withPage(browser, url, checkServed));
});
finish();
