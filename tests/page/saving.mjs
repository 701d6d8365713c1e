// Charts as files, in a real browser: node saving.mjs PROGRAM ROOT
import assert from "node:assert/strict";
import { eventually, finish, open, readPng, readSvg, report, saved, step, study, weir, withBrowser, withPage } from "./browser.mjs";

const rowsOf = (csv) => csv.trimEnd().split(/\r?\n/).map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((c) => c.replace(/^"|"$/g, "")));

const QUEUE = "Queue at S2 of packets from this link, S1 → S2";

async function checkCsv(page) {
    const { name, content } = await saved(page, page.locator("#link .chart").first(), "CSV");
    const [heads, ...rows] = rowsOf(content.toString()), numbers = rows.map((r) => r.map(Number));
    const [exported, ...samples] = rowsOf(weir("export", "saving.db", "--run", "2", "--series"));
    const k = exported.indexOf("queue S2 from S1 [bytes]"), queue = samples.map((r) => Number(r[k]));
    await step("the file is named after what it shows, and columns have full names and units", () => {
        assert.equal(name, "gfc-ring-queue-at-s2-of-packets-from-this-link-s1-to-s2.csv");
        assert.deepEqual(heads, ["time [ps]", `${QUEUE}, run 1: PFC [bytes]`,
            `${QUEUE}, run 2: buffer-based GFC, record.every=5us, minimum [bytes]`, `${QUEUE}, run 2: buffer-based GFC, record.every=5us, maximum [bytes]`]);
    });
    await step("its numbers are those of the results file: no peak is lost in merged samples", () => {
        const merged = rows.filter((r) => r[3] !== "").map((r) => [Number(r[2]), Number(r[3])]);
        assert.ok(merged.length > 900 && merged.length < queue.length, merged.length);
        assert.equal(Math.max(...merged.map((m) => m[1])), Math.max(...queue));
        const each = Math.ceil(queue.length / merged.length), parts = merged.map((_, i) => queue.slice(each * i, each * (i + 1)));
        assert.deepEqual(merged, parts.map((part) => [Math.min(...part), Math.max(...part)]));
    });
    await step("rows stand in order of time", () => {
        assert.deepEqual(numbers.map((r) => r[0]), numbers.map((r) => r[0]).sort((a, b) => a - b));
    });
}

async function checkPictures(page) {
    const chart = page.locator("#link .chart").first();
    await step("as SVG a chart has its title, its keys and a line for each", async () => {
        const { name, content } = await saved(page, chart, "SVG"), found = await readSvg(page, content);
        assert.ok(name.endsWith("-s1-to-s2.svg"), name);
        assert.ok(!found.broken && found.title === QUEUE && found.texts[0] === QUEUE, found.title);
        assert.deepEqual(found.texts.slice(1, 3), ["run 1: PFC", "run 2: buffer-based GFC, record.every=5us"]);
        assert.ok(found.texts.includes("time") && found.texts.some((t) => / KB$/.test(t)), found.texts);
        assert.equal(found.lines.length, 3);
        assert.ok(found.lines.every((d) => d.length > 500 && !/NaN|Infinity/.test(d)));
    });
    await step("as PNG it is a picture of twice as many pixels", async () => {
        const { name, content } = await saved(page, chart, "PNG"), width = (await chart.locator(".uplot").boundingBox()).width;
        assert.ok(name.endsWith("-s1-to-s2.png"), name);
        const found = await readPng(page, content);
        assert.ok(Math.abs(found.width - 2 * width) <= 2 && found.nColours > 20, JSON.stringify(found));
    });
}

