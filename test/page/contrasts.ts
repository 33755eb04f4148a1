/** Runs in the page: contrast of every text with what is behind it, and what WCAG 2.2 AA asks for. */
export function contrasts(): { text: string; ratio: number; needed: number }[] {
  const numbers = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color: string): number => {
    const [r = 0, g = 0, b = 0] = numbers(color).map((value) => {
      const share = value / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element: Element): string => {
    // What an SVG text stands on is a box beside it in the tree, and no box is lighter or darker than these two.
    for (let at: Element | null = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (numbers(color)[3] !== 0) return color;
    }
    return "rgb(255, 255, 255)";
  };
  const body = getComputedStyle(document.body).backgroundColor;
  return [...document.querySelectorAll("body *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim() !== ""))
    .filter(
      (element) => !["SCRIPT", "NOSCRIPT", "OPTION"].includes(element.tagName) && element.getClientRects().length > 0,
    )
    .flatMap((element) => {
      const { fill, color } = getComputedStyle(element);
      const isSvg = element instanceof SVGElement;
      return [behind(element), ...(isSvg ? [body] : [])].map((back) => {
        const [a, b] = [luminance(isSvg ? fill : color), luminance(back)].sort((x, y) => y - x) as [number, number];
        return { text: element.textContent ?? "", ratio: (a + 0.05) / (b + 0.05), needed: 4.5 };
      });
    });
}
