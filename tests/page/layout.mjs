// The page at three sizes, light and dark, and with the keyboard alone, in a real browser: node layout.mjs PROGRAM ROOT
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { contrastsInPage, done, eventually, finish, open, report, root, step, study, weir, withBrowser, withServer } from "./browser.mjs";

const LAPTOP = { width: 1366, height: 768 }, DESK = { width: 1920, height: 1080 }, PHONE = { width: 400, height: 800 };
const SIZES = [LAPTOP, DESK, PHONE], THEMES = ["light", "dark"];

// With WEIR_PICTURES=DIR, each page is saved as a picture at each size.
const PICTURES = process.env.WEIR_PICTURES;

const scenario = (name) => join(root, "tests", "page", name);

// Pages of a deadlock, a large Clos network, an ordinary lossless run, and two runs that are
// compared.
function makePages() {
    weir("run", study("ring.yaml"), "--record", "ring.db");
    weir("run", join(root, "studies", "fafc", "leaf-spine.yaml"), "--set", "run.time=300us", "--set", "record.ports=all", "--record", "clos.db");
    weir("run", scenario("incast.yaml"), "--why", "--record", "incast.db");
    weir("compare", study("ring.yaml"), "--over", "engine=pfc,gfc-buffer", "--record", "two.db");
    return Object.fromEntries(["ring", "clos", "incast", "two"].map((name) => [name, report(`${name}.db`)]));
}

// Opens a page and waits for its data, which are unpacked after it has been loaded.
async function openWhole(...args) {
    const page = await open(...args);
    await page.waitForSelector("figure.network .switch");
    return page;
}

// Text that ends outside of the window. It may do so in a box that scrolls, except for captions of
// tables.
function clippedInPage() {
    const width = document.documentElement.clientWidth;
    return [...document.querySelectorAll("#app *")].filter((e) => {
        const hasText = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()), r = e.getBoundingClientRect();
        const mayScroll = e.tagName !== "CAPTION" && e.closest(".scroll, .drawing, .contents, pre");
        return hasText && r.width && !mayScroll && !e.closest(".skip") && (r.left < -1 || r.right > width + 1);
    }).map((e) => `${e.tagName} ${e.textContent.slice(0, 30)}`);
}

// Parts that stay in place while the page scrolls, and the parts that they cover.
function coveredInPage() {
    const fixed = [...document.querySelectorAll("#app *")].filter((e) =>
        ["sticky", "fixed"].includes(getComputedStyle(e).position) && e.getClientRects().length);
    const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const others = [...document.querySelectorAll("h1, h2, button, .numbers, .card, figure, .timeline")];
    return fixed.flatMap((f) => [...fixed, ...others].filter((o) => o !== f && !f.contains(o) && !o.contains(f) && o.getClientRects().length &&
        meet(f.getBoundingClientRect(), o.getBoundingClientRect())).map((o) => `${f.className} over ${o.tagName} ${o.className}`));
}

const boxes = (page, selector) => page.locator(selector).evaluateAll((all) => all.map((e) => e.getBoundingClientRect().toJSON()));

async function checkSize(page, name, size) {
    const { width, height } = size, at = `${name} at ${width}`;
    await page.setViewportSize(size);
    await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
    await page.waitForFunction((w) => document.documentElement.scrollWidth <= w, width);
    await step(`${at}: nothing is clipped, and nothing covers anything`, async () => {
        // Charts change a frame later.
        await eventually(async () => assert.deepEqual(await page.evaluate(clippedInPage), []));
        assert.deepEqual(await page.evaluate(coveredInPage), []);
    });
    if (size === PHONE) {
        await step(`${at}: one column`, async () => {
            const lefts = new Set((await boxes(page, ".numbers, .card, figure.network, .timeline, #link .chart")).map((b) => Math.round(b.left)));
            assert.equal(lefts.size, 1, [...lefts].join());
        });
        return;
    }
    await step(`${at}: the network and its story stand side by side in the first screen`, async () => {
        const [pictures, heads] = [await boxes(page, "figure.network"), await boxes(page, ".card .headline + p")];
        [...pictures, ...heads].forEach((b) => assert.ok(b.top > 0 && b.bottom <= height, `${b.bottom}`));
        assert.ok(heads[0].right < pictures[0].left);
        const [player] = await boxes(page, ".timeline");
        assert.ok(player.top >= Math.max(...pictures.map((b) => b.bottom)) && player.bottom <= height, `the player ends at ${player.bottom}`);
    });
    await step(`${at}: no table of runs goes on beyond the page`, async () => {
        const beyond = await page.locator(".scroll:has(> .feedback), .scroll:has(> .completions)").evaluateAll((all) => all.map((e) => e.scrollWidth - e.clientWidth));
        assert.ok(beyond.every((w) => w <= 0), String(beyond));
    });
    await step(`${at}: charts are as wide as the page`, async () => {
        const [chart] = await boxes(page, "#link .chart"), [content] = await boxes(page, ".content");
        assert.ok(chart.width >= content.width - 1 && content.right >= width - 30, `${chart.width} of ${content.width}`);
    });
}

