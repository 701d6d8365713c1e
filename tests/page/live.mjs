// Drives a real browser over a server: node live.mjs PROGRAM ROOT
// Starts a run from the form, watches its results arrive, and stops it.
import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { done, eventually, finish, folder, open, root, step, study, weir, withBrowser, withPage, withServer } from "./browser.mjs";

async function openForm(page) {
    await page.getByRole("button", { name: "New run…" }).click();
    await page.waitForSelector("#set-engine");
}

async function chooseEngines(page, off, on) {
    for (const name of off) {
        await page.locator(`#set-engine input[value="${name}"]`).uncheck();
    }
    for (const name of on) {
        await page.locator(`#set-engine input[value="${name}"]`).check();
    }
}

const GROUPS = ["Run", "Topology", "Traffic", "workload", "Scheme", "engine", "pfc", "ecn"];

const field = (page, key) => page.locator(`.field:has([id='set-${key}'])`);

async function checkForm(page) {
    await page.locator("figure.network").first().waitFor();
    await openForm(page);
    await page.locator("#scenario").selectOption("ring.yaml");
    await page.locator(".field:has([id='set-run.time']) small", { hasText: "Set in ring.yaml" }).waitFor();
    await step("fields stand in groups, with their meaning, unit, range and origin", async () => {
        assert.deepEqual(await page.locator("dialog fieldset.group > legend").allTextContents(), ["Run", "Topology", "Traffic", "Scheme"]);
        assert.match(await field(page, "run.time").locator("small").textContent(), /^Simulated time.* A time, such as 5us\. From 1us to 1000s\. Set in ring\.yaml:\d+\.$/);
        assert.match(await field(page, "run.seed").locator("small").textContent(), /A whole number\. From 0 to 4294967295\./);
        assert.match(await field(page, "switch.arbitration").locator("small").textContent(), /(Default|Set in ring\.yaml:\d+)\.$/);
        assert.equal(await page.locator("dialog details[open]").count(), 0);
    });
    await step("the name of a key breaks between its words alone", async () => {
        await page.locator("dialog details").evaluateAll((all) => all.forEach((d) => (d.open = true)));
        const broken = await page.locator("dialog .field label").evaluateAll((all) => all.flatMap((label) => [...label.childNodes]).filter((part) => {
            const range = document.createRange();
            range.selectNodeContents(part);
            return part.nodeType === Node.TEXT_NODE && range.getClientRects().length > 1;
        }).map((part) => part.data));
        assert.deepEqual(broken, []);
        assert.ok(await field(page, "switch.arbitration").locator("label").evaluate((label) => label.offsetHeight) > 30);
        await page.locator("dialog details").evaluateAll((all) => all.forEach((d) => (d.open = false)));
    });
    await step("every value that can be set has one field", async () => {
        const keys = await page.locator("dialog .field :is(input, select)").evaluateAll((all) => all.map((e) => e.id.replace("set-", "")));
        assert.equal(new Set(keys).size, keys.length);
        const values = JSON.parse(weir("explain", "ring.yaml", "--json")).values.map((v) => v.key);
        const wanted = values.filter((k) => k !== "engine" && (!k.startsWith("engines.") || k.startsWith("engines.pfc.")));
        assert.deepEqual([...keys].sort(), wanted.sort());
    });
    await step("a change is marked and counted, and by keyboard alone a run is started", async () => {
        await page.locator("[id='set-run.seed']").focus();
        await page.keyboard.press("Control+A");
        await page.keyboard.type("7");
        assert.deepEqual(await page.locator(".field.changed label").allTextContents(), ["run.seed"]);
        assert.equal(await page.locator("dialog output.quiet").textContent(), "1 change");
        await page.locator("#results").focus();
        await page.keyboard.press("Control+A");
        await page.keyboard.type("keys.db");
        await page.keyboard.press("Enter");
        await page.locator(".run", { hasText: /keys\.db · / }).waitFor();
        assert.ok(await page.locator("dialog").isHidden());
    });
}

