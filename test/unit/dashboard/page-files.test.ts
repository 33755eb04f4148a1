import { describe, expect, it } from "@jest/globals";
import { transformSync } from "esbuild";
import { pageFiles } from "../../../src/dashboard/page-files.js";

const FILES = pageFiles();
const texts = [...FILES].map(([name, { content }]) => ({ name, text: content.toString("utf8") }));

describe("the files of the page", () => {
  it("are those that a browser needs, and no others of the folder", () => {
    expect([...FILES.keys()]).toEqual(expect.arrayContaining(["index.html", "style.css", "main.js", "icon.svg"]));
    expect([...FILES.keys()].filter((name) => !/\.(?:html|css|js|svg)$/.test(name))).toEqual([]);
  });

  it("name only each other", () => {
    const named = texts.flatMap(({ text }) =>
      [...text.matchAll(/(?:from "\.\/|(?:href|src)="|url\()([^#"')]+)/g)].map(([, name = ""]) => name),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !FILES.has(name))).toEqual([]);
  });

  it("need nothing from elsewhere", () => {
    const addresses = texts.flatMap(({ text }) => text.match(/(?:https?:)?\/\/[a-z][\w.-]+/g) ?? []);
    // The name of a language, which nobody loads.
    expect(addresses.filter((address) => address !== "http://www.w3.org")).toEqual([]);
  });

  it("have no script or style inside the markup, which their own policy forbids", () => {
    const html = texts.find(({ name }) => name === "index.html")?.text ?? "";
    expect(html).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*src=)/);
  });

  it("make text of names, never markup", () => {
    for (const { name, text } of texts)
      expect(`${name} ${/innerHTML|insertAdjacentHTML|document\.write/.test(text)}`).toBe(`${name} false`);
  });

  it("are light: less than 60 KB as they are published", () => {
    const sizes = texts.map(({ name, text }) =>
      name.endsWith(".js") ? transformSync(text, { minifyWhitespace: true, charset: "utf8" }).code.length : text.length,
    );
    expect(sizes.reduce((all, size) => all + size, 0)).toBeLessThan(60_000);
  });
});
