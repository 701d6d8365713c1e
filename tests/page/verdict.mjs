// The verdict on a run and the strip of numbers, in a real browser: node verdict.mjs PROGRAM ROOT
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { eventually, execSql, finish, folder, program, report, root, step, study, weir, withBrowser, withPage } from "./browser.mjs";

const scenario = (name) => join(root, "tests", "page", name);

const figures = (page) => page.locator(".numbers dl div").evaluateAll((all) =>
    all.map((d) => [...d.querySelectorAll("dd")].map((e) => e.textContent)));

// Facts that the test changes in a run, one after the other: each hides those that are less severe.
const SEVERITIES = [
    ["n_silent_hosts = 2, n_collapsed = 3", "bad", "2 hosts were silent at the end"],
    ["n_silent_hosts = 0, n_silent_flows = 1", "bad", "1 flow made no progress at the end"],
    ["n_silent_flows = 0, n_silent_queues = 4", "bad", "4 queues were silent at the end"],
    ["n_silent_queues = 0", "bad", "3 flows got less than a tenth of their fair share"],
    ["n_collapsed = 0, n_dropped = 7, n_dropped_lossless = 5", "bad", "5 packets of a lossless class were dropped"],
    ["n_dropped_lossless = 0, n_finished = n_finite - 2", "warn", "2 of 112 flows did not finish"],
    ["n_finished = n_finite", "warn", "Slow: p99 slowdown of 25.8"],
];

async function checkSeverities(browser) {
    weir("run", scenario("incast.yaml"), "--record", "incast.db");
    for (const [facts, level, words] of SEVERITIES) {
        execSql("incast.db", [`UPDATE run SET ${facts}`]);
        await withPage(browser, report("incast.db"), async (page) => {
            await step(`the most severe thing is the verdict: ${words}`, async () => {
                assert.equal(await page.locator(`.card.${level} .headline`).textContent(), words);
                assert.equal(await page.locator(`.numbers .verdict.${level}`).textContent(), words);
            });
        });
    }
}

async function checkGood(browser) {
    weir("run", scenario("leaf-spine.yaml"), "--set", "workload.load=0.05", "--set", "run.run_out=1s", "--record", "calm.db");
    await withPage(browser, report("calm.db"), async (page) => {
        await step("a run without trouble is good", async () => {
            assert.equal(await page.locator(".card.good .headline").textContent(), "No deadlock, no drops");
        });
    });
}

// A job has a table, and its connections are no flows without an end.
async function checkJobs(browser) {
    const ran = JSON.parse(weir("run", scenario("job.yaml"), "--json", "--record", "job.db"));
    await withPage(browser, report("job.db"), async (page) => {
        await step("a job has its time in a sentence and in a table", async () => {
            assert.match(await page.locator(".card.good").first().textContent(), /all-reduce took 61.4 us\./);
            assert.equal(ran.workloads[1].job_ps, 61372800);
            const table = page.locator("table.completions.by-job");
            assert.deepEqual((await table.locator("tbody tr").first().locator("th, td").allTextContents()).slice(0, 2), ["all-reduce", "61.4 us"]);
            assert.equal(await page.locator("table.completions.by-workload").count(), 0);
        });
        await step("connections carry messages", async () => {
            const cells = await page.locator("table").filter({ hasText: "in the 2nd half" }).locator("tbody td").allTextContents();
            assert.ok(cells.includes("messages") && !cells.includes("endless") && !cells.includes("never started"), cells.join());
        });
    });
}

// The strip has the numbers of `weir run --json` for the same run, in the units of the page.
async function checkNumbers(browser) {
    const ran = JSON.parse(weir("run", scenario("incast.yaml"), "--json", "--record", "numbers.db"));
    await withPage(browser, report("numbers.db"), async (page) => {
        const [verdict, completion, pauses, drops, peak, busiest] = await figures(page);
        const near = (text, ps) => assert.ok(Math.abs(parseFloat(text) * (text.includes("ms") ? 1e9 : 1e6) - ps) < 0.005 * ps, `${text} ${ps}`);
        await step("the strip has the numbers of the run, with n", async () => {
            assert.deepEqual([verdict, drops], [["Slow: p99 slowdown of 25.8"], ["0"]]);
            completion[0].split(" / ").forEach((text, i) => near(text, ran.workloads[0][["fct_p50_ps", "fct_p99_ps"][i]]));
            assert.equal(completion[1], "n = 112");
            assert.equal(Number(pauses[0].split(" / ")[0]), ran.n_pfc_pauses);
            near(pauses[0].split(" / ")[1], ran.paused_ps);
            assert.match(peak[0], /^998 KB \/ 4 MB$/);
            assert.match(busiest.join(" "), /^[\d.]+ % \S+ → \S+$/);
        });
    });
    weir("run", study("ring.yaml"), "--set", "engine=gfc-buffer", "--record", "endless.db");
    await withPage(browser, report("endless.db"), async (endless) => {
        await step("a number that a run does not have is a dash with a word", async () => {
            const [, none, noPauses] = await figures(endless);
            assert.deepEqual([none, noPauses], [["–", "no finite flows"], ["–", "does not pause"]]);
        });
    });
}

