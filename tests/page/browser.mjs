// Drives a real browser over a report: node browser.mjs PROGRAM ROOT
// Exits with 1 if a check fails.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

export const program = resolve(process.argv[2]);
export const root = resolve(process.argv[3]);
const { chromium } = createRequire(join(root, "web", "package.json"))("playwright-core");

const PATIENCE_MS = 120000; // Long enough for a busy machine; only a failure takes this long.

export const folder = mkdtempSync(join(tmpdir(), "weir-page-"));

export function weir(...args) {
    try {
        return execFileSync(program, args, { cwd: folder, encoding: "utf8", timeout: PATIENCE_MS, stdio: "pipe", maxBuffer: 1 << 28,
            env: { ...process.env, COLUMNS: "1000" } }); // Then tables are not split.
    } catch (error) {
        if (error.status === 4) { // The network broke a promise, which the test looks at.
            return error.stdout;
        }
        throw error;
    }
}

export function study(name) {
    return join(root, "studies", "gfc", name);
}

export function report(db, ...args) {
    const out = db.replace(/\.db$/, ".html");
    weir("report", db, "-o", out, "--force", ...args);
    return pathToFileURL(join(folder, out)).href;
}

async function serve(what, ...args) {
    const child = spawn(program, ["serve", join(folder, what), "--port", "0", ...args], { stdio: ["ignore", "pipe", "inherit"] });
    for await (const line of createInterface({ input: child.stdout })) {
        const found = /(http:\S+)/.exec(line);
        assert.ok(found, line);
        return { url: found[1], end: () => new Promise((ended) => {
            child.on("exit", ended);
            child.kill("SIGINT");
        }) };
    }
    throw new Error("the server did not start");
}

export async function withServer(args, test) {
    const server = await serve(...args);
    try {
        await test(server.url);
    } finally {
        await server.end();
    }
}

let shared = null;

// Runs a test with a browser that has an empty profile; messages and exceptions in the browser fail
// the test.  Tests in one process share the browser.
export async function withBrowser(test) {
    return shared ? test(shared) : launch(test);
}

export function shareBrowser(tests) {
    return launch(async (browser) => {
        shared = browser;
        await tests();
    });
}

async function launch(test) {
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync"],
    });
    try {
        await test(browser);
    } finally {
        await browser.close();
        rmSync(folder, { recursive: true, force: true });
    }
}

export async function open(browser, url, options = {}) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, colorScheme: "light", ...options });
    page.setDefaultTimeout(PATIENCE_MS);
    page.complaints = [];
    page.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) {
            page.complaints.push(message.text());
        }
    });
    page.on("pageerror", (error) => page.complaints.push(String(error)));
    await page.goto(url);
    return page;
}

export async function done(page) {
    assert.deepEqual(page.complaints, [], "the console must stay silent");
    await page.close();
}

// Runs a test with an open page, which must print nothing.
export async function withPage(browser, url, test, options = {}) {
    const page = await open(browser, url, options);
    await test(page);
    await done(page);
}

// Saves a picture by its menu.  Both clicks are one step, because charts are drawn again a moment
// after the visible part of the time has changed.
export async function saved(page, picture, kind) {
    const [download] = await Promise.all([page.waitForEvent("download"), picture.evaluate((figure, name) => {
        figure.querySelector(".save summary").click();
        [...figure.querySelectorAll(".save button")].find((b) => b.textContent === name).click();
    }, kind)]);
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
}

// Reads a saved SVG: its title, its texts, its lines, and whether it is well formed.
export function readSvg(page, content) {
    return page.evaluate((xml) => {
        const read = new DOMParser().parseFromString(xml, "image/svg+xml");
        return { broken: !!read.querySelector("parsererror"), title: read.querySelector("title")?.textContent ?? "",
            texts: [...read.querySelectorAll("text")].map((t) => t.textContent),
            lines: [...read.querySelectorAll('[clip-path] path[fill="none"]')].map((p) => p.getAttribute("d")) };
    }, content.toString());
}

// Reads a saved PNG: its size, the number of its colours, and the first pixel.
export function readPng(page, content) {
    assert.equal(content.subarray(1, 4).toString(), "PNG");
    return page.evaluate(async (url) => {
        const image = new Image(), canvas = document.createElement("canvas");
        image.src = url;
        await image.decode();
        [canvas.width, canvas.height] = [image.width, image.height];
        const paint = canvas.getContext("2d");
        paint.drawImage(image, 0, 0);
        const { data } = paint.getImageData(0, 0, image.width, image.height);
        return { width: image.width, height: image.height, nColours: new Set(new Uint32Array(data.buffer)).size, corner: [...data.slice(0, 4)] };
    }, `data:image/png;base64,${content.toString("base64")}`);
}

let nChecks = 0;