async function checkSizes(browser, pages) {
    for (const [name, url] of Object.entries(pages)) {
        const page = await openWhole(browser, url, { viewport: LAPTOP, reducedMotion: "reduce" });
        await page.waitForSelector("#link .uplot canvas");
        for (const size of SIZES) {
            await checkSize(page, name, size);
            for (const colorScheme of THEMES) {
                await page.emulateMedia({ colorScheme });
                await step(`${name} at ${size.width}: all text has the contrast of WCAG AA, ${colorScheme}`, async () => {
                    assert.deepEqual(await page.evaluate(contrastsInPage), []);
                });
                if (PICTURES) {
                    mkdirSync(PICTURES, { recursive: true });
                    await page.screenshot({ path: join(PICTURES, `${name}-${size.width}-${colorScheme}.png`), fullPage: size === PHONE });
                }
            }
        }
        await done(page);
    }
}

// The element with the focus, and whether a user sees the focus: by the outline of the element or
// of its label, or by the line around its box.
function focusInPage() {
    const e = document.activeElement, label = e.matches("input") ? e.nextElementSibling : null;
    const hasOutline = (of) => of && getComputedStyle(of).outlineStyle !== "none" && parseFloat(getComputedStyle(of).outlineWidth) >= 2;
    const box = e.querySelector(".rim, rect"), accent = getComputedStyle(document.documentElement).getPropertyValue("--accent");
    const probe = Object.assign(document.createElement("i"), { style: `color: ${accent}` });
    document.body.append(probe);
    const colour = getComputedStyle(probe).color;
    probe.remove();
    return {
        name: e.id || e.dataset?.group || e.name || e.className || e.textContent, isBody: e === document.body,
        isSeen: hasOutline(e) || hasOutline(label) || (box !== null && getComputedStyle(box).stroke === colour),
    };
}

async function checkKeyboard(browser, url) {
    const page = await openWhole(browser, url, { viewport: LAPTOP, reducedMotion: "reduce" });
    const press = (key) => page.keyboard.press(key);
    await step("the first Tab is at a link that skips to the network", async () => {
        await press("Tab");
        const [skip] = await boxes(page, ".skip:focus");
        assert.ok(skip.left >= 0 && skip.top >= 0);
        await press("Enter");
        await press("Tab");
        assert.equal((await page.evaluate(focusInPage)).name, "colour");
    });
    await step("everything that can be used is reached by Tab, in order, and the focus is seen", async () => {
        const all = await page.evaluate(() => [...document.querySelectorAll("a[href], button, select, input, summary, [tabindex='0']")].filter((e) =>
            e.checkVisibility() && !e.disabled && !(e.type === "radio" && !e.checked)).length);
        await page.evaluate(() => document.activeElement.blur());
        await page.locator("h1").click();
        const unseen = [], seen = new Set();
        for (let i = 0; i < all + 5; i++) {
            await press("Tab");
            const focus = await page.evaluate(focusInPage);
            if (focus.isBody) {
                break;
            }
            const isNew = await page.evaluate(() => document.activeElement.dataset.seen !== "yes" && (document.activeElement.dataset.seen = "yes"));
            if (!isNew) {
                break;
            }
            seen.add(i);
            if (!focus.isSeen) {
                unseen.push(focus.name);
            }
        }
        assert.deepEqual(unseen, []);
        // The contents of the page come before the heading.
        assert.ok(seen.size >= all - 10, `${seen.size} of ${all}`);
    });
    await step("a link of the contents goes to its section by Enter, and is marked", async () => {
        await page.locator(".contents a", { hasText: "Flows" }).focus();
        await press("Enter");
        await page.waitForFunction(() => Math.abs(document.getElementById("flows").getBoundingClientRect().top) < 60);
        await page.waitForFunction(() => document.querySelector(".contents [aria-current]").textContent === "Flows");
        assert.equal(await page.evaluate(() => document.activeElement.id), "flows-title");
        assert.equal(await page.locator(".contents [aria-current]").count(), 1);
    });
    await done(page);
}

async function checkNames(browser, pages) {
    for (const [name, url] of Object.entries(pages)) {
        const page = await openWhole(browser, url);
        await step(`${name}: headings are in order, and every control has a name`, async () => {
            const levels = await page.locator("h1, h2, h3, h4").evaluateAll((all) =>
                all.filter((e) => e.getClientRects().length).map((e) => Number(e.tagName[1])));
            assert.deepEqual([levels[0], levels.filter((l) => l === 1).length], [1, 1]);
            levels.forEach((l, i) => assert.ok(i === 0 || l <= levels[i - 1] + 1, levels.join()));
            assert.deepEqual(await page.locator("button, select, input, a[href], [role=button]").evaluateAll((all) => all.filter((e) =>
                !(e.getAttribute("aria-label") || e.labels?.length || (!e.matches("select, input") && e.textContent.trim()))).map((e) => e.outerHTML)), []);
        });
        await done(page);
    }
}

