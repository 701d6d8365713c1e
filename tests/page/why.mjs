// Victims and causes in a real browser: node why.mjs PROGRAM ROOT
import assert from "node:assert/strict";
import { join } from "node:path";
import { finish, report, root, slideTo, step, weir, withBrowser, withPage } from "./browser.mjs";

// For text such as "3.02 ms".
const near = (text, ms) => Math.abs(Number.parseFloat(text) - ms) < 0.4;

async function checkTable(page) {
    await step("flows stand in order of what they suffer, and the victim is marked", async () => {
        const rows = page.locator("#why .flow-waits tbody tr");
        const held = await rows.locator("td:nth-child(2)").allTextContents();
        assert.deepEqual([...held].sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a)), held);
        assert.equal(held.length, 4);
        assert.deepEqual(await page.locator("#why .victim").allTextContents(), ["victim of S3 → sink"]);
        assert.match(await page.locator("#why").textContent(), /4 of 4 flows waited; 1 of them is a victim/);
        const pause = await page.locator('#why [data-flow="second"] td:nth-child(4)').textContent();
        assert.ok(near(pause, 20 / 3), pause);
    });
    await step("the root is named, with its longest chain", async () => {
        const text = await page.locator("#why .roots").textContent();
        assert.match(text, /^S3 → sink is not paused itself.*4 flows were blocked, 1 of which never crosses it/);
        assert.match(text, /Longest chain: far → S1, S1 → S2, S2 → S3, S3 → sink/);
    });
    await step("the table of flows has their waits", async () => {
        assert.ok((await page.locator("#flows table.flows th").allTextContents()).includes("waited"));
    });
}

async function checkClick(page) {
    await step("a click on a flow brings its path into sight", async () => {
        await page.locator('#why [data-flow="victim"] button').click();
        await page.waitForFunction(() => Math.abs(document.getElementById("network").getBoundingClientRect().top) < 60);
        assert.deepEqual((await page.locator(".link.onpath").evaluateAll((all) => all.map((e) => e.dataset.link))).sort(),
            ["S1 → S2", "S2 → away", "far → S1"]);
    });
    await step("and shows its hops", async () => {
        assert.deepEqual(await page.locator("#why tr.hop th").allTextContents(), ["1. far → S1", "2. S1 → S2", "3. S2 → away"]);
    });
}

const marked = (page, what) => page.locator(`.link.${what}`).evaluateAll((all) => all.map((e) => e.dataset.link).sort());

async function checkPicture(page) {
    await step("the longest chain is drawn in the picture", async () => {
        await page.locator("#why .roots button").click();
        assert.ok((await marked(page, "waits")).includes("far → S1"));
        assert.deepEqual(await marked(page, "root"), ["S3 → sink"]);
        assert.deepEqual(await page.locator(".marks .root text").allTextContents(), ["!"]);
        assert.match(await page.locator("p.pauses").textContent(), /ports are paused, because of S3 → sink\./);
    });
    await step("pauses follow the slider", async () => {
        await slideTo(page, 0);
        assert.deepEqual(await marked(page, "waits"), []);
        assert.match(await page.locator("p.pauses").textContent(), /At 0 no port is paused\./);
    });
}

async function main() {
    await withBrowser(async (browser) => {
        weir("run", join(root, "tests/cli/victim.yaml"), "--record", "v.db", "--why");
        weir("run", join(root, "tests/cli/victim.yaml"), "--record", "plain.db", "--set", "run.time=100us");
        await withPage(browser, report("v.db"), async (page) => {
            await step("the link that is shown first is the root of the congestion", async () => {
                assert.equal(await page.locator("#pick-link").inputValue(), "S3 → sink");
        });
        await step("charts that would be empty are a sentence", async () => {
            assert.deepEqual(await page.locator("#link .chart figcaption").allTextContents(), ["Rate of sending"]);
            assert.equal(await page.locator("#link .zeros").textContent(), "Always 0: queue at sink of packets from this link; share of time paused.");
            });
            await checkTable(page);
            await checkClick(page);
            await checkPicture(page);
        });
        await withPage(browser, report("plain.db"), async (plain) => {
            await step("a run that did not ask says how to", async () => {
                assert.equal(await plain.locator("#flows p code").textContent(), "weir run SCENARIO --record RESULTS --why");
            assert.match(await plain.locator("#flows").innerText(), /weir run SCENARIO --record RESULTS --why/);
                assert.equal(await plain.locator("#why").isVisible(), false);
                assert.equal(await plain.locator("p.pauses").isVisible(), false);
            });
        });
    });
    finish();
}

await main();
