// The picture of the network, the timeline and the story, in a real browser: node picture.mjs PROGRAM ROOT
import assert from "node:assert/strict";
import { join } from "node:path";
import { done, finish, open, report, root, slideTo, step, study, weir, withBrowser, withPage } from "./browser.mjs";

const leafSpine = join(root, "tests", "page", "leaf-spine.yaml");
const WIDE = { viewport: { width: 1400, height: 900 } }, DESK = { viewport: { width: 1920, height: 1080 } }, NARROW = { viewport: { width: 400, height: 800 } };

// What a user sees of a picture: whether its frame must be scrolled, names that overlap, lie over
// another host or are cut off, and the size of the smallest letters.
function looksInPage(figure) {
    const frame = figure.querySelector(".drawing"), room = frame.getBoundingClientRect();
    const texts = [...frame.querySelectorAll("svg text")].filter((t) => !t.closest(".step, .marks"));
    const boxes = texts.map((t) => ({ name: t.firstChild.data, r: t.getBoundingClientRect() }));
    const meet = (a, b) => a.left < b.right - 0.5 && b.left < a.right - 0.5 && a.top < b.bottom - 2 && b.top < a.bottom - 2;
    const hosts = [...frame.querySelectorAll(".host circle")].map((c) => ({ name: c.nextSibling.textContent, r: c.getBoundingClientRect() }));
    const overlapping = boxes.flatMap((a, i) => [...boxes.slice(i + 1), ...hosts.filter((b) => b.name !== a.name)].filter((b) => meet(a.r, b.r)).map((b) => `${a.name} ${b.name}`));
    const scale = frame.querySelector("svg").getBoundingClientRect().width / frame.querySelector("svg").viewBox.baseVal.width;
    return {
        names: boxes.map((b) => b.name), overlapping, scrolls: frame.scrollWidth > frame.clientWidth + 1,
        cut: boxes.filter((b) => b.r.left < room.left - 1 || b.r.right > room.right + 1).map((b) => b.name),
        smallest: Math.min(...texts.map((t) => parseFloat(getComputedStyle(t).fontSize) * scale)),
    };
}

const looks = (page, run = 0) => page.locator(`figure.network[data-run="${run}"]`).evaluate(looksInPage);

function assertFits(seen) {
    assert.deepEqual([seen.scrolls, seen.overlapping, seen.cut], [false, [], []]);
    assert.ok(seen.smallest >= 10, `letters of ${seen.smallest} pixels`);
}

// Results: of the smaller networks two runs, which are compared, and of the larger ones one run.
function makeResults() {
    const small = [["24", 4, 6, 2], ["64", 8, 8, 4]];
    for (const [name, leaves, hosts, spines] of small) {
        weir("compare", leafSpine, "--over", "engine=pfc,gfc-buffer", "--set", `topology.leaves=${leaves}`, "--set",
            `topology.hosts=${hosts}`, "--set", `topology.spines=${spines}`, "--record", `leaf-${name}.db`);
    }
    for (const k of [8, 16]) { // A few flows are enough.
        weir("run", leafSpine, "--set", "topology.kind=fat-tree", "--set", `topology.k=${k}`, "--set", `topology.hosts=${k / 2}`, "--set", `record.ports=${k === 8 ? "all" : "none"}`, "--set", `record.flows=${k === 8 ? "all" : "none"}`, "--set", `run.time=${k === 8 ? "2ms" : "300us"}`, "--set", "workload.end=250us",
            "--record", `k${k}.db`);
    }
    weir("run", study("fat-tree.yaml"), "--record", "fat.db");
    weir("run", join(root, "studies", "storm", "drop.yaml"), "--record", "storm.db");
    weir("run", join(root, "tests/cli/victim.yaml"), "--set", "run.time=100us", "--record", "victim.db");
    weir("run", join(root, "tests", "page", "parallel.yaml"), "--record", "parallel.db");
    weir("run", join(root, "tests", "page", "rails.yaml"), "--record", "rails.db");
    weir("run", study("ring.yaml"), "--record", "ring.db");
    weir("run", study("ring.yaml"), "--set", "engine=cbfc", "--set", "run.time=15ms", "--record", "credit.db");
}

