// The menu that saves a picture as SVG or PNG, and its numbers as CSV.

import { button, h } from "./dom";
import { fileOf, save } from "./save";

export interface Saveable {
    title: string; // The title, such as "Rate of sending, S1 → S2".
    svg: () => SVGSVGElement; // An SVG with a width and a height.
    csv?: () => string;
}

const MAX_NAME = 100, PNG_SCALE = 2, MAX_PNG_SIDE = 16384; // MAX_PNG_SIDE is in pixels; all browsers support this size.

// The name of a file, such as "gfc-ring-rate-of-sending-s1-to-s2".
export function fileName(...parts: string[]): string {
    return parts.join(" ").replaceAll("→", "to").normalize("NFKD").toLowerCase().replace(/[^a-z0-9.]+/g, "-").slice(0, MAX_NAME)
        .replace(/^[-.]+|[-.]+$/g, "") || "chart";
}

// Converts a drawing to PNG. The browser draws it as an image on a canvas, with a white background unless the picture
// has its own.
async function toPng(drawing: SVGSVGElement): Promise<Blob> {
    const image = new Image(), canvas = document.createElement("canvas");
    image.src = `data:image/svg+xml,${encodeURIComponent(fileOf(drawing))}`;
    await image.decode();
    const scale = Math.min(PNG_SCALE, MAX_PNG_SIDE / Math.max(image.width, image.height));
    canvas.width = Math.round(scale * image.width);
    canvas.height = Math.round(scale * image.height);
    const paint = canvas.getContext("2d")!;
    paint.fillStyle = "white";
    paint.fillRect(0, 0, canvas.width, canvas.height);
    paint.drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((done, failed) =>
        canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("The picture is too large. Save it as SVG."))), "image/png"));
}

type Kind = { name: string; type: string; from: keyof Saveable; make: (of: Saveable) => BlobPart | Promise<BlobPart> };

const kinds: Kind[] = [
    { name: "SVG", type: "image/svg+xml", from: "svg", make: (of) => fileOf(of.svg()) },
    { name: "PNG", type: "image/png", from: "svg", make: (of) => toPng(of.svg()) },
    { name: "CSV", type: "text/csv", from: "csv", make: (of) => of.csv!() },
];

export function saveMenu(of: Saveable): HTMLElement {
    const menu = h("details", { class: "save" }, h("summary", { "aria-label": `Save: ${of.title}` }, "Save"));
    const failure = h("p", { class: "broken", role: "alert" });
    const close = (): void => {
        menu.open = false;
        menu.querySelector("summary")!.focus();
    };
    const choose = async (kind: Kind): Promise<void> => {
        failure.textContent = "";
        const name = fileName(document.title.replace(/ – Weir$/, ""), of.title);
        try {
            save(`${name}.${kind.name.toLowerCase()}`, await kind.make(of), kind.type);
            close();
        } catch (error) {
            failure.textContent = (error as Error).message;
        }
    };
    menu.append(h("div", {}, ...kinds.filter((kind) => of[kind.from]).map((kind) => button(kind.name, () => void choose(kind))), failure));
    menu.addEventListener("keydown", (e) => (e.key === "Escape" ? close() : undefined));
    menu.addEventListener("focusout", (e) => (menu.contains(e.relatedTarget as Node | null) ? undefined : (menu.open = false)));
    return menu;
}
