// Figures and claims of papers from results files, in a report or in the shown files of a folder.

import { claimsSection, readClaims } from "./claims";
import { h } from "./dom";
import { claimsOfFigures, Figure, figuresSection } from "./figures";
import { readStatements, scorecardSection, Statement } from "./scorecard";
import { RawTable } from "./table";
import { list } from "./units";

export interface RawPaper {
    file: string;
    scorecard: RawTable;
    claims: RawTable;
    figures: Omit<Figure, "file">[];
    n_left_out: number; // The number of figures that are not drawn.
}

interface PaperSections {
    title: string; // The title, such as "Gentle Flow Control (Qian et al., SIGCOMM 2019)".
    scorecard: HTMLElement | null;
    figures: HTMLElement | null;
    claims: HTMLElement | null;
}

// The titles of papers if their statements have them, else the names of their studies.
function titleOf(statements: Statement[], others: { study: string }[]): string {
    const titles = new Map(others.map(({ study }) => [study, study]));
    statements.forEach(({ study, paper }) => titles.set(study, paper || study));
    return list([...titles.values()]);
}

// The sections of papers; null, or no title, if there are no papers.
export function paperSections(papers: RawPaper[]): PaperSections {
    const statements = papers.flatMap((p) => readStatements(p.scorecard));
    const claims = papers.flatMap((p) => readClaims(p.claims, new Set(statements.map((s) => s.study))));
    const figures = papers.flatMap((p) => p.figures.map((f) => ({ ...f, file: p.file })));
    return {
        title: titleOf(statements, [...figures, ...claims]),
        figures: figures.length ? figuresSection(figures, claims, papers.reduce((n, p) => n + p.n_left_out, 0)) : null,
        scorecard: statements.length ? scorecardSection(statements) : null,
        claims: claims.length ? claimsSection(claims, claimsOfFigures(figures, claims)) : null,
    };
}

// A results file of the folder: its number of claims, and a fingerprint that changes whenever the file changes.
export interface PaperFile {
    name: string;
    claims?: number;
    mark?: string;
}

// Papers of a folder, updated when their files change.
export class PaperLibrary {
    readonly element = h("div", { class: "papers" });
    private readonly known = new Map<string, { mark: string; paper: RawPaper }>();
    private drawn = "";

    constructor(private readonly load: (file: string) => Promise<RawPaper>) {}

    async look(files: PaperFile[]): Promise<void> {
        const papers: RawPaper[] = [];
        for (const { name, mark } of files.filter((f) => f.claims)) {
            const known = this.known.get(name);
            const paper = known && known.mark === mark ? known.paper : await this.load(name);
            this.known.set(name, { mark: mark!, paper });
            papers.push(paper);
        }
        this.draw(papers);
    }

    // Draws the sections if claims have changed. A file grows more often than its claims change.
    private draw(papers: RawPaper[]): void {
        const all = JSON.stringify(papers);
        if (all !== this.drawn) {
            const { scorecard, figures, claims } = paperSections(papers);
            this.element.replaceChildren(...[scorecard, figures, claims].filter((e) => e !== null));
            this.drawn = all;
        }
    }
}
