import type { Registry, RegistryContentType } from "prom-client";

/** What a scrape of the registry gives, by series: `kvtier_chunk_hits_total{tier="1:fs"}`. */
export async function scrape(registry: Registry<RegistryContentType>): Promise<Map<string, number>> {
  const lines = (await registry.metrics()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const gap = line.lastIndexOf(" ");
      return [line.slice(0, gap), Number(line.slice(gap + 1))];
    }),
  );
}

/** The series of one metric. */
export async function seriesOf(registry: Registry<RegistryContentType>, name: string): Promise<Record<string, number>> {
  const all = await scrape(registry);
  return Object.fromEntries([...all].filter(([series]) => series.replace(/\{.*/, "") === name));
}