async function checkSight(page) {
    await step("what is out of sight is not in the file", async () => {
        const timesOf = async () => rowsOf((await saved(page, page.locator("#link .chart").first(), "CSV")).content.toString())
            .slice(1).map((r) => Number(r[0]));
        const all = await timesOf();
        await page.getByRole("button", { name: "Zoom in" }).click();
        const some = await timesOf(), range = (times) => times[times.length - 1] - times[0];
        assert.ok(some.length > 50 && range(some) < 0.6 * range(all), `${range(some)} of ${range(all)}`);
    });
    await step("by keyboard alone, too", async () => {
        // Until the charts are drawn again for the visible part of the time.
        await page.waitForTimeout(600);
        await page.locator("#flows .chart summary").first().focus();
        await page.keyboard.press("Enter");
        await page.keyboard.press("Tab");
        const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
        assert.match(download.suggestedFilename(), /^gfc-ring-goodput-run-1-pfc\.svg$/);
        assert.equal(await page.evaluate(() => document.activeElement.textContent), "Save");
        await page.keyboard.press("Enter");
        await page.keyboard.press("Escape");
        assert.equal(await page.locator(".save[open]").count(), 0);
    });
}

async function checkTooLarge(page) {
    const chart = page.locator("#link .chart").first(), failure = chart.locator(".save [role=alert]");
    await step("a picture that is too large for the browser is an error in the menu, until another is saved", async () => {
        await page.evaluate(() => {
            window.toBlob = HTMLCanvasElement.prototype.toBlob;
            HTMLCanvasElement.prototype.toBlob = (made) => made(null);
        });
        await chart.locator(".save summary").click();
        await chart.locator(".save button", { hasText: "PNG" }).click();
        await eventually(async () => assert.equal(await failure.textContent(), "The picture is too large. Save it as SVG."));
        assert.ok(await failure.isVisible());
        await page.evaluate(() => (HTMLCanvasElement.prototype.toBlob = window.toBlob));
        await Promise.all([page.waitForEvent("download"), chart.locator(".save button", { hasText: "PNG" }).click()]);
        await eventually(async () => assert.equal(await chart.locator(".save[open]").count(), 0));
        assert.equal(await failure.textContent(), "");
    });
}

async function checkNetwork(page) {
    const network = page.locator(".network").first(), kinds = await network.locator(".save button").allTextContents();
    await step("the picture of the network has its run and the instant as a title, and is no table of numbers", async () => {
        const { name, content } = await saved(page, network, "SVG"), found = await readSvg(page, content);
        assert.deepEqual([name, kinds], ["gfc-ring-network-run-1-pfc.svg", ["SVG", "PNG"]]);
        const title = `Network, run 1: PFC, ${await page.locator(".now").textContent()}`;
        assert.deepEqual([found.broken, found.title, found.texts[0]], [false, title, title]);
        const names = await network.locator(".nodes text").allTextContents();
        assert.ok(names.length === 6 && names.every((n) => found.texts.includes(n)), found.texts);
    });
    await step("also as PNG, on the ground of the page, light or dark", async () => {
        for (const [colorScheme, ground] of [["light", [255, 255, 255, 255]], ["dark", [23, 32, 38, 255]]]) {
            await page.emulateMedia({ colorScheme });
            const { name, content } = await saved(page, network, "PNG"), found = await readPng(page, content);
            assert.equal(name, "gfc-ring-network-run-1-pfc.png");
            assert.ok(found.width > 400 && found.height > 400 && found.nColours > 20, JSON.stringify(found));
            assert.deepEqual(found.corner, ground);
        }
    });
}

await withBrowser(async (browser) => {
    weir("run", study("ring.yaml"), "--record", "saving.db");
    weir("run", study("ring.yaml"), "--set", "engine=gfc-buffer", "--set", "record.every=5us", "--record", "saving.db");
    await withPage(browser, report("saving.db"), async (page) => {
        await page.getByRole("button", { name: "Whole run" }).click();
        await page.locator("#pick-link").selectOption("S1 → S2");
        await page.locator("#link .uplot").first().waitFor();
        await checkCsv(page);
        await checkPictures(page);
        await checkSight(page);
        await checkTooLarge(page);
        await checkNetwork(page);
    });
    finish();
});
