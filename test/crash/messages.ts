/** What `store-under-load.js` is started with, as JSON in its first argument. */
export interface LoadPlan {
  readonly type: string;
  readonly root: string;
  readonly blockBytes: number;
  /** Options of the tier besides `type` and `root_dir`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Whether another process is at work in the same folder: what that one evicts cannot be foreseen. */
  readonly isShared: boolean;
  /** Blocks that there are, by number from 0: several times as many as the tier has room for. */
  readonly blocks: number;
  readonly seed: number;
}

/** What the process says of itself. */
export type Report =
  /** Every block was looked up, and those that are there were loaded and compared. Nothing is under way. */
  | { readonly kind: "verified"; readonly held: readonly number[] }
  | { readonly kind: "figures"; readonly figures: Figures }
  /** These were stored, and loaded again. Nothing is under way. */
  | { readonly kind: "stored"; readonly blocks: readonly number[] }
  /** Something that must not be. */
  | { readonly kind: "fault"; readonly fault: string };

/** The tier's own. */
export type Figures = Readonly<Record<string, number>>;

/** To tell its figures, to store a few blocks, to store and load without end, or to end in order. */
export type Order = "figures" | "store" | "load" | "close";

/** What `open-and-close.js` is started with: so often. */
export interface OpenAndClose {
  readonly type: string;
  readonly rounds: number;
  readonly seed: number;
}
