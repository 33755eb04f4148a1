import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { BentoCache, bentostore } from "bentocache";
import { fileDriver } from "bentocache/drivers/file";
import { memoryDriver } from "bentocache/drivers/memory";
import { createCache } from "cache-manager";
import { Cacheable } from "cacheable";
import Keyv from "keyv";
import { KeyvFile } from "keyv-file";

/**
 * A general cache that keeps buffers.
 *
 * @typedef {object} Peer
 * @property {(key: string, value: Buffer) => Promise<unknown>} set
 * @property {(key: string) => Promise<Buffer | undefined>} get
 * @property {() => Promise<unknown>} close
 */

/** @typedef {{ readonly [name: string]: Peer }} Peers */

/** More than any bench keeps in memory. */
const MAX_ITEMS = 100_000;

/**
 * Each over its file store alone, so that every read is one of a file. Those by Keyv are there twice: with its own
 * serialization (base64 in JSON), and with that of V8, which keeps bytes as bytes.
 *
 * @param {string} folder @returns {Peers}
 */
export function filePeers(folder) {
  const driver = fileDriver({ directory: join(folder, "bentocache"), pruneInterval: false });
  const store = (/** @type {string} */ name) => ({ filename: join(folder, name), separatedFile: true });
  return {
    bentocache: bento(bentostore().useL2Layer(driver)),
    cacheable: cacheable(withoutSerialization(new KeyvFile({ ...store("cacheable"), ...asBytes }))),
    "cacheable-default": cacheable(new Keyv({ store: new KeyvFile(store("cacheable-default")) })),
    "cache-manager": cacheManager(withoutSerialization(new KeyvFile({ ...store("cache-manager"), ...asBytes }))),
    "cache-manager-default": cacheManager(new Keyv({ store: new KeyvFile(store("cache-manager-default")) })),
  };
}

const asBytes = {
  serialize,
  deserialize: (/** @type {string | Buffer} */ bytes) =>
    /** @type {unknown} */ (deserialize(/** @type {Buffer} */ (bytes))),
};

/** Each over its memory store alone, which hands out the value itself. @returns {Peers} */
export function memoryPeers() {
  const driver = memoryDriver({ serialize: false, maxItems: MAX_ITEMS });
  return {
    bentocache: bento(bentostore().useL1Layer(driver)),
    cacheable: cacheable(withoutSerialization()),
    "cache-manager": cacheManager(withoutSerialization()),
  };
}

/** For its file store, which keeps text only. */
const base64Serializer = {
  serialize: (/** @type {{ value: Buffer }} */ entry) =>
    JSON.stringify({ ...entry, value: entry.value.toString("base64") }),
  deserialize: (/** @type {string} */ text) => {
    const entry = JSON.parse(text);
    return { ...entry, value: Buffer.from(entry.value, "base64") };
  },
};

/** @param {ReturnType<typeof bentostore>} store */
function bento(store) {
  const cache = new BentoCache({
    default: "blocks",
    stores: { blocks: store },
    ttl: null,
    serializer: base64Serializer,
  });
  return {
    set: (/** @type {string} */ key, /** @type {Buffer} */ value) => cache.set({ key, value }),
    get: (/** @type {string} */ key) => cache.get({ key }),
    close: () => cache.disconnectAll(),
  };
}

/** @param {Keyv} store */
function cacheable(store) {
  const cache = new Cacheable({ primary: store });
  return {
    set: (/** @type {string} */ key, /** @type {Buffer} */ value) => cache.set(key, value),
    get: (/** @type {string} */ key) => cache.get(key),
    close: () => cache.disconnect(),
  };
}

/** @param {Keyv} store */
function cacheManager(store) {
  const cache = createCache({ stores: [store] });
  return {
    set: (/** @type {string} */ key, /** @type {Buffer} */ value) => cache.set(key, value),
    get: (/** @type {string} */ key) => cache.get(key),
    close: () => cache.disconnect(),
  };
}

/** A Keyv that hands values to its store as they are. @param {KeyvFile | Map<string, unknown>} [store] */
function withoutSerialization(store = new Map()) {
  const keyv = new Keyv({ store });
  keyv.serialize = undefined;
  keyv.deserialize = undefined;
  return keyv;
}