export async function step(what, check) {
    await check();
    nChecks++;
    console.log(`ok ${what}`);
}

export function finish() {
    console.log(`${nChecks} checks, 0 failed`);
}

// Repeats a check until it holds, for drawings that appear a moment later; fails after a long time.
export async function eventually(check) {
    for (const until = Date.now() + PATIENCE_MS; ;) {
        try {
            return await check();
        } catch (error) {
            if (Date.now() > until) {
                throw error;
            }
            await new Promise((waited) => setTimeout(waited, 20));
        }
    }
}

// Moves the slider, as a user would.
export async function slideTo(page, share) {
    await page.locator("#time").evaluate((slider, s) => {
        slider.value = String(Math.round(1000 * s));
        slider.dispatchEvent(new Event("input"));
    }, share);
}

const stepsOn = (page, run) => page.locator(`figure.network[data-run="${run}"] .step.on`).count();

async function checkRing(page) {
    await step("the story names the switches and why", async () => {
        const card = page.locator(".card.bad").first();
        assert.equal(await card.locator(".headline").textContent(), "Deadlock at 2.8 ms");
        assert.match(await card.textContent(), /S1 waits for S2, S2 waits for S3, S3 waits for S1\./);
        assert.match(await card.textContent(), /is paused until S2 has room/);
        assert.match(await card.textContent(), /Packets of H1-H3, H2-H1 and H3-H2 are stuck in the cycle/);
    });
    await step("the headline is the most severe thing, and the strip counts the packets that were dropped", async () => {
        const card = page.locator(".card").nth(1);
        assert.equal(await card.locator(".headline").textContent(), "3 flows got less than a tenth of their fair share");
        assert.match(await card.textContent(), /Violations: packets of a lossless class were dropped and flows/);
        assert.match(await page.locator(".numbers dl").nth(1).textContent(), /Dropped packets1515 lossless/);
    });
    await step("PFC and GFC stand side by side", async () => {
        assert.deepEqual(await page.locator("figure.network figcaption strong").allTextContents(),
            ["run 1: PFC", "run 3: buffer-based GFC"]);
        const boxes = await Promise.all((await page.locator("figure.network").all()).map((f) => f.boundingBox()));
        assert.equal(boxes[0].y, boxes[1].y);
    });
    await step("before the deadlock no ring is drawn", async () => {
        await slideTo(page, 0.2);
        assert.equal(await stepsOn(page, 0), 0);
        assert.equal(await page.locator("figure.dead").count(), 0);
    });
    await step("at the deadlock it is, and only under PFC", async () => {
        await slideTo(page, 0.51);
        assert.equal(await stepsOn(page, 0), 3);
        assert.equal(await stepsOn(page, 2), 0);
        assert.deepEqual(await page.locator('[data-run="0"] .switch.stuck text').allTextContents(), ["S1", "S2", "S3"]);
        assert.match(await page.locator('[data-run="0"] .caption').textContent(), /cycle is closed/);
    });
    await step("links that stand still are dashed", async () => {
        await page.getByRole("button", { name: "Whole run" }).click();
        await slideTo(page, 0.9);
        assert.equal(await page.locator('[data-run="0"] .link.still').count(), 6);
        assert.equal(await page.locator('[data-run="2"] .link.still').count(), 0);
    });
    await step("a click on a link shows its queue, rate and pause", async () => {
        await page.locator('[data-run="0"] .link[data-link="H2 → S2"] .hit').click({ force: true, position: { x: 5, y: 5 } })
            .catch(() => page.locator('[data-run="0"] .link[data-link="H2 → S2"] .hit').dispatchEvent("click"));
        assert.equal(await page.locator("#pick-link").inputValue(), "H2 → S2");
        const titles = await page.locator("#link .chart figcaption").allTextContents();
        assert.deepEqual(titles, ["Queue at S2 of packets from this link", "Rate of sending", "Share of time paused",
            "Rate that it may send at"]);
        assert.match(await page.locator("#link .crossing").textContent(), /H2-H1/);
        assert.ok(await page.locator("#link .uplot canvas").count() >= 4);
    });
    await step("a third run can be added and taken away", async () => {
        const box = page.getByRole("checkbox", { name: /^run 2: CBFC/ });
        await box.check();
        assert.equal(await page.locator("figure.network").count(), 3);
        assert.equal(await page.locator("#link .chart").nth(0).locator(".key").count(), 3);
        await box.uncheck();
        assert.equal(await page.locator("figure.network").count(), 2);
    });
    await step("colours by load and by rate", async () => {
        for (const name of ["Load", "Rate", "Blocked"]) {
            await page.getByRole("radio", { name }).check({ force: true });
            assert.ok(await page.getByRole("radio", { name }).isChecked());
        }
    });
    await step("a flow shows its path", async () => {
        await page.locator("table.flows").nth(0).getByRole("button", { name: "H1-H3", exact: true }).click();
        assert.equal(await page.locator('[data-run="0"] .link.onpath').count(), 4);
    });
    await step("what differs between the runs is said", async () => {
        const differ = page.locator("#settings table").first();
        assert.match(await differ.textContent(), /Settings that differ.*engine.*pfc.*gfc-buffer/s);
    });
}

