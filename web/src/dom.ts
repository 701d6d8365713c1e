// Creates elements of the page in one expression.

type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;
type Child = Node | string | number | null | undefined | false;

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
    for (const [name, value] of Object.entries(attributes)) {
        if (typeof value === "function") {
            element.addEventListener(name, value as EventListener);
        } else if (value === true) {
            element.setAttribute(name, "");
        } else if (value !== undefined && value !== false) {
            element.setAttribute(name, String(value));
        }
    }
    for (const child of children) {
        if (child !== null && child !== undefined && child !== false) {
            element.append(typeof child === "number" ? String(child) : child);
        }
    }
    return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    return fill(document.createElement(tag), attributes, children);
}

export function svg<K extends keyof SVGElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

export function section(id: string, title: string, ...children: Child[]): HTMLElement {
    return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title), ...children);
}

// Formats a sentence, in which text in backquotes is code.
export function prose(text: string): (Node | string)[] {
    return text.split("`").map((part, i) => (i % 2 ? h("code", {}, part) : part));
}

export function button(text: string, click: () => void, attributes: Attributes = {}): HTMLButtonElement {
    return h("button", { type: "button", click, ...attributes }, text);
}
