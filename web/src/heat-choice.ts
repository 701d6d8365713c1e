// The choices of the heat map, which are part of a link to the view.

export const measureIds = ["load", "queue", "output", "paused"] as const;
export const directionIds = ["both", "up", "down"] as const;
export const scaleIds = ["largest", "full"] as const;

export interface HeatChoice {
    measure: (typeof measureIds)[number];
    direction: (typeof directionIds)[number];
    tiers: number; // The number of the matrix, from the top tiers down.
    scale: (typeof scaleIds)[number]; // The scale ends at the largest value or at 100 %.
}

export const firstHeat: HeatChoice = { measure: "load", direction: "both", tiers: 0, scale: "largest" };

const KEYS: { [K in keyof HeatChoice]: string } = { measure: "heat", direction: "heat-direction", tiers: "heat-links", scale: "heat-scale" };

// Writes the choices that differ from their defaults.
export function writeHeat(heat: HeatChoice, said: URLSearchParams): void {
    for (const key of Object.keys(KEYS) as (keyof HeatChoice)[]) {
        if (heat[key] !== firstHeat[key]) {
            said.set(KEYS[key], String(heat[key]));
        }
    }
}

export function readHeat(said: URLSearchParams, heat: HeatChoice): HeatChoice {
    const pick = <T extends string>(key: keyof HeatChoice, ids: readonly T[], at: T): T => ids.find((id) => id === said.get(KEYS[key])) ?? at;
    const tiers = said.get(KEYS.tiers) ?? "", isNumber = /^\d$/.test(tiers);
    const next = { measure: pick("measure", measureIds, heat.measure), direction: pick("direction", directionIds, heat.direction),
        tiers: isNumber ? Number(tiers) : heat.tiers, scale: pick("scale", scaleIds, heat.scale) };
    return Object.keys(KEYS).some((key) => next[key as keyof HeatChoice] !== heat[key as keyof HeatChoice]) ? next : heat;
}
