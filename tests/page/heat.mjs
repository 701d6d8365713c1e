// Links of large networks as a heat map, in a real browser: node heat.mjs PROGRAM ROOT
import assert from "node:assert/strict";
import { join } from "node:path";
import { finish, readPng, readSvg, report, root, saved, step, weir, withBrowser, withPage } from "./browser.mjs";

const SCENARIO = ["run", join(root, "tests/page/leaf-spine.yaml"), "--set", "workload.end=1ms", "--set", "run.time=1ms", "--set", "record.ports=none"];

const rowsOf = (csv) => csv.trimEnd().split("\n").map((line) => line.split(","));

// The values of a counter by port, from the results file: the largest value of the port's classes.
function counters(db, name) {
    const [heads, ...rows] = rowsOf(weir("export", db, "--counters")), at = (key) => heads.indexOf(key);
    const found = new Map();
    rows.filter((r) => r[at("name")] === name && r[at("object")] === "port")
        .forEach((r) => found.set(r[at("object_id")], Math.max(found.get(r[at("object_id")]) ?? 0, Number(r[at("value")]))));
    return found;
}

const cells = (page) => page.locator("table.heat tbody td").evaluateAll((all) => all.map((td) => ({ port: td.dataset.port, text: td.getAttribute("aria-label"),
    heat: Number.parseInt(td.style.getPropertyValue("--heat")), isUnknown: td.className === "heat-unknown" })));

const legend = async (page) => (await page.locator("#heat .legend").textContent()).replaceAll(/^0|, not known$/g, "");

async function pick(page, group, name) {
    await page.getByRole("radiogroup", { name: group }).getByRole("radio", { name, exact: true }).check();
}

async function checkLeafSpine(page) {
    await step("a large leaf-spine has a cell for each link between leaf and spine, named by both", async () => {
        assert.deepEqual(await page.locator("table.heat thead th").allTextContents(), Array.from({ length: 10 }, (_, i) => `S${i + 1}`));
        assert.deepEqual(await page.locator("table.heat tbody th").allTextContents(), Array.from({ length: 20 }, (_, i) => `L${i + 1}`));
        assert.equal((await cells(page)).length, 200);
    });
    await step("values are those of the counters", async () => {
        const sent = counters("heat.db", "sent_bytes");
        await pick(page, "Direction", "Up");
        const all = await cells(page), largest = Math.max(...all.map((c) => sent.get(c.port)));
        for (const cell of all) {
            const share = sent.get(cell.port) * 8 / 10e9 / 1e-3, [, name, value] = /^(L\d+ → S\d+): (.*) %$/.exec(cell.text) ?? [];
            assert.ok(name && Math.abs(Number(value) - 100 * share) <= 0.0051 * 100 * share, `${cell.text}: ${share}`);
            assert.ok(Math.abs(cell.heat - 100 * sent.get(cell.port) / largest) < 0.51, `${cell.text}: ${cell.heat}`);
        }
        await pick(page, "Direction", "Down");
        assert.match((await cells(page))[0].text, /^S1 → L1: /);
    });
    await step("a scale goes to the largest value, and the legend says so", async () => {
        const before = await cells(page), hottest = before.find((c) => c.heat === 100);
        assert.equal(await legend(page), `${hottest.text.split(": ")[1]}, the largest value`);
        await pick(page, "Scale", "0 to 100 %");
        assert.equal(await legend(page), "100 %");
        for (const cell of await cells(page)) {
            assert.equal(cell.heat, Math.round(Number(/: (.*) %$/.exec(cell.text)[1])), cell.text);
        }
        await pick(page, "Scale", "Scale to the largest");
        assert.deepEqual(await cells(page), before);
    });
    await step("a queue has no scale to 100 %", async () => {
        await pick(page, "Colour cells by", "Peak input queue");
        await pick(page, "Direction", "Larger of both");
        const all = await cells(page), peaks = counters("heat.db", "peak_input_queue_bytes");
        assert.equal(Math.max(...all.map((c) => c.heat)), 100);
        assert.ok([...peaks.values()].some((v) => v > 0));
        const hottest = all.find((c) => c.heat === 100).text.split(": ")[1];
        assert.equal(await legend(page), `${hottest}, the largest value`);
        assert.equal(await page.getByRole("radiogroup", { name: "Scale" }).count(), 0);
    });
}

