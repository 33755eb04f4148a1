import type { Metric, Registry, RegistryContentType } from "prom-client";
import { KvTierError } from "../errors/kv-tier-error.js";
import type { TieringOffloadingManager } from "../orchestrator/tiering-offloading-manager.js";
import { CollectedMetric } from "./collected-metric.js";
import { distinctLabels } from "./distinct-labels.js";
import { FAMILIES } from "./families.js";
import type { MetricFamily } from "./metric-family.js";
import { metricName } from "./metric-name.js";
import { checkMetricsOptions, type MetricsOptions } from "./metrics-options.js";
import { MetricsSource } from "./metrics-source.js";

const DEFAULT_PREFIX = "kvtier_";

/**
 * Adds the metrics of a cache to a `prom-client` registry, where they are read at each scrape. Every series is there at
 * once, with 0; metrics that none of the tiers has, such as those of backpressure without a detector, are left out.
 * Several caches may share a registry and a prefix: they are told apart by their labels, and one that comes without gets
 * a number as `cache`. From now on the cache times its look-ups. When it has shut down its series leave.
 *
 * @param registry any registry of `prom-client`; kvtier itself does not load that package
 * @param manager of `createTiering`; one that is registered with this prefix already stays as it is
 * @returns takes the series out again; twice is harmless
 * @throws KvTierError `CONFIG_INVALID` on an option; `INVALID_STATE` when a metric of somebody else's has one of the
 *   names, or another cache the same labels with a `cache` among them; `CLOSED`. Nothing is registered then.
 */
export function registerKvTierMetrics(
  registry: Registry<RegistryContentType>,
  manager: TieringOffloadingManager,
  options: MetricsOptions = {},
): () => void {
  checkMetricsOptions(options);
  const { prefix = DEFAULT_PREFIX, labels = {} } = options;
  if (manager.events.isClosed) throw new KvTierError("CLOSED", "The tiering manager is closed: it has no metrics.");
  const slots = FAMILIES.map((family) => slotFor(registry, metricName(prefix, family), family));
  const others = new Set(slots.flatMap(({ metric }) => [...metric.sources]));
  const leave = (): void => takeOut(registry, manager, slots);
  if ([...others].some((other) => other.manager === manager)) return leave;
  const open = [...others].filter((other) => other.snapshot !== null);
  const source = new MetricsSource(
    manager,
    distinctLabels(
      labels,
      open.map((other) => other.labels),
    ),
    leave,
  );
  for (const { name, metric, family } of slots) {
    if (!has(source, family)) continue;
    metric.sources.add(source);
    // Closed ones may just have taken it out.
    if (registry.getSingleMetric(name) === undefined) registry.registerMetric(metric as unknown as Metric);
  }
  return leave;
}

interface Slot {
  readonly name: string;
  readonly family: MetricFamily;
  readonly metric: CollectedMetric;
}

/** The metric of this name that is registered, or one that may be. */
function slotFor(registry: Registry<RegistryContentType>, name: string, family: MetricFamily): Slot {
  const registered: unknown = registry.getSingleMetric(name);
  if (registered === undefined) return { name, family, metric: new CollectedMetric(name, family) };
  if (registered instanceof CollectedMetric) return { name, family, metric: registered };
  throw new KvTierError(
    "INVALID_STATE",
    `The registry has a metric '${name}' already, which is not kvtier's. Register with another prefix.`,
  );
}

function has(source: MetricsSource, family: MetricFamily): boolean {
  return source.snapshot !== null && family.read(source.snapshot).length > 0;
}

function takeOut(
  registry: Registry<RegistryContentType>,
  manager: TieringOffloadingManager,
  slots: readonly Slot[],
): void {
  for (const { name, metric } of slots) {
    for (const source of metric.sources) if (source.manager === manager) metric.sources.delete(source);
    if (metric.sources.size === 0 && registry.getSingleMetric(name) === (metric as unknown)) {
      registry.removeSingleMetric(name);
    }
  }
}
