// Figures and claims of papers in results files, of a report or of the files of a folder that are shown.

import { claimsSection, readClaims } from "./claims";
import { h } from "./dom";
import { claimsOfFigures, Figure, figuresSection } from "./figures";
import { RawSweep } from "./sweep-group";
import { readStatements, scorecardSection } from "./scorecard";
import { RawTable } from "./table";

export interface RawPaper {
    file: string;
    scorecard: RawTable;
    claims: RawTable;
    figures: Omit<Figure, "file">[];
}

interface PaperSections {
    scorecard: HTMLElement | null;
    figures: HTMLElement | null;
    claims: HTMLElement | null;
}

// Null where there are none.  'chosen' is the arbitration that figures are shown under at first.
export function paperSections(papers: RawPaper[], sweeps: RawSweep[], chosen = ""): PaperSections {
    const statements = papers.flatMap((p) => readStatements(p.scorecard));
    const claims = papers.flatMap((p) => readClaims(p.claims));
    const figures = papers.flatMap((p) => p.figures.map((f) => ({ ...f, file: p.file })));
    return {
        figures: figures.length ? figuresSection(figures, claims, sweeps, chosen) : null,
        scorecard: statements.length ? scorecardSection(statements) : null,
        claims: claims.length ? claimsSection(claims, claimsOfFigures(figures, claims)) : null,
    };
}

// A file of the folder: how many claims it has, and a mark that changes whenever the file does.
export interface PaperFile {
    name: string;
    claims?: number;
    mark?: string;
}

// Papers of a folder, as their files change.
export class PaperLibrary {
    readonly element = h("div", { class: "papers" });
    private readonly known = new Map<string, { mark: string; paper: RawPaper }>();
    private drawn = "";

    constructor(private readonly load: (file: string) => Promise<RawPaper>) {}

    async look(files: PaperFile[], sweeps: RawSweep[]): Promise<void> {
        const papers: RawPaper[] = [];
        for (const { name, mark } of files.filter((f) => f.claims)) {
            const known = this.known.get(name);
            const paper = known && known.mark === mark ? known.paper : await this.load(name);
            this.known.set(name, { mark: mark!, paper });
            papers.push(paper);
        }
        this.draw(papers, sweeps.filter((s) => papers.some((p) => p.file === s.file)));
    }

    // A file grows more often than its claims change.
    private draw(papers: RawPaper[], sweeps: RawSweep[]): void {
        const all = JSON.stringify([papers, sweeps.map((s) => [s.file, s.sweep, s.n_done])]);
        if (all !== this.drawn) {
            const chosen = this.element.querySelector<HTMLSelectElement>("#figures select")?.value;
            const { scorecard, figures, claims } = paperSections(papers, sweeps, chosen);
            this.element.replaceChildren(...[scorecard, figures, claims].filter((e) => e !== null));
            this.drawn = all;
        }
    }
}