async function checkKeys(page) {
    await step("the slider steps by a sample", async () => {
        await page.locator("#time").focus();
        const before = await page.locator(".now").textContent();
        await page.keyboard.press("ArrowRight");
        const after = await page.locator(".now").textContent();
        assert.equal(before, "2.9 ms");
        assert.equal(after, "3 ms");
    });
    await step("space plays and D goes to the deadlock", async () => {
        await page.getByRole("button", { name: "Whole run" }).click();
        await page.locator("h1").click();
        await page.keyboard.press(" ");
        const from = await page.locator(".now").textContent();
        await page.waitForFunction((t) => document.querySelector(".now").textContent !== t, from);
        await page.keyboard.press("d");
        assert.equal(await page.locator(".now").textContent(), "2.9 ms");
        assert.match(await page.locator(".play").textContent(), /Play/);
    });
    await step("everything that can be clicked can be reached by Tab", async () => {
        await page.locator("h1").click();
        await page.evaluate(() => window.scrollTo(0, 0));
        const seen = new Set();
        for (let i = 0; i < 60; i++) {
            await page.keyboard.press("Tab");
            seen.add(await page.evaluate(() => {
                const e = document.activeElement;
                return e.id || e.name || e.className || e.tagName;
            }));
        }
        for (const wanted of ["time", "pick-link", "find-flow", "colour", "play", "plain"]) {
            assert.ok(seen.has(wanted), `Tab never came to ${wanted}: ${[...seen]}`);
        }
    });
}

// The contrasts of all texts, by the formula of WCAG. A text in a drawing is on the shapes of its
// own group, each of which counts; other text is on the nearest background that is not transparent.
export function contrastsInPage() {
    const channel = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    const parse = (text) => text.match(/[\d.]+/g).map(Number);
    const light = ([r, g, b]) => 0.2126 * channel(r / 255) + 0.7152 * channel(g / 255) + 0.0722 * channel(b / 255);
    const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    const under = (e) => {
        for (let at = e; at; at = at.parentElement) {
            const colour = parse(getComputedStyle(at).backgroundColor);
            if (colour.length === 3 || colour[3] > 0.5) {
                return colour;
            }
        }
        return [255, 255, 255];
    };
    const shapes = (e) => [...e.parentElement.querySelectorAll("rect, circle")].filter((s) => !s.closest("clipPath")).map((s) => getComputedStyle(s).fill).filter((f) => f.startsWith("rgb("));
    const backs = (e) => (e.closest("svg") && shapes(e).length ? shapes(e).map(parse) : [under(e)]);
    const bad = [];
    for (const e of document.querySelectorAll("#app *")) {
        const hasText = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
        if (!hasText || e.closest(".tip, .skip, title") || !e.getClientRects().length) {
            continue;
        }
        const style = getComputedStyle(e), isDrawn = e.closest("svg") !== null;
        const worst = Math.min(...backs(e).map((b) => ratio(parse(isDrawn ? style.fill : style.color), b)));
        if (worst < 4.5 || (!isDrawn && parseFloat(style.fontSize) < 11.5)) {
            bad.push(`${e.className.baseVal ?? e.className} ${e.tagName} '${e.textContent.slice(0, 30)}' ${worst.toFixed(2)}`);
        }
    }
    return bad;
}

async function checkLooks(page) {
    await page.waitForSelector("#link .uplot canvas");
    for (const colorScheme of ["light", "dark"]) {
        await step(`text can be read, ${colorScheme}`, async () => {
            await page.emulateMedia({ colorScheme });
            assert.deepEqual(await page.evaluate(contrastsInPage), []);
        });
    }
    for (const width of [2200, 800, 360]) {
        await step(`fits a window of ${width}`, async () => {
            await page.setViewportSize({ width, height: 800 });
            await page.waitForFunction((w) => document.documentElement.scrollWidth <= w, width);
        });
    }
}