async function checkEmpty(page) {
    await step("an empty folder says what to do", async () => {
        await page.getByText("No results in this folder yet").waitFor();
        assert.ok(await page.locator("main").isHidden());
    });
    await step("a run is started from the form, and arrives", async () => {
        await openForm(page);
        assert.equal(await page.locator("#scenario").inputValue(), "ring.yaml");
        assert.match(await page.locator("#set-engine").textContent(), /gfc-time/);
        await page.locator("[id='set-run.time']").fill("50ms");
        await page.getByRole("button", { name: "Start" }).click();
        await page.getByText("Deadlock at 2.8 ms").first().waitFor();
        assert.ok(await page.locator("figure.network").isVisible());
        assert.equal(await page.locator(".job").count(), 1);
    });
    await step("the same under another scheme stands beside it", async () => {
        await openForm(page);
        await chooseEngines(page, ["pfc"], ["gfc-buffer"]);
        await page.locator("[id='set-engines.gfc-buffer.b1']").fill("740KB");
        await page.getByRole("button", { name: "Start" }).click();
        await page.locator("figure.network").nth(1).waitFor();
        assert.deepEqual(await page.locator("figure.network figcaption strong").allTextContents(),
            ["run 1: PFC", "run 2: buffer-based GFC, engines.gfc-buffer.b1=740KB"]);
        assert.match(await page.locator("#settings table").first().textContent(), /b1.*740KB/s);
    });
}

async function checkLong(page) {
    await page.locator("figure.network").first().waitFor();
    await step("a long run grows while one looks, and can be stopped", async () => {
        await openForm(page);
        await page.locator("[id='set-run.time']").fill("900s");
        await page.locator("[id='set-record.every']").evaluate((box) => { box.value = "20ms"; });
        await page.locator("[id='set-switch.arbitration']").selectOption("rr");
        await page.locator("#results").fill("long.db");
        await page.getByRole("button", { name: "Start" }).click();
        await page.locator(".card", { hasText: "PFC, round robin" }).getByText("No deadlock so far").waitFor();
        await page.locator("figure.network", { hasText: "PFC, round robin" }).getByText("link directions in use").waitFor();
        await page.waitForFunction(() => /[\d.]{3} m?s$/.test(document.querySelector(".now").textContent));
        const before = await page.locator(".now").textContent();
        await page.waitForFunction((t) => document.querySelector(".now").textContent !== t, before);
        await page.getByRole("button", { name: /^Stop/ }).click();
        await page.getByText(/^The run was stopped at/).waitFor();
        await page.locator(".job", { hasText: "was stopped" }).waitFor();
        assert.equal(await page.locator(".job.broken").count(), 0);
    });
}

async function checkDetail(page) {
    await step("what is brought into sight is shown in more detail", async () => {
        const note = page.locator("#link .chart").first().getByText("the range of 8 samples");
        await page.getByRole("button", { name: "Whole run" }).click();
        await note.waitFor();
        await page.getByRole("button", { name: /To the deadlock/ }).click();
        await note.waitFor({ state: "detached" });
    });
    await step("and zooming in goes down to one sample", async () => {
        await page.locator(".sight", { hasText: "a sample every 8 us" }).waitFor();
        for (let i = 0; i < 12; i++) {
            await page.getByRole("button", { name: "Zoom in" }).click();
        }
        assert.match(await page.locator(".sight").textContent(), /^8 us in sight/);
        // The chart has means instead of single samples.
        await page.locator('#flows [data-quantity="received"]').getByText("Averaged over 24 us").first().waitFor();
    });
}

// Delays requests until the test has looked at the page.
async function checkLoading(browser, url) {
    const page = await open(browser, "about:blank"), held = { state: [], run: [] };
    for (const [what, waiting] of Object.entries(held)) {
        await page.route((address) => address.pathname === `/api/${what}`, (request) => waiting.push(request));
    }
    const goOn = async (what) => {
        await eventually(() => assert.ok(held[what].length));
        await held[what].shift().continue();
    };
    await step("a page that loads its runs says so", async () => {
        await page.goto(url);
        assert.equal(await page.locator("h1").textContent(), "Loading runs…");
        await goOn("state");
        await page.locator(".library [role=status]", { hasText: /^Loading 1 run…$/ }).waitFor();
        assert.ok(await page.locator(".library input:checked").isVisible());
        assert.equal(await page.locator("h1").textContent(), "Loading runs…");
        await goOn("run");
        await page.locator("h1", { hasText: "gfc-ring" }).waitFor();
        assert.equal(await page.locator(".library [role=status]").textContent(), "");
    });
    await step("only then it says that no run is selected", async () => {
        await page.locator(".library input:checked").click();
        await page.locator("h1", { hasText: "No run is selected" }).waitFor();
    });
    await done(page);
}

