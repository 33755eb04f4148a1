/** vLLM configs name its built-in detectors and policies by their full path. */
const UPSTREAM_PREFIX = "vllm.v1.kv_offload.tiering.backpressure.";

/** What a configured class name points to: a registered name, or an export of a module. */
export type ComponentRef =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "export"; readonly specifier: string; readonly exportName: string };

/**
 * Reads a class name of a config: a short name, `module#Export`, or `module.Export` split at the last dot. The path of
 * a built-in class of upstream (vLLM) means the short name. A registered name wins over what its dots would mean.
 */
export function parseComponentName(written: string, isRegistered: (name: string) => boolean): ComponentRef {
  if (isRegistered(written)) return { kind: "name", name: written };
  const short = written.startsWith(UPSTREAM_PREFIX) ? written.slice(UPSTREAM_PREFIX.length) : written;
  if (short !== written && !short.includes(".")) return { kind: "name", name: short };
  const hash = written.lastIndexOf("#");
  const at = hash === -1 ? written.lastIndexOf(".") : hash;
  if (at <= 0 || at === written.length - 1) return { kind: "name", name: written };
  return { kind: "export", specifier: written.slice(0, at), exportName: written.slice(at + 1) };
}