// Saved maps have the measure and the direction that the page shows.
async function checkSaved(page) {
    const map = page.locator("#heat .sidebyside > div"), all = await cells(page), peaks = counters("heat.db", "peak_input_queue_bytes");
    await step("as CSV a map has each link with its value, in the direction that is shown", async () => {
        const { name, content } = await saved(page, map, "CSV"), [heads, ...rows] = rowsOf(content.toString().replaceAll("\r", ""));
        assert.match(name, /peak-input-queue-leaf-to-spine\.csv$/);
        assert.deepEqual(heads, ["link", "from", "to", "Peak input queue [bytes]"]);
        assert.deepEqual(rows.map((r) => r[0]), all.map((c) => c.text.split(": ")[0]));
        assert.ok(rows.every(([link, from, to]) => link === `${from} → ${to}`), rows[0]);
        const largest = Math.max(...rows.map((r) => Number(r[3])));
        assert.ok(largest > 0 && [...peaks.values()].includes(largest), largest);
    });
    await step("as SVG it has all names, and the scale; as PNG the same", async () => {
        const { content } = await saved(page, map, "SVG"), found = await readSvg(page, content), text = content.toString();
        assert.ok(!found.broken && found.title.endsWith("peak input queue, leaf to spine"), found.title);
        assert.ok(["S1", "S10", "L1", "L20", "0", "not known"].every((t) => found.texts.includes(t)), found.texts);
        assert.equal(found.texts.at(-2), all.find((c) => c.heat === 100).text.split(": ")[1]);
        const hottest = /width="19" height="13" fill="(rgb\(6, 52, 92\))"/.exec(text);
        assert.ok(hottest && (text.match(/width="19" height="13"/g) ?? []).length === 200, text.slice(0, 900));
        const { width, nColours } = await readPng(page, (await saved(page, map, "PNG")).content);
        assert.equal(width, 2 * Number(/width="(\d+)"/.exec(text)[1]));
        assert.ok(nColours > 10, nColours);
    });
}

// The link to a view, opened in another page, shows the same view.
async function checkLink(browser, page) {
    await step("a link to the view has the choices of the map", async () => {
        await pick(page, "Colour cells by", "Time paused");
        await pick(page, "Direction", "Down");
        await pick(page, "Scale", "0 to 100 %");
        await page.locator("#heat-tiers").selectOption({ label: "hosts to leaf" });
        await page.getByRole("button", { name: "Copy a link to this view" }).click();
        await page.locator(".view-link [role=status]:not(:empty)").waitFor();
        const wanted = await cells(page);
        assert.match(wanted[0].text, /^L1 → H1: /);
        await withPage(browser, page.url(), async (other) => {
            assert.deepEqual(await cells(other), wanted);
            assert.deepEqual(await other.locator("#heat :checked").evaluateAll((all) => all.map((e) => e.value)), ["paused", "down", "full", "1"]);
        });
    });
}

