/** Where a tier keeps its blocks. */
export const Medium = { Cpu: "CPU", Storage: "STORAGE" } as const;
export type Medium = (typeof Medium)[keyof typeof Medium];

/** Whether a tier's blocks are on this machine or behind a network. */
export const Locality = { Local: "LOCAL", Remote: "REMOTE" } as const;
export type Locality = (typeof Locality)[keyof typeof Locality];
