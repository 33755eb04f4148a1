import { readdirSync, readFileSync } from "node:fs";
import { extname } from "node:path";

export interface PageFile {
  readonly contentType: string;
  readonly content: Buffer;
}

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  [".html", "text/html; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".js", "text/javascript; charset=utf-8"],
  [".svg", "image/svg+xml"],
]);

const MAIN_SCRIPT = new URL("./page/main.js", import.meta.url);

/** The files of the page by name, as they are published. Only these are ever served, so no path can lead elsewhere. */
export function pageFiles(): ReadonlyMap<string, PageFile> {
  const folder = new URL(".", MAIN_SCRIPT);
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder)) {
    const contentType = CONTENT_TYPES.get(extname(name));
    if (contentType !== undefined) files.set(name, { contentType, content: readFileSync(new URL(name, folder)) });
  }
  return files;
}