async function checkFits(browser) {
    for (const [name, nHosts, size] of [["leaf-24", 24, WIDE], ["leaf-64", 64, DESK]]) {
        await withPage(browser, report(`${name}.db`), async (page) => {
            await step(`${nHosts} hosts fit beside the same under another scheme, and every name can be read`, async () => {
                for (const run of [0, 1]) {
                    const seen = await looks(page, run);
                    assertFits(seen);
                    assert.equal(seen.names.filter((n) => n.startsWith("H")).length, nHosts);
                }
            });
        }, size);
    }
    await withPage(browser, report("fat.db"), async (page) => {
        await step("the ring of a deadlock is in view at 400 pixels", async () => {
            assertFits(await looks(page));
            const [frame, ...steps] = await page.locator('[data-run="0"] .drawing, [data-run="0"] .step.on circle').evaluateAll((all) =>
                all.map((e) => e.getBoundingClientRect().toJSON()));
            assert.equal(steps.length, 4);
            assert.ok(steps.every((s) => s.left >= frame.left && s.right <= frame.right));
        });
    }, NARROW);
}

async function checkHosts(browser) {
    for (const size of [NARROW, WIDE]) {
        await withPage(browser, report("victim.db"), async (page) => {
            await step(`three hosts of a switch in a ring do not lie over each other's names at ${size.viewport.width} pixels`, async () => assertFits(await looks(page)));
        }, size);
    }
}

// A point at which a line can be clicked, because other lines may cross it.
function placeInPage(line) {
    const hit = line.querySelector(".hit"), length = hit.getTotalLength();
    const points = Array.from({ length: 19 }, (_, i) => hit.getPointAtLength(length * (i + 1) / 20))
        .map((at) => new DOMPoint(at.x, at.y).matrixTransform(hit.getScreenCTM()));
    const free = points.find(({ x, y }) => document.elementFromPoint(x, y) === hit);
    return free && { x: free.x, y: free.y };
}

async function checkParallel(browser) {
    await withPage(browser, report("rails.db"), async (page) => {
        await step("switches inside servers are below the hosts, and all names of rails can be read", async () => {
            const heights = await page.locator("figure.network .switch").evaluateAll((all) =>
                all.map((e) => [e.querySelector("text").textContent[0], Number(/ (\S+)\)/.exec(e.getAttribute("transform"))[1])]));
            const rows = Object.fromEntries(heights), hosts = await page.locator(".host").evaluateAll((all) =>
                [...new Set(all.map((e) => Number(/ (\S+)\)/.exec(e.getAttribute("transform"))[1])))]);
            assert.equal(hosts.length, 1);
            assert.ok(rows.S < rows.L && rows.L < hosts[0] && hosts[0] < rows.V, JSON.stringify([rows, hosts]));
            assertFits(await looks(page));
        });
    }, WIDE);
    await withPage(browser, report("parallel.db"), async (page) => {
        const links = page.locator(".links .link"), names = await links.evaluateAll((all) => all.map((e) => e.dataset.link));
        await step("parallel links are drawn and named separately, and each host is drawn once", async () => {
            assert.equal(new Set(names).size, 22, names.join());
            assert.deepEqual(names.filter((n) => /^H/.test(n)).sort(), ["H1:0 → S1:3", "H1:1 → S1:4", "H2 → S2", "H2 → S3", "H3 → S3"]);
            assert.deepEqual(await page.locator(".host text").allTextContents(), ["H1", "H2", "H3"]);
            assert.deepEqual(await page.locator("#pick-link option").allTextContents().then((all) => all.sort()), [...names].sort());
        });
        await step("a click at each link opens this link", async () => {
            for (const [i, name] of names.entries()) {
                await links.nth(i).scrollIntoViewIfNeeded();
                const place = await links.nth(i).evaluate(placeInPage);
                assert.ok(place, `${name} is covered`);
                await page.mouse.click(place.x, place.y);
                assert.equal(await page.locator("#pick-link").inputValue(), name);
            }
        });
    }, WIDE);
}

async function checkFolds(browser) {
    let page = await open(browser, report("k8.db"), WIDE);
    const group = (name) => page.locator(`[data-group="${name}"]`);
    await step("a fat tree of 128 hosts is folded by pod", async () => {
        const seen = await looks(page);
        assertFits(seen);
        assert.deepEqual(seen.names.filter((n) => n.startsWith("Pod")), [1, 2, 3, 4, 5, 6, 7, 8].map((n) => `Pod ${n}`));
        assert.equal(await page.locator(".host").count(), 0);
        assert.equal(await page.locator(".link").count(), 16);
    });
    await step("a pod opens by click, and by key folds again", async () => {
        await group("Pod 3").click();
        assert.deepEqual((await looks(page)).names.filter((n) => /^[AEH]/.test(n)).sort(),
            ["A10", "A11", "A12", "A9", "E10", "E11", "E12", "E9", ...Array.from({ length: 16 }, (_, i) => `H${32 + i}`)].sort());
        assert.equal(await group("Pod 3").getAttribute("aria-expanded"), "true");
        assert.equal(await page.evaluate(() => document.activeElement.dataset.group), "Pod 3");
        await page.keyboard.press("Enter");
        assert.equal(await page.locator(".host").count(), 0);
        assert.equal(await group("Pod 3").getAttribute("aria-expanded"), "false");
    });
    await step("the pods of a chosen flow are open", async () => {
        const name = await page.locator("table.flows tbody th button").first().textContent();
        await page.locator("table.flows tbody th button").first().click();
        const hosts = (await looks(page)).names.filter((n) => n.startsWith("H"));
        assert.ok(name.split("#")[0].split("-").every((h) => hosts.includes(h)), `${name}: ${hosts}`);
        assert.ok(await page.locator(".link.onpath").count() >= 2);
    });
    await done(page);
    page = await open(browser, report("k16.db"), NARROW);
    await step("1024 hosts are folded too, with their cores", async () => {
        assert.deepEqual((await looks(page)).overlapping, []);
        assert.equal(await page.locator(".switch.folded").count(), 17);
    });
    await done(page);
}