// The CPU time that a page takes for an action, in seconds, however busy the machine is.
async function workOf(page, something) {
    const session = await page.context().newCDPSession(page);
    const work = async () => (await session.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value;
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    const before = await work();
    await something();
    return await work() - before;
}

async function checkFatTree(browser, url) {
    const page = await open(browser, url);
    await step("opens with less than a second of work", async () => {
        const seconds = await workOf(page, async () => {
            await page.goto(url);
            await page.waitForSelector("figure.network .switch");
        });
        assert.ok(seconds > 0 && seconds < 1, `took ${seconds} s`);
    });
    await step("the ring closes in order", async () => {
        const order = await page.locator(".standstill").first().locator("tr.inring").evaluateAll((rows) =>
            rows.map((r) => [r.cells[0].textContent, r.cells[2].textContent]));
        assert.deepEqual(order, [["1", "A7 → C1"], ["2", "C2 → A7"], ["3", "A3 → C2"], ["4", "C1 → A3"]]);
    });
    await step("and is drawn link by link", async () => {
        // The cycle closes from 5.249 to 5.278 ms; the visible part of the time is twice as long.
        const share = (ms) => ms / (2 * 5.2782192);
        for (const [ms, n] of [[5.2, 0], [5.251, 1], [5.26, 2], [5.27, 3], [5.29, 4]]) {
            await page.evaluate((s) => {
                const slider = document.getElementById("time");
                slider.max = "100000";
                slider.step = "any";
                slider.value = String(1000 * s);
                slider.dispatchEvent(new Event("input"));
            }, share(ms));
            assert.equal(await stepsOn(page, 0), n, `at ${ms} ms`);
        }
    });
    await step("the picture can be saved", async () => {
        const { name, content } = await saved(page, page.locator('.network[data-run="0"]'), "SVG"), text = content.toString();
        assert.equal(name, "gfc-fat-tree-network-run-1-pfc.svg");
        assert.ok(text.startsWith("<svg ") && text.includes('xmlns="http://www.w3.org/2000/svg"'));
        assert.equal((text.match(/>A7</g) ?? []).length, 1);
        assert.ok(text.includes("stroke: rgb(152, 16, 74)") && !text.includes("oklab"));
    });
    await step("and is well formed whatever the names are", async () => {
        await page.evaluate(() => {
            const label = [...document.querySelectorAll('[data-run="0"] svg text')].find((e) => e.textContent === "C1");
            label.textContent = "a\u0001<b\uffff";
        });
        const { content } = await saved(page, page.locator('.network[data-run="0"]'), "SVG");
        assert.ok(content.toString().includes(">a\ufffd&lt;b\ufffd</text>"));
        assert.ok(!(await readSvg(page, content)).broken);
    });
    await step("the victim is named", async () => {
        assert.match(await page.locator(".card.bad").first().textContent(), /F5 is stuck behind it/);
    });
    await step("failed links are drawn as such", async () => {
        assert.equal(await page.locator('[data-run="0"] .link.down').count(), 6);
    });
    await done(page);
}

async function checkFlows(page) {
    await step("slowdown by size and as a distribution", async () => {
        const titles = await page.locator("#flows .chart figcaption").allTextContents();
        assert.ok(titles.includes("Slowdown by size of flow: how many times longer it took than alone"));
        assert.ok(titles.includes("Share of flows with at most this slowdown"));
    });
    await step("the table sorts and finds", async () => {
        await page.getByRole("button", { name: "slowdown" }).click();
        await page.getByRole("button", { name: "slowdown" }).click();
        const all = await page.locator("table.flows tbody tr td:last-child").allTextContents();
        const numbers = all.filter((t) => t !== "–").map((t) => parseFloat(t));
        assert.ok(numbers.length > 5);
        assert.deepEqual(numbers, [...numbers].sort((a, b) => b - a));
        await page.locator("#find-flow").fill("H1-");
        const names = await page.locator("table.flows tbody th").allTextContents();
        assert.ok(names.length && names.every((n) => n.includes("H1-")));
    });
}

// The completion times and slowdowns that `weir run` prints: a list of cells for each workload.
function printedCompletions(text) {
    const lines = text.split("\n");
    const rowsOf = (heading) => {
        const first = lines.findIndex((l) => l.startsWith(heading));
        return lines.slice(first + 1, lines.indexOf("", first)).map((l) => l.split(/ {2,}/)).filter((cells) => !/\d K?B/.test(cells[0]));
    };
    const slowdowns = rowsOf("slowdown");
    return rowsOf("completion").map((cells, i) => [...cells, ...slowdowns[i].slice(1)]);
}

// A run that ends too early for some flows, and one that waits for them.
function makeWorkloads() {
    const path = join(root, "tests", "page", "workloads.yaml");
    const runs = ["0s", "10ms"].map((runOut) => ["run", path, "--set", `run.run_out=${runOut}`]);
    const printed = runs.map((args) => printedCompletions(weir(...args, "--record", "workloads.db")));
    return { printed, ...JSON.parse(weir(...runs[0], "--json")), url: report("workloads.db") };
}

async function checkWorkloads(browser, { printed, flows, sizes, worst, url }) {
    const page = await open(browser, url);
    await step("completion times by workload are those that weir run prints, for each run", async () => {
        const shown = await page.locator("table.by-workload").evaluateAll((tables) => tables.map((t) => {
            // The text has this value on a separate line.
            const done = [...[...t.tHead.rows].at(-1).cells].findIndex((c) => c.textContent === "done");
            return [...t.tBodies[0].rows].map((r) => [...r.cells].filter((_, i) => i !== done).map((c) => c.textContent));
        }));
        const asPrinted = (text) => text.replace("over ", ">").replace("–", "-");
        assert.deepEqual(shown.map((rows) => rows.map((r) => r.map(asPrinted))), printed);
        assert.deepEqual(printed.map((rows) => [rows.length, rows[0][2] === rows[0][1]]), [[3, false], [3, true]]);
        assert.equal(await page.locator("table.by-workload thead th", { hasText: /^done$/ }).count(), 2);
        const boxes = await Promise.all((await page.locator("table.by-workload").all()).map((t) => t.boundingBox()));
        assert.equal(boxes[0].y, boxes[1].y);
    });
    await step("sizes and the worst flows are those of weir run --json, and a click on one chooses it", async () => {
        const bySize = await page.locator("table.by-size").first().locator("tbody tr").evaluateAll((rows) =>
            rows.map((r) => [...r.cells].slice(0, 3).map((c) => c.textContent)));
        assert.deepEqual(bySize, sizes.map((s) => [`${s.to_bytes / 1000} KB`, String(s.n_flows), String(s.n_finished)]));
        const names = page.locator("table.worst").first().locator("tbody th");
        assert.deepEqual(await names.allTextContents(), worst.map((f) => f.name));
        assert.equal(worst.length, 10);
        await names.first().getByRole("button").click();
        await page.locator("#find-flow").fill(worst[0].name);
        assert.deepEqual(await page.locator("table.flows").first().locator("tr.chosen th").allTextContents(), [worst[0].name]);
        await page.locator("#find-flow").fill("");
        await names.first().getByRole("button").click();
        assert.equal(await page.locator("table.flows tr.chosen").count(), 0);
    });
    await step("flows of the warm-up and flows that never started are told apart", async () => {
        const [, nFlows, nEnded] = printed[0][0].map(Number), nUnfinished = nFlows - nEnded, nWarmUp = flows.filter((f) => f.is_warm_up).length;
        assert.ok(nWarmUp > 5 && nUnfinished > 5);
        assert.ok((await page.locator(".card").first().textContent()).includes(`${nEnded} of ${nFlows} measured flows ` +
            `finished, ${nWarmUp} more started in the warm-up, 1 more sent without end, 1 more never started.`));
        for (let more = page.getByRole("button", { name: /^Show .* more/ }).first(); await more.count();) {
            await more.click();
        }
        const table = page.locator("table.flows").first();
        const rows = await table.locator("tbody tr").evaluateAll((all) => all.map((r) => [...r.cells].map((c) => c.textContent)));
        assert.deepEqual(rows.map((r) => r[0].endsWith(" warm-up")), flows.map((f) => f.is_warm_up === true));
        assert.deepEqual(rows.filter((r) => r[4] === "never started").map((r) => r[1]), ["1 KB"]);
    });
    await done(page);
}

async function checkTotals(browser, urls) {
    let page = await open(browser, urls.many);
    await step("flows are counted beyond those that the page lists, and it says which it lists", async () => {
        const all = urls.flows.length.toLocaleString("en");
        const finished = urls.times.n_finished.toLocaleString("en");
        assert.ok(urls.flows.length > 20000);
        assert.ok((await page.locator(".card").textContent()).includes(`${finished} of ${all} flows finished.`));
        assert.ok((await page.locator("#flows").textContent()).includes(`The page has the first 20,000 of ${all} flows`));
    });
    await done(page);
    page = await open(browser, urls.storm);
    await step("what did not arrive is told by cause", async () => {
        assert.match(await page.locator(".card .gone").textContent(), /^[1-9][0-9,]* packets were dropped by the watchdog: /);
    });
    await done(page);
    page = await open(browser, urls.seeds);
    await step("runs of a comparison stand in its order, with their numbers, named by what differs", async () => {
        const told = await page.locator(".chooser strong").allTextContents();
        assert.deepEqual(told.map((t) => t.replace(/^run \d: /, "")), ["PFC, seed 2", "PFC, seed 1", "CBFC, seed 2", "CBFC, seed 1"]);
        const listed = [...weir("export", "seeds.db").matchAll(/^ *(\d) .*gfc-ring +(.*)$/gm)];
        assert.deepEqual(told, listed.map(([, number, name]) => `run ${number}: ${name.replace(/^\w+/, (engine) => engine.toUpperCase())}`));
    });
    await done(page);
}

// A run whose pipeline stops if an output is full, and one whose pipeline drops.
function makePipeline() {
    const pipeline = join(root, "tests", "page", "pipeline.yaml");
    weir("run", pipeline, "--record", "pipeline.db");
    const ran = JSON.parse(weir("run", pipeline, "--set", "switch.full=drop", "--record", "pipeline.db", "--json"));
    return { url: report("pipeline.db"), nDropped: ran.n_dropped_output };
}

async function checkPipeline(browser, { url, nDropped }) {
    const page = await open(browser, url);
    await step("of a pipelined switch all three places where packets are have a chart, in plain words", async () => {
        // The longest queue is at its end.
        assert.equal(await page.locator("#pick-link").inputValue(), "H2 → S1");
        await page.locator("#pick-link").selectOption("S1 → H1");
        const titles = await page.locator("#link .chart figcaption").allTextContents();
        assert.deepEqual(titles.slice(0, 2), ["Inside S1, between all inputs and all outputs", "Queue at the output of S1 of packets to this link"]);
        assert.match(await page.locator("#link .zeros").textContent(), /^Always 0: queue at the input of H1 of packets from this link; /);
        assert.ok(await page.locator("#link .uplot canvas").count() >= 3);
    });
    await step("the switch is as full as its fullest output", async () => {
        await slideTo(page, 0.9);
        const share = await page.locator(".switch").first().evaluate((g) =>
            Number(g.querySelector(".water").getAttribute("height")) / Number(g.querySelector("rect").getAttribute("height")));
        assert.ok(share > 0.98, String(share));
    });
    await step("drops at outputs are told apart", async () => {
        const told = await page.locator(".card .gone").allTextContents();
        assert.equal(told.length, 1);
        assert.ok(told[0].startsWith(`${nDropped.toLocaleString("en")} packets were dropped for lack of room at an output: from `), told[0]);
        assert.equal(await page.locator(".card.bad .headline").textContent(), "2 flows got less than a tenth of their fair share");
        assert.equal(await page.locator(".numbers dl").nth(1).locator("dd.figure").nth(3).textContent(), nDropped.toLocaleString("en"));
    });
    await done(page);
}

async function checkOdd(page) {
    await step("a run with nothing sampled says so", async () => {
        assert.match(await page.locator("figure.network .caption").textContent(), /^No port was sampled over time\. The picture shows the whole run/);
        for (const nothing of ["#link", "#why"]) {
            assert.equal(await page.locator(nothing).isVisible(), false, nothing);
        }
        assert.deepEqual(await page.locator(".contents a").allTextContents(), ["What happened", "Network over time", "Flows", "Cost of control frames", "Settings"]);
        assert.match(await page.locator("#flows").textContent(), /was not sampled/);
    });
}

export function execSql(db, sql) {
    execFileSync("python3", ["-c", "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1])\n" +
        "for sql in sys.argv[2:]: db.execute(sql)\ndb.commit()", db, ...sql], { cwd: folder });
}

// Adds claims as `weir reproduce --record` would, which takes a minute.
function makeClaims(db) {
    const row = (what, unit, arbitration, published, measured, holds, lowest = "NULL", highest = "NULL") =>
        "INSERT INTO claim (study, scenario, is_sample, source, engine, what, unit, arbitration, sign, published, " +
        `measured, lowest, highest, holds, n_runs, build) VALUES ('gfc', 'gfc-ring', 0, 'Fig. 9', 'gfc-buffer', '${what}', '${unit}', ` +
        `'${arbitration}', '=', ${published}, ${measured}, ${lowest}, ${highest}, ${holds}, 1, 'x')`;
    execSql(db, [row("deadlock", "yes", "fifo", 0, 0, 1), row("deadlock", "yes", "rr", 0, 0, 1),
        row("goodput of H1-H3", "bps", "fifo", 5e9, 8.47e7, 0), row("goodput of H1-H3", "bps", "rr", 5e9, 4.98e9, 1),
        row("queue", "bytes", "rr", 8.4e5, "NULL", "NULL"), row("fct-max", "ps", "rr", 5e9, 6e9, 0, 4e9, 6e9)]);
}

async function checkClaims(page) {
    await step("what was published stands beside what was measured", async () => {
        const rows = await page.locator("#claims tbody tr").evaluateAll((all) => all.map((r) =>
            [...r.cells].slice(2, 5).map((c) => c.innerText.trim().replace(/\s+/g, " "))));
        assert.deepEqual(rows, [["deadlock", "no", "no ✓ all"],
            ["goodput of H1-H3", "5 Gb/s", "84.7 Mb/s ✗ fifo 4.98 Gb/s ✓ rr"], ["queue", "840 KB", ""],
            ["fct-max", "5 ms", "6 ms ✗ rr 4 ms to 6 ms in single runs"]]);
        assert.equal(await page.locator("#claims .dots").first().locator("circle").count(), 2);
        assert.match(await page.locator("#claims").textContent(), /4 claims; of 5 outcomes that could be judged, 3 agree with the paper/);
    });
}

// Damages results: references that lead nowhere, and a name that would be a script.
function makeNonsense(db) {
    execSql(db, ["UPDATE port SET peer = 4000000, node = 77 WHERE id = 3",
        "UPDATE series SET object_id = 99999 WHERE id % 5 = 0",
        "UPDATE node SET name = '</script><script>document.title = 1/0</script>' WHERE id = 0",
        "UPDATE flow SET path = 'x -1 9e9' WHERE id = 0", "UPDATE event SET port = 5000 WHERE kind = 'stuck'",
        "UPDATE event SET flow = 5000 WHERE kind = 'held'", "DELETE FROM parameter"]);
}

function makeLab(db) {
    execSql(db, ["UPDATE run SET host = 'lab', tau_derived_ps = 245000000, tau_measured_max_ps = 512000000"]);
}

async function checkLab(page) {
    await step("a lab's run is said to be one, alone in its file, with its tau", async () => {
        const said = await page.locator("#settings").textContent();
        assert.match(said, /, lab: .* in a lab, tau up to 512 us \(measured; thresholds were derived for 245 us\)/);
    });
}

// Runs with two ways to choose the blamed flow, at the same hotspot, with their results in JSON.
function makeHotspot() {
    const run = (blame) => JSON.parse(weir("run", join(root, "tests", "page", "hotspot.yaml"), "--set",
        `engines.qcn.blame=${blame}`, "--json", "--record", "hotspot.db"));
    const ran = ["arrival", "occupancy"].map(run);
    return { ran, url: report("hotspot.db") };
}

// Runs with two transports over the same switch, which marks, with their results in JSON.
function makeSenders() {
    const run = (transport) => JSON.parse(weir("run", study("dcqcn.yaml"), "--set", `transport=${transport}`, "--set", "run.time=1ms",
        "--json", "--record", "senders.db"));
    return { ran: ["dcqcn", "dctcp"].map(run), url: report("senders.db") };
}

async function checkSenders(browser, { ran, url }) {
    const page = await open(browser, url);
    const titles = (quantity) => page.locator(`#flows [data-quantity="${quantity}"] figcaption`).allTextContents();
    await step("what transports set is drawn: a rate of the one, a window of the other", async () => {
        assert.deepEqual((await titles("pace")).map((t) => t.split(",")[0]), Array(2).fill("Rate that the transport sets"));
        assert.deepEqual((await titles("window")).map((t) => t.split(",")[0]), Array(2).fill("Window that the transport sets"));
        await page.waitForSelector('#flows [data-quantity="window"] canvas');
        await slideTo(page, 1);
        const last = (quantity, i) => page.locator(`#flows [data-quantity="${quantity}"] .chart`).nth(i).locator(".u-value").nth(1).textContent();
        await eventually(async () => {
            assert.match(await last("pace", 0), /^[0-9.]+ [GM]b\/s$/);
            assert.match(await last("window", 1), /^[0-9.]+ K?B$/);
            assert.deepEqual([await last("pace", 1), await last("window", 0)], ["–", "–"]);
        });
    });
    await step("marks, CNPs and rates are told as the runs counted them", async () => {
        const n = (v) => (v === null ? "–" : v.toLocaleString("en"));
        assert.deepEqual(await page.locator(".card .marks").allTextContents(), [
            `Switches marked ${n(ran[0].n_marked)} packets (ECN); receivers sent ${n(ran[0].n_cnps)} CNPs because of that.`,
            `Switches marked ${n(ran[1].n_marked)} packets (ECN).`]);
        const heads = await page.locator("table.feedback thead th").allTextContents();
        for (const [title, key] of [["rate changes", "n_rate_changes"], ["ECN marks", "n_marked"], ["CNPs", "n_cnps"]]) {
            const cells = await page.locator(`table.feedback tbody tr > :nth-child(${heads.indexOf(title) + 1})`).allTextContents();
            assert.deepEqual(cells, ran.map((r) => n(r[key])));
        }
    });
    await done(page);
}

async function checkHotspot(browser, { ran, url }) {
    const page = await open(browser, url);
    const labels = await page.locator("figure.network figcaption strong").allTextContents();
    const row = (quantity) => page.locator(`#flows [data-quantity="${quantity}"]`);
    const valueOf = (chart, flow) => chart.locator(".u-series", { hasText: flow }).locator(".u-value").first().textContent();
    await step("what flows do at their senders stands run beside run", async () => {
        assert.equal(labels.length, 2);
        for (const [quantity, title] of [["received", "Goodput"], ["sent", "Throughput at the sender"],
            ["limit", "Rate that engines hold a flow to"], ["messages", "Congestion messages received by the sender"]]) {
            assert.deepEqual(await row(quantity).locator("figcaption").allTextContents(), labels.map((l) => `${title}, ${l}`));
            assert.deepEqual(await row(quantity).locator(".chart").first().locator(".key").allTextContents(), ["f1", "f2", "f3", "f4"]);
            const boxes = await Promise.all((await row(quantity).locator(".chart").all()).map((c) => c.boundingBox()));
            assert.equal(boxes[0].y, boxes[1].y);
        }
    });
    await step("a flow that nothing limits has a gap, not a number", async () => {
        await page.waitForSelector('#flows [data-quantity="limit"] canvas');
        const limit = () => valueOf(row("limit").locator(".chart").first(), "f3");
        await slideTo(page, 0);
        await eventually(async () => assert.equal(await limit(), "–"));
        await slideTo(page, 1);
        await eventually(async () => assert.match(await limit(), /^[0-9.]+ [GM]b\/s$/));
    });
    await step("messages are counted by flow and in all", async () => {
        for (const [i, { flows, n_messages_sent: sent, n_messages_received: received }] of ran.entries()) {
            assert.equal(await page.locator(".card .messages").nth(i).textContent(),
                `Switches sent ${sent} messages about congestion; senders received ${received} of them.`);
            const shown = await page.locator("table.flows").nth(i).locator("tbody tr td:last-child").allTextContents();
            assert.deepEqual(shown, flows.map((f) => String(f.n_messages)));
            assert.equal(await valueOf(row("messages").locator(".chart").nth(i), "f2"), String(flows[1].n_messages));
        }
    });
    await step("what each flow holds of an input stands with the link that leads there", async () => {
        await page.locator("#pick-link").selectOption("A → S1");
        const held = page.locator("#link .chart", { hasText: "Held by each flow" });
        assert.deepEqual(await held.locator("figcaption").allTextContents(),
            labels.map((l) => `Held by each flow at the input of S1 from this link, ${l}`));
        assert.deepEqual(await held.first().locator(".key").allTextContents(), ["f1", "f2"]);
        await page.locator("#pick-link").selectOption("S1 → cold");
        assert.equal(await page.locator("#link .chart", { hasText: "Held by each flow" }).count(), 0);
    });
    await done(page);
}

async function checkNonsense(page) {
    await step("nonsense in a file does no harm", async () => {
        assert.equal(await page.locator("figure.network .switch").count(), 3);
        assert.match(await page.locator("h1").textContent(), /gfc-ring/);
        assert.match(await page.locator(".switch text").first().textContent(), /script/);
    });
}

function makeResults() {
    for (const engine of ["pfc", "cbfc", "gfc-buffer"]) {
        weir("run", study("ring.yaml"), "--set", `engine=${engine}`, "--record", "ring.db");
    }
    for (const engine of ["pfc", "gfc-buffer"]) {
        weir("run", study("fat-tree.yaml"), "--set", `engine=${engine}`, "--record", "fat.db");
    }
    weir("run", join(root, "tests", "page", "flows.yaml"), "--record", "flows.db");
    weir("run", join(root, "studies", "storm", "drop.yaml"), "--record", "storm.db");
    weir("compare", study("ring.yaml"), "--over", "engine=pfc,cbfc", "--over", "run.seed=2,1", "--record", "seeds.db");
    weir("run", study("ring.yaml"), "--set", "record.ports=none", "--set", "record.flows=none", "--record", "bare.db");
}

async function main() {
    makeResults();
    await withBrowser(async (browser) => {
        const ring = report("ring.db");
        await withPage(browser, ring, checkRing);
        await withPage(browser, ring, checkKeys);
        await withPage(browser, ring, checkLooks);
        await checkFatTree(browser, report("fat.db"));
        await withPage(browser, report("flows.db"), checkFlows);
        await checkWorkloads(browser, makeWorkloads());
        const { flows, workloads } = JSON.parse(weir("run", join(root, "tests", "page", "many.yaml"), "--json", "--record", "many.db"));
        await checkTotals(browser, { flows, times: workloads[0], many: report("many.db"), storm: report("storm.db"), seeds: report("seeds.db") });
        await checkPipeline(browser, makePipeline());
        await checkHotspot(browser, makeHotspot());
        await checkSenders(browser, makeSenders());
        await withPage(browser, report("bare.db"), checkOdd);
        makeLab("bare.db");
        await withPage(browser, report("bare.db"), checkLab);
        makeClaims("ring.db");
        await withPage(browser, report("ring.db"), checkClaims);
        weir("run", study("ring.yaml"), "--record", "odd.db");
        makeNonsense("odd.db");
        await withPage(browser, report("odd.db"), checkNonsense);
    });
    finish();
}

if (process.argv[1].endsWith("browser.mjs")) {
    await main();
}
