// Charts as files, in a real browser: node saving.mjs PROGRAM ROOT
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { done, finish, open, report, step, study, weir, withBrowser } from "./browser.mjs";

const rowsOf = (csv) => csv.trimEnd().split(/\r?\n/).map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((c) => c.replace(/^"|"$/g, "")));

// In one go: charts are drawn again a moment after the part of the time that is in sight has changed.
async function saved(page, chart, kind) {
    const [download] = await Promise.all([page.waitForEvent("download"), chart.evaluate((figure, name) => {
        figure.querySelector(".save summary").click();
        [...figure.querySelectorAll(".save button")].find((b) => b.textContent === name).click();
    }, kind)]);
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

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
        const { name, content } = await saved(page, chart, "SVG"), xml = content.toString();
        assert.ok(name.endsWith("-s1-to-s2.svg"), name);
        const found = await page.evaluate((text) => {
            const read = new DOMParser().parseFromString(text, "image/svg+xml");
            return { broken: !!read.querySelector("parsererror"), title: read.querySelector("title").textContent,
                texts: [...read.querySelectorAll("text")].map((t) => t.textContent),
                lines: [...read.querySelectorAll('[clip-path] path[fill="none"]')].map((p) => p.getAttribute("d")) };
        }, xml);
        assert.ok(!found.broken && found.title === QUEUE && found.texts[0] === QUEUE, found.title);
        assert.deepEqual(found.texts.slice(1, 3), ["run 1: PFC", "run 2: buffer-based GFC, record.every=5us"]);
        assert.ok(found.texts.includes("time") && found.texts.some((t) => / KB$/.test(t)), found.texts);
        assert.equal(found.lines.length, 3);
        assert.ok(found.lines.every((d) => d.length > 500 && !/NaN|Infinity/.test(d)));
    });
    await step("as PNG it is a picture of twice as many pixels", async () => {
        const { name, content } = await saved(page, chart, "PNG"), width = (await chart.locator(".uplot").boundingBox()).width;
        assert.ok(name.endsWith("-s1-to-s2.png"), name);
        assert.equal(content.subarray(1, 4).toString(), "PNG");
        assert.ok(Math.abs(content.readUInt32BE(16) - 2 * width) <= 2, content.readUInt32BE(16));
        const colours = await page.evaluate(async (url) => {
            const image = new Image(), canvas = document.createElement("canvas");
            image.src = url;
            await image.decode();
            [canvas.width, canvas.height] = [image.width, image.height];
            const paint = canvas.getContext("2d");
            paint.drawImage(image, 0, 0);
            const { data } = paint.getImageData(0, 0, image.width, image.height);
            return new Set(new Uint32Array(data.buffer)).size;
        }, `data:image/png;base64,${content.toString("base64")}`);
        assert.ok(colours > 20, colours);
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
        await page.waitForTimeout(600); // Until the charts are drawn anew for the part that is in sight.
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

await withBrowser(async (browser) => {
    weir("run", study("ring.yaml"), "--record", "saving.db");
    weir("run", study("ring.yaml"), "--set", "engine=gfc-buffer", "--set", "record.every=5us", "--record", "saving.db");
    const page = await open(browser, report("saving.db"));
    await page.getByRole("button", { name: "Whole run" }).click();
    await page.locator("#pick-link").selectOption("S1 → S2");
    await page.locator("#link .uplot").first().waitFor();
    await checkCsv(page);
    await checkPictures(page);
    await checkSight(page);
    await done(page);
    finish();
});
