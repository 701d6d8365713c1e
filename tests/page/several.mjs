// Runs several tests of this folder in one browser: node several.mjs PROGRAM ROOT NAME...
import { shareBrowser } from "./browser.mjs";

await shareBrowser(async () => {
    for (const name of process.argv.slice(4)) {
        await import(`./${name}.mjs`);
    }
});