async function checkPipeline(browser, url) {
    copyFileSync(join(root, "tests", "page", "pipeline.yaml"), join(folder, "pipeline.yaml"));
    const page = await open(browser, url);
    await page.locator("figure.network").first().waitFor();
    await step("the form of a pipelined switch has the keys of its kind, and of all its engines", async () => {
        await openForm(page);
        await page.locator("#scenario").selectOption("pipeline.yaml");
        const egress = page.locator("[id='set-switch.egress']");
        // By then the form of the other scenario is gone.
        await egress.waitFor({ state: "attached" });
        await page.locator("dialog summary", { hasText: "Advanced" }).click();
        await page.locator("dialog summary", { hasText: /^switch$/ }).click();
        await egress.fill("45KB");
        await page.locator("[id='set-switch.full']").selectOption("drop");
        assert.deepEqual(await page.locator("dialog legend").allTextContents(), GROUPS);
        await page.locator("#results").fill("pipeline.db");
        await page.getByRole("button", { name: "Start" }).click();
        await page.getByText(/packets were dropped for lack of room at an output/).waitFor({ state: "attached" });
    });
    await done(page);
}

async function checkStack(page) {
    await page.locator("figure.network").first().waitFor();
    await step("a stack of engines and a workload are chosen", async () => {
        await openForm(page);
        await chooseEngines(page, [], ["ecn"]);
        assert.equal(await page.locator(".stack-order").textContent(), "Stack: pfc → ecn");
        assert.deepEqual(await page.locator("dialog legend").allTextContents(), GROUPS);
        // The scenario has no setting of ECN.
        await page.locator("[id='set-engines.ecn.kmin']").fill("20KB");
        await page.locator("#set-workload").selectOption("permutation");
        await page.locator("#workload-bytes").fill("30KB");
        await page.locator("#keep-flows").uncheck();
        await page.locator("[id='set-run.time']").fill("1ms");
        await page.locator("#results").fill("stack.db");
        await page.getByRole("button", { name: "Start" }).click();
        await page.locator(".card", { hasText: "PFC + ECN, FIFO" }).waitFor();
        await page.locator("#flows table.flows", { hasText: "30 KB" }).first().waitFor();
    });
    await step("a run is started again with one value changed", async () => {
        await page.getByRole("button", { name: /^Run again, with changes: stack\.db run 1: PFC \+ ECN, FIFO$/ }).last().click();
        await page.waitForSelector("#set-engine");
        assert.equal(await page.locator("#form-title").textContent(), "Run again, with changes");
        assert.match(await page.locator("#scenario").inputValue(), /^stack\.db#1$/);
        assert.equal(await page.locator("[id='set-run.time']").inputValue(), "1ms");
        assert.equal(await page.locator(".stack-order").textContent(), "Stack: pfc → ecn");
        await page.locator("[id='set-switch.buffer']").evaluate((box) => { box.value = "2MB"; });
        await page.getByRole("button", { name: "Start" }).click();
        await page.locator(".run", { hasText: /run 2: .*stack\.db · complete/ }).waitFor();
        await page.locator(".card h3", { hasText: /^stack\.db run 2: switch\.buffer=2MB$/ }).waitFor();
        await page.locator(".card h3", { hasText: /^stack\.db run 1: PFC \+ ECN, FIFO$/ }).waitFor();
        assert.match(await page.locator("#settings table").first().textContent(), /switch\.buffer.*2000KB|switch\.buffer.*2MB/s);
    });
    await step("also with a workload in place of flows that claims name", async () => {
        await page.locator('.library input[value="long.db#1"]').check();
        await page.getByRole("button", { name: /^Run again, with changes: long\.db run 1: / }).click();
        await page.waitForSelector("#set-engine");
        await page.locator("#set-workload").selectOption("permutation");
        await page.locator("#workload-bytes").fill("20KB");
        await page.locator("#keep-flows").uncheck();
        await page.locator("[id='set-run.time']").fill("1ms");
        await page.getByRole("button", { name: "Start" }).click();
        await page.locator(".run", { hasText: /run 2: .*long\.db · complete/ }).waitFor();
    });
}

async function checkRefusals(browser, url) {
    const page = await open(browser, url);
    await page.locator("figure.network").first().waitFor();
    const problem = page.locator("dialog .field-problem");
    await step("what cannot be run says why beside its field, and nothing is started", async () => {
        const nJobs = await page.locator(".job").count();
        await openForm(page);
        await page.locator("[id='set-run.time']").fill("50 parsecs");
        await page.getByRole("button", { name: "Start" }).click();
        await page.locator(".field:has([id='set-run.time']) .field-problem", { hasText: "is not a time" }).waitFor();
        assert.equal(await page.locator("[id='set-run.time']").getAttribute("aria-invalid"), "true");
        assert.equal(await page.locator(".job").count(), nJobs);
    });
    await step("also in a section that is folded, where engines disagree, and in a pattern", async () => {
        await page.locator("[id='set-run.time']").fill("1ms");
        await page.locator("[id='set-wire.mtu']").evaluate((box) => { box.value = "huge"; });
        await page.getByRole("button", { name: "Start" }).click();
        await page.locator("[id='set-wire.mtu'][aria-invalid]").waitFor();
        assert.equal(await problem.count(), 1);
        await page.locator("[id='set-wire.mtu']").fill("1500B");
        await page.locator("[id='set-engines.pfc.xon']").fill("900KB");
        await page.getByRole("button", { name: "Start" }).click();
        await page.locator(".field:has([id='set-engines.pfc.xon']) .field-problem", { hasText: "must be below xoff" }).waitFor();
        await page.locator("[id='set-engines.pfc.xon']").fill("797KB");
        await page.locator("#set-workload").selectOption("poisson");
        await page.locator("#workload-load").fill("50");
        await page.getByRole("button", { name: "Start" }).click();
        await problem.getByText("it must lie between").waitFor();
        assert.ok(await page.locator("dialog").isVisible());
    });
    await step("nor what does not fit the folder", async () => {
        await page.locator("#set-workload").selectOption("");
        await page.locator("#results").fill("../out.db");
        await page.getByRole("button", { name: "Start" }).click();
        await page.locator("dialog .broken", { hasText: "must be the name of a file" }).waitFor();
        await page.getByRole("button", { name: "Cancel" }).click();
    });
    // In the last step the server refused a request, which the browser logs.
    page.complaints = page.complaints.filter((c) => !/status of 400/.test(c));
    await done(page);
}

async function checkMixed(page) {
    await step("runs that are shown first are of one scenario, the newest", async () => {
        await page.locator("figure.network").first().waitFor();
        assert.deepEqual(await page.locator(".library input:checked").evaluateAll((all) => all.map((e) => e.value)), ["mixed.db#2"]);
        assert.equal(await page.locator("h1").textContent(), "gfc-ring");
    });
}

async function checkToken(page) {
    await step("with a token in its address the page is served", async () => {
        await page.locator("figure.network").first().waitFor();
        await openForm(page);
    });
}

copyFileSync(study("ring.yaml"), join(folder, "ring.yaml"));
await withBrowser(async (browser) => {
    await withServer([""], async (url) => {
        await withPage(browser, url, checkEmpty);
        await withPage(browser, url, checkLong);
        await checkPipeline(browser, url);
        await withPage(browser, url, checkStack);
        await withPage(browser, url, checkForm);
        await checkRefusals(browser, url);
    });
    weir("run", "ring.yaml", "--set", "record.every=8us", "--record", "fine.db");
    await withServer(["fine.db"], async (url) => {
        await checkLoading(browser, url);
        await withPage(browser, url, checkDetail);
    });
    for (const scenario of [join(root, "tests", "page", "flows.yaml"), "ring.yaml"]) {
        weir("run", scenario, "--set", "run.time=50us", "--record", "mixed.db");
    }
    await withServer(["mixed.db"], (url) => withPage(browser, url, checkMixed));
    await withServer(["", "--token-file", join(folder, "token")], (url) => withPage(browser, url, checkToken));
});
finish();
