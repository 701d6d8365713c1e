// Numbers of the page and of the program's text are rounded in the same way.
// usage: node numbers.mjs SHOWN-VALUES ROOT
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [program, root] = process.argv.slice(2), { build } = createRequire(join(root, "web", "package.json"))("esbuild");
const UNITS = ["bytes", "bps", "ps", "times", "share", "per second", "s"], WHOLE = new Set(["bytes", "bps", "ps"]), N_RANDOM = 50000;

// Random numbers from a seed, so that a failure can be repeated.
let seed = 20260101;
function random() {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 32;
}

// A random value of a realistic size for its unit. Every other value is halfway between two values
// of three digits, as far as binary numbers can be.
function randomValue(unit, i) {
    const size = WHOLE.has(unit) ? 3 + Math.floor(12 * random()) : Math.floor(9 * random()) - 6;
    const half = `${100 + Math.floor(900 * random())}5e${size - 3}`;
    const value = i % 2 ? Number(half) : 10 ** size * random();
    return WHOLE.has(unit) ? Math.floor(value) : value;
}

function asText(cases) {
    const input = cases.map(([unit, value]) => `${unit},${value}\n`).join("");
    return execFileSync(program, { input, encoding: "utf8", maxBuffer: 1 << 26 }).trimEnd().split("\n");
}

// The page groups digits and writes a sign after a ratio.
const plain = (text) => text.replaceAll(",", "").replace("×", "");

const made = await build({ entryPoints: [join(root, "web/src/units.ts")], bundle: true, write: false, format: "esm" });
const { showValue, time, percent } = await import(`data:text/javascript;base64,${Buffer.from(made.outputFiles[0].contents).toString("base64")}`);
const onPage = (cases) => cases.map(([unit, value]) => plain(showValue(unit, Number(value))));

const table = readFileSync(join(root, "tests/unit/shown-values.csv"), "utf8").trimEnd().split("\n").slice(1).map((line) => line.split(","));
assert.deepEqual(onPage(table), table.map(([, , text]) => text));
const drawn = Array.from({ length: N_RANDOM }, (_, i) => [UNITS[i % UNITS.length], 0]).map(([unit], i) => [unit, randomValue(unit, i)]);
const [page, text] = [onPage(drawn), asText(drawn)];
const differ = drawn.flatMap(([unit, value], i) => (page[i] === text[i] ? [] : [`${value} ${unit}: page '${page[i]}', text '${text[i]}'`]));
assert.deepEqual(differ.slice(0, 20), []);
assert.equal(new Set(page).size > N_RANDOM / 10, true);
assert.deepEqual([time(2804500000), time(-2985000, 3), percent(0.5)], ["2.805 ms", "-2.99 us", "50 %"]);
console.log(`${table.length} values of the table and ${drawn.length} random ones are shown alike`);