async function checkNarrow(browser, url) {
    const page = await openWhole(browser, url, { viewport: PHONE, reducedMotion: "reduce" });
    await step("at 400 pixels the contents stay on top, and cover no heading that they lead to", async () => {
        for (const id of ["link", "flows", "network"]) {
            await page.locator(`.contents a[href="#${id}"]`).click();
            const [nav] = await boxes(page, ".contents"), [title] = await boxes(page, `#${id}-title`);
            assert.ok(nav.top === 0 && title.top >= nav.bottom && title.top < 200, `${title.top} ${nav.bottom}`);
        }
    });
    await done(page);
}

// How often each colour is in a chart: those of lines, grid and axes.
function coloursInPage() {
    const copy = Object.assign(document.createElement("canvas"), { width: 500, height: 150 }).getContext("2d", { willReadFrequently: true });
    copy.drawImage(document.querySelector("#link canvas"), 0, 0);
    const { data } = copy.getImageData(80, 0, 400, 150), seen = {};
    for (let i = 0; i < data.length; i += 4) {
        if (data[i + 3] === 255) {
            const key = `#${[0, 1, 2].map((k) => data[i + k].toString(16).padStart(2, "0")).join("")}`;
            seen[key] = (seen[key] ?? 0) + 1;
        }
    }
    return seen;
}

async function checkTheme(browser, url) {
    const page = await openWhole(browser, url);
    await page.waitForSelector("#link .uplot canvas");
    await step("charts change their colours with the system's", async () => {
        for (const [colorScheme, grid, line] of [["light", "#dde3e6", "#0072b2"], ["dark", "#2b3840", "#56b4e9"]]) {
            await page.emulateMedia({ colorScheme });
            await eventually(async () => {
                const seen = await page.evaluate(coloursInPage);
                assert.ok(seen[grid] > 100 && seen[line] > 20, `${colorScheme}: ${JSON.stringify(seen)}`);
            });
        }
    });
    await done(page);
}

async function checkMotion(browser, url) {
    const page = await openWhole(browser, url, { reducedMotion: "reduce" });
    await step("nothing moves by itself for people who ask for that", async () => {
        const moving = await page.evaluate(() => [document.documentElement, ...document.querySelectorAll("#app *")].filter((e) => {
            const style = getComputedStyle(e);
            return style.scrollBehavior === "smooth" || style.transitionDuration !== "0s" || style.animationName !== "none";
        }).map((e) => e.className));
        assert.deepEqual(moving, []);
        const [from, atOnce, later] = await page.evaluate(async () => {
            const frame = () => new Promise((next) => requestAnimationFrame(next)), before = scrollY + 2000;
            window.scrollTo(0, before);
            // The page scrolls to the picture.
            document.querySelector("table.flows tbody button").click();
            await frame();
            const first = scrollY;
            await new Promise((waited) => setTimeout(waited, 300));
            return [before, first, scrollY];
        });
        assert.ok(atOnce < from && atOnce === later, `${from} ${atOnce} ${later}`);
    });
    await done(page);
}

// With a server, a list of runs and a button are above the page.
async function checkServed(browser) {
    await withServer(["two.db"], async (url) => {
        const page = await openWhole(browser, url, { viewport: LAPTOP });
        await page.waitForSelector("#link .uplot canvas");
        await step("served, two runs and their stories stand in the first screen, below the list of runs", async () => {
            const [list] = await boxes(page, ".library"), [strip] = await boxes(page, ".numbers");
            const seen = await boxes(page, "figure.network, .card .headline + p");
            assert.equal(seen.length, 4);
            assert.ok(list.bottom <= strip.top && Math.max(...seen.map((b) => b.bottom)) <= LAPTOP.height, JSON.stringify(seen));
        });
        await step("served, nothing is clipped at 400 pixels", async () => {
            await page.setViewportSize(PHONE);
            // Charts change a frame later.
            await eventually(async () => assert.deepEqual(await page.evaluate(clippedInPage), []));
        });
        await done(page);
    });
}

const pages = makePages();
await withBrowser(async (browser) => {
    await checkSizes(browser, pages);
    await checkKeyboard(browser, pages.incast);
    await checkNames(browser, pages);
    await checkNarrow(browser, pages.ring);
    await checkTheme(browser, pages.ring);
    await checkMotion(browser, pages.ring);
    await checkServed(browser);
});
finish();
