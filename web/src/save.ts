// Makes a file of a picture, including the styles that the page gives it.

const looks = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity",
    "font-family", "font-size", "font-weight", "text-anchor", "display"];
const colours = new Set(["fill", "stroke"]);

// Converts colours to rgb(), which all programs for SVG know. Each colour of the browser is painted once and read back.
export function makePlain(): (colour: string) => string {
    const canvas = document.createElement("canvas"), known = new Map<string, string>([["none", "none"]]);
    canvas.width = canvas.height = 1;
    const paint = canvas.getContext("2d", { willReadFrequently: true })!;
    return (colour) => {
        if (!known.has(colour)) {
            paint.clearRect(0, 0, 1, 1);
            paint.fillStyle = colour;
            paint.fillRect(0, 0, 1, 1);
            const [r, g, b, a] = paint.getImageData(0, 0, 1, 1).data;
            known.set(colour, a ? `rgb(${r}, ${g}, ${b})` : "none");
        }
        return known.get(colour)!;
    };
}

// Replaces characters that XML does not allow. A serializer writes them unchanged, and then no program can read the
// file.
function wellFormed(xml: string): string {
    return xml.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD");
}

export const fileOf = (drawing: SVGSVGElement): string => wellFormed(new XMLSerializer().serializeToString(drawing));

// Copies an element with the styles that it has on the page.
export function plainCopy(drawing: SVGSVGElement): SVGSVGElement {
    const copy = drawing.cloneNode(true) as SVGSVGElement, plain = makePlain();
    const from = drawing.querySelectorAll("*"), to = copy.querySelectorAll("*");
    from.forEach((element, i) => {
        const style = getComputedStyle(element);
        const look = (name: string): string => style.getPropertyValue(name);
        to[i]!.setAttribute("style",
            looks.map((name) => `${name}: ${colours.has(name) ? plain(look(name)) : look(name)}`).join("; "));
        to[i]!.removeAttribute("class");
        if (element.classList.contains("hit") || look("display") === "none" || look("opacity") === "0") {
            to[i]!.remove();
        }
    });
    copy.removeAttribute("style");
    return copy;
}

export function save(name: string, content: BlobPart, type: string): void {
    const url = URL.createObjectURL(new Blob([content], { type }));
    const link = document.createElement("a");
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}