async function checkTroubles(browser) {
    await withPage(browser, report("storm.db"), async (page) => {
        await step("the story of a storm says who stalled, who acted, and what was dropped where", async () => {
            const card = page.locator(".card.bad");
            assert.equal(await card.locator(".headline").textContent(), "Pause storm at 15.9 ms");
            assert.match(await card.locator(".trouble").textContent(), new RegExp("^H1 stopped taking packets at 10 ms and did not start again\\. " +
                "At 15\\.9 ms the watchdog of L1 found a pause storm on the link to H1: .* it drops packets that would leave by that link\\.$"));
            assert.match(await card.locator(".gone").textContent(), /^28,504 packets .* from 15\.9 ms to 50 ms, all at L1, on the way to H1\.$/);
        });
        await step("stalls, storms and drops have lanes from when to when", async () => {
            assert.deepEqual(await page.locator(".lane button").allTextContents(), ["Stalled hosts: 1", "Pause storms: 1", "Packets dropped: 28,504"]);
            const spans = await page.locator(".lane svg").evaluateAll((all) => all.map((s) => {
                const [bars, box] = [[...s.querySelectorAll("rect")].map((r) => r.getBoundingClientRect()), s.getBoundingClientRect()];
                return [Math.min(...bars.map((b) => b.left)), Math.max(...bars.map((b) => b.right))].map((x) => (x - box.left) / box.width);
            }));
            [[0.2, 1], [0.318, 1], [0.318, 1]].forEach((wanted, i) => wanted.forEach((w, k) =>
                assert.ok(Math.abs(spans[i][k] - w) < 0.01, `lane ${i}: ${spans[i]}`)));
        });
        await step("the page opens where most is blocked, and a lane leads to its first mark", async () => {
            assert.equal(await page.locator(".now").textContent(), "15.85 ms");
            await page.getByRole("button", { name: "Stalled hosts: 1" }).click();
            assert.equal(await page.locator(".now").textContent(), "10 ms");
            await page.getByRole("button", { name: "Most blocked" }).click();
            assert.equal(await page.locator(".now").textContent(), "15.85 ms");
        });
        await step("zooming stops at one sample, and the page says what it has", async () => {
            for (let i = 0; i < 14; i++) {
                await page.keyboard.press("+");
            }
            assert.equal(await page.locator(".sight").textContent(), "50 us in sight, a sample every 50 us.");
            await page.getByRole("button", { name: "Whole run" }).click();
            assert.match(await page.locator(".sight").textContent(), /^50 ms in sight/);
        });
    });
}

async function checkStopped(browser) {
    await withPage(browser, report("ring.db"), async (page) => {
        await step("links of a cycle have stopped when it closes, in the middle of a sample", async () => {
            assert.equal(await page.locator(".now").textContent(), "2.9 ms");
            assert.match(await page.locator(".caption").textContent(), /: 3 blocked or throttled, 3 of them stopped\. The cycle is closed/);
            await slideTo(page, 0.4);
            assert.match(await page.locator(".caption").textContent(), /: \d blocked or throttled(, 0 of them stopped)?\.$/);
        });
    });
    await withPage(browser, report("credit.db"), async (credit) => {
        await step("a run under credits does not open where the first credit has not come yet", async () => {
            assert.match(await credit.locator(".now").textContent(), /^\d+(\.\d+)? ms$/);
            await slideTo(credit, 0);
            assert.match(await credit.locator(".caption").textContent(), /: 0 blocked or throttled\.$/);
        });
    });
}

