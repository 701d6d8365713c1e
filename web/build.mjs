// The page as one file: its script and style inside it.  usage: node build.mjs OUT
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry) {
    const made = await build({
        entryPoints: [join(here, "src", entry)],
        bundle: true, minify: true, write: false, format: "iife", target: ["es2022"],
        charset: "utf8", legalComments: "inline", logLevel: "warning",
    });
    return made.outputFiles[0].text.trim();
}

// Nothing in a script may look like its end.
const script = (await bundle("main.ts")).replaceAll("</script", "<\\/script");
const style = await bundle("style.css");
// The hash of the only script that the page may run, so that text of a results file never runs.
const hash = "sha256-" + createHash("sha256").update(script, "utf8").digest("base64");
const page = readFileSync(join(here, "src", "page.html"), "utf8")
    .replace("/*hash*/", () => hash)
    .replace("/*style*/", () => style)
    .replace("/*script*/", () => script);
writeFileSync(process.argv[2], page);