// The page has names for all engines and arbitrations of the program.
async function checkSpoken(browser) {
    const listed = (verb) => [...weir(verb).matchAll(/^([a-z][a-z-]*)  /gm)].map(([, name]) => name);
    const engines = listed("engines").filter((name) => name !== "ttl" && name !== "fafc");
    weir("compare", study("ring.yaml"), "--over", `engine=${engines.join()}`, "--over", "switch.arbitration=fifo,rr", "--set", "run.time=100us",
        "--record", "engines.db");
    await withPage(browser, report("engines.db", "--all"), async (page) => {
        await step("engines and arbitrations have the names that people say", async () => {
            const told = await page.locator(".chooser strong").allTextContents();
            assert.equal(told.length, 2 * engines.length);
            told.forEach((t) => assert.match(t, /^run \d+: (no flow control|([a-z]+(-based)? )?(PFC|CBFC|GFC|CaPFC|ECN|QCN)), (FIFO|round robin)$/));
        });
    });
}

async function checkLabelled(browser) {
    await withPage(browser, report("engines.db", "--all", "--label", "1=rr"), async (page) => {
        await step("a label is shown as the user wrote it", async () => {
            assert.deepEqual((await page.locator(".chooser strong").allTextContents()).slice(0, 2), ["run 1: rr", "run 2: no flow control, round robin"]);
        });
    });
}

// A run that was killed has no facts, and one that failed has only the time that it reached. Only a
// server knows that a run was killed.
async function makeKilled(db) {
    const child = spawn(program, ["run", scenario("classes.yaml"), "--set", "run.time=1000s", "--record", db], { cwd: folder, stdio: "ignore" });
    const ended = new Promise((exited) => child.on("exit", exited));
    await eventually(() => assert.match(weir("report", db, "--json"), /"running"/));
    child.kill("SIGKILL");
    await ended;
}

async function checkNotEnded(browser) {
    await makeKilled("failed.db");
    for (const [status, words] of [["failed", "The run failed"], ["killed", "The run was killed"], ["stopped", "The run was stopped"]]) {
        execSql("failed.db", ["PRAGMA ignore_check_constraints = 1", `UPDATE run SET status = '${status}', until_ps = 1000000000`]);
        await withPage(browser, report("failed.db"), async (page) => {
            await step(`what is not known of a run is not stated as a fact: ${words}`, async () => {
                assert.equal(await page.locator(".card.warn .headline").textContent(), words);
                const [verdict, ...others] = await figures(page);
                assert.deepEqual(verdict, [words]);
                assert.deepEqual(others, Array(5).fill(["–", "not known"]));
                assert.match(await page.locator(".caption").textContent(), /^No port was sampled, so the picture cannot show this run\./);
            });
        });
    }
    weir("run", scenario("classes.yaml"), "--record", "failed.db");
    await withPage(browser, report("failed.db"), async (both) => {
        await step("beside a run that ended, the control frames of one that did not are not known", async () => {
            const rows = await both.locator("table.feedback tbody tr").evaluateAll((all) => all.map((r) => [...r.cells].slice(1, 4).map((c) => c.textContent)));
            assert.deepEqual(rows[0], ["–", "–", "–"]);
            assert.ok(rows[1].every((text) => /^[1-9]/.test(text) || text.startsWith("0.")), String(rows[1]));
        });
    });
}

// A transport that no switch pauses, over switches without flow control.
async function checkLossy(browser) {
    weir("run", scenario("leaf-spine.yaml"), "--set", "engine=none", "--set", "transport=tcp", "--record", "lossy.db");
    await withPage(browser, report("lossy.db"), async (page) => {
        await step("where nothing blocks links the picture shows their load, and there is no section on control frames", async () => {
            assert.deepEqual(await page.locator("#network .segments span").allTextContents(), ["Load"]);
            assert.ok(await page.getByRole("radio", { name: "Load" }).isChecked());
            assert.equal(await page.locator(".link.unknown").count(), 0);
            assert.equal(await page.locator("#feedback").isVisible(), false);
            const heads = await page.locator("table.completions").first().locator("thead tr:last-child th").allTextContents();
            assert.deepEqual(heads.filter((t) => t.startsWith("p")), ["p50", "p95", "p99", "p50", "p95", "p99"]);
        });
    });
}

await withBrowser(async (browser) => {
    await checkSeverities(browser);
    await checkGood(browser);
    await checkJobs(browser);
    await checkNumbers(browser);
    await checkSpoken(browser);
    await checkLabelled(browser);
    await checkNotEnded(browser);
    await checkLossy(browser);
});
finish();