async function checkKeys(page) {
    await step("the keyboard reaches every cell, and Enter shows its link", async () => {
        await page.locator("#heat-tiers").focus();
        await page.keyboard.press("Tab");
        assert.equal(await page.evaluate(() => document.activeElement.textContent), "Save");
        await page.keyboard.press("Tab");
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("ArrowRight");
        const name = (await page.evaluate(() => document.activeElement.getAttribute("aria-label"))).split(":")[0];
        assert.match(name, /^(L2 → S2|S2 → L2)$/);
        assert.ok((await page.locator("#heat [aria-live]").textContent()).startsWith(`${name}: `));
        await page.keyboard.press("Enter");
        assert.equal(await page.locator("#pick-link").inputValue(), name);
    });
    await step("a network without samples has no charts of a link, and none are promised", async () => {
        assert.ok(await page.locator("#link").isHidden());
        assert.match(await page.locator("#heat [aria-live]").textContent(), /, Enter marks it in the picture\.$/);
        assert.ok(await page.locator(".link.chosen").isVisible());
    });
    await step("a choice keeps the focus", async () => {
        await page.getByRole("radio", { name: "Utilisation" }).focus();
        await page.keyboard.press("ArrowRight");
        assert.equal(await page.evaluate(() => document.activeElement.value), "queue");
    });
}

async function checkSampled(browser) {
    weir(...SCENARIO, "--set", "topology.leaves=20", "--set", "topology.spines=10", "--set", "record.ports=all", "--set", "run.time=100us",
        "--record", "heat-sampled.db");
    await withPage(browser, report("heat-sampled.db"), async (page) => {
        await step("with samples, Enter opens the charts of the link", async () => {
            const cell = page.locator('table.heat tbody td[style*="100%"]').first();
            await cell.focus();
            assert.match(await page.locator("#heat [aria-live]").textContent(), /, Enter opens its charts below\.$/);
            await page.keyboard.press("Enter");
            assert.equal(await page.locator("#pick-link").inputValue(), (await cell.getAttribute("aria-label")).split(":")[0]);
            assert.ok(await page.locator("#link .chart").first().isVisible());
        });
    });
}

await withBrowser(async (browser) => {
    weir(...SCENARIO, "--set", "topology.leaves=20", "--set", "topology.spines=10", "--record", "heat.db");
    await withPage(browser, report("heat.db"), async (page) => {
        await page.locator("table.heat").waitFor();
        await checkLeafSpine(page);
        await checkSaved(page);
        await checkKeys(page);
        await checkLink(browser, page);
    });
    await checkSampled(browser);
    weir(...SCENARIO, "--set", "topology={kind: fat-tree, k: 8, hosts: 4, rate: 10Gbps, delay: 1us}", "--record", "heat-fat.db");
    await withPage(browser, report("heat-fat.db"), async (fat) => {
        await step("a fat tree has a map for each two tiers", async () => {
            const maps = await fat.locator("#heat-tiers option").allTextContents(), sizes = [];
            for (const map of maps) {
                await fat.locator("#heat-tiers").selectOption({ label: map });
                sizes.push([await fat.locator("table.heat tbody tr").count(), (await cells(fat)).length]);
            }
            assert.deepEqual(maps, ["aggregation to core", "edge to aggregation", "hosts to edge"]);
            assert.deepEqual(sizes, [[32, 128], [32, 128], [32, 128]]);
        });
    });
    weir("run", join(root, "tests/page/rails.yaml"), "--set", "topology.rails=16", "--record", "heat-rails.db");
    await withPage(browser, report("heat-rails.db"), async (rails) => {
        await step("switches inside servers have links to hosts alone, and no row among the links to spines", async () => {
            assert.deepEqual(await rails.locator("table.heat thead th").allTextContents(), ["S1", "S2", "S3", "S4"]);
            assert.deepEqual(await rails.locator("table.heat tbody th").allTextContents(), Array.from({ length: 32 }, (_, i) => `L${i + 1}`));
            await rails.locator("#heat-tiers").selectOption({ label: "hosts to leaf" });
            assert.equal(await rails.locator("table.heat tbody tr").count(), 40);
        });
    });
    weir(...SCENARIO, "--record", "heat-small.db");
    await withPage(browser, report("heat-small.db"), async (small) => {
        await step("a network that fits the picture has none", async () => assert.ok(await small.locator("#heat").isHidden()));
    });
    finish();
});
