import { subscribe, unsubscribe } from "node:diagnostics_channel";

export type ChannelMessage = Readonly<Record<string, unknown>>;

/** Runs `body` with what is told on the channels meanwhile. */
export async function listening<Name extends string>(
  names: readonly Name[],
  body: (heard: Readonly<Record<Name, ChannelMessage[]>>) => void | Promise<void>,
): Promise<void> {
  const heard = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, ChannelMessage[]>;
  const listeners = names.map((name) => {
    const onMessage = (message: unknown): void => void heard[name].push(message as ChannelMessage);
    subscribe(name, onMessage);
    return () => unsubscribe(name, onMessage);
  });
  try {
    await body(heard);
  } finally {
    for (const stop of listeners) stop();
  }
}
