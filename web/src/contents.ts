// The contents of the page: a link to each shown section, with a mark at the visible one.

import { h } from "./dom";

const IN_SIGHT = 0.35; // The current section is the last one whose top is above this share of the window.

export class Contents {
    private readonly list = h("ul");
    readonly element = h("nav", { class: "contents", "aria-label": "Contents" }, this.list);
    private sections: HTMLElement[] = [];
    private isDue = false;

    constructor(private readonly content: HTMLElement) {
        new MutationObserver(() => this.schedule()).observe(content, {
            childList: true, subtree: true, attributes: true, attributeFilter: ["hidden"],
        });
        ["scroll", "resize"].forEach((event) => window.addEventListener(event, () => this.schedule(), { passive: true }));
        this.schedule();
    }

    // Schedules one update for all changes before the next animation frame.
    private schedule(): void {
        if (!this.isDue) {
            this.isDue = true;
            requestAnimationFrame(() => {
                this.isDue = false;
                this.update();
            });
        }
    }

    private update(): void {
        const sections = [...this.content.querySelectorAll<HTMLElement>("section[id]")].filter((s) => s.getClientRects().length > 0);
        if (sections.length !== this.sections.length || sections.some((s, i) => s !== this.sections[i])) {
            this.sections = sections;
            this.list.replaceChildren(...sections.map((s) => h("li", {}, this.link(s))));
        }
        this.element.hidden = sections.length < 2;
        this.markCurrent();
    }

    private link(section: HTMLElement): HTMLAnchorElement {
        return h("a", {
            href: `#${section.id}`,
            click: (e: MouseEvent) => {
                e.preventDefault(); // The link does not change the address of the page.
                goTo(section);
            },
        }, section.querySelector("h2")?.textContent ?? section.id);
    }

    private markCurrent(): void {
        const above = this.sections.filter((s) => s.getBoundingClientRect().top <= IN_SIGHT * window.innerHeight);
        const { scrollHeight } = document.documentElement, isAtEnd = scrollY > 0 && scrollY + innerHeight >= scrollHeight - 2;
        const current = isAtEnd ? this.sections[this.sections.length - 1] : above[above.length - 1] ?? this.sections[0];
        [...this.list.querySelectorAll("a")].forEach((a, i) => {
            const isCurrent = this.sections[i] === current;
            if (isCurrent !== a.hasAttribute("aria-current")) {
                a.toggleAttribute("aria-current", isCurrent);
                if (isCurrent) {
                    a.setAttribute("aria-current", "location");
                    // On a narrow page the contents are one row, which scrolls to the current section.
                    this.list.scrollLeft = a.offsetLeft - this.list.offsetLeft - 40;
                }
            }
        });
    }
}

// Scrolls to a section. The next press of the Tab key continues from there.
export function goTo(section: HTMLElement): void {
    const title = section.querySelector<HTMLElement>("h2") ?? section;
    section.scrollIntoView();
    title.tabIndex = -1;
    title.focus({ preventScroll: true });
}