async function checkTotals(browser) {
    await withPage(browser, report("k16.db"), async (page) => {
        await step("of a network without samples the picture shows the whole run, and says so", async () => {
            assert.match(await page.locator(".caption").textContent(), /The picture shows the whole run: .*Click a group to open or fold it\.$/);
            assert.equal(await page.locator(".time").isVisible(), false);
            assert.equal(await page.locator(".link.unknown").count(), 0);
            const widths = await page.locator(".link").evaluateAll((all) => all.map((e) => Number(e.style.getPropertyValue("--wide"))));
            assert.ok(Math.max(...widths) > 1.4, String(Math.max(...widths)));
        });
    }, WIDE);
}

// Every class has its own pauses and its own memory: the picture shows the class with the maximum.
async function checkClasses(browser) {
    const ran = JSON.parse(weir("run", join(root, "tests", "page", "classes.yaml"), "--json", "--record", "classes.db"));
    const page = await open(browser, `${report("classes.db")}#run=classes.db%231&colour=paused`), queues = ran.queues;
    const most = (name) => Math.max(...queues.filter((q) => q.from === "H2").map((q) => q[name]));
    await step("a link to the colour by time paused is followed where only totals are known", async () => {
        assert.ok(await page.getByRole("radio", { name: "Pause", exact: true }).isChecked());
    });
    await step("of several classes the picture shows the one that is paused the longest, and the fullest queue", async () => {
        const heat = await page.locator('[data-link="H2 → S1"]').evaluate((e) => e.style.getPropertyValue("--heat"));
        assert.equal(heat, `${Math.round(100 * most("paused_ps") / ran.until_ps)}%`);
        const [water, glass] = await page.locator(".switch").evaluate((s) => [".water", ".glass"].map((c) => Number(s.querySelector(c).getAttribute("height"))));
        assert.ok(Math.abs(water / glass - most("peak_input_queue_bytes") / 100e3) < 0.01, `${water} of ${glass}`);
    });
    await done(page);
}

// Averaged rates in a chart, from the values that it shows while the slider moves.
async function checkHealthy(browser) {
    await withPage(browser, report("leaf-24.db"), async (page) => {
        await step("a healthy run's story tells tails, pauses and the busiest link", async () => {
            const card = page.locator(".card").first();
            assert.match(await card.locator(".calm").textContent(), /The slowest, H\d+-H\d+\S*, took [\d.]+ times as long as alone\./);
            assert.match(await card.locator(".links").textContent(), new RegExp("^Links were paused for [\\d.]+ .s in all \\(\\d+ PFC pauses\\), " +
                "the longest of them \\S+ → \\S+: [\\d.]+ % of the run \\(\\d+ PFC pauses\\)\\. " +
                "The peak input queue was [\\d.]+ .?B, the peak output queue [\\d.]+ .?B\\. The busiest link was \\S+ → \\S+: over the whole run it sent [\\d.]+ % of what it could\\.$"));
        });
        await step("goodput is averaged over packets, and says so", async () => {
            const chart = page.locator('#flows [data-quantity="received"] .chart').first();
            assert.match(await chart.textContent(), /Averaged over 35 us, at least the time of 20 packets\./);
            await page.waitForSelector('#flows [data-quantity="received"] canvas');
            await page.locator("#time").focus();
            const label = await chart.locator(".u-series .u-label").nth(1).textContent(), seen = [];
            for (let i = 0; i < 8; i++) {
                await page.keyboard.press("ArrowLeft");
                seen.push(await chart.locator(".u-series", { hasText: label }).locator(".u-value").textContent());
            }
            const rates = seen.map((t) => (t === "0" ? 0 : parseFloat(t) * (t.endsWith("Gb/s") ? 1e9 : 1e6)));
            assert.ok(Math.max(...rates) > 1e9 && Math.min(...rates) > 0.5 * Math.max(...rates), seen.join());
        });
        await step("numbers stand at the right, and scales have units", async () => {
            const aligned = await page.locator("table.flows, table.completions, table.feedback").evaluateAll((tables) =>
                tables.flatMap((t) => [t.tBodies[0].rows[0].cells[1], [...t.tHead.rows].at(-1).cells[1]]).map((c) => getComputedStyle(c).textAlign));
            assert.deepEqual([...new Set(aligned)], ["right"]);
            assert.match(await page.locator(".timeline .of").textContent(), /^share of links blocked or throttled, 0 to \d+ %$/);
            assert.deepEqual(await page.locator(".ticks span").allTextContents(), ["0", "1.25 ms", "2.5 ms", "3.75 ms", "5 ms"]);
        });
        await slideTo(page, 0.5);
    });
}

makeResults();
await withBrowser(async (browser) => {
    await checkFits(browser);
    await checkHosts(browser);
    await checkParallel(browser);
    await checkFolds(browser);
    await checkTroubles(browser);
    await checkStopped(browser);
    await checkTotals(browser);
    await checkClasses(browser);
    await checkHealthy(browser);
});
finish();
