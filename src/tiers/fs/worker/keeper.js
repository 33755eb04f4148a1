import { dirname, resolve } from "node:path";
import process from "node:process";
import { failureOf } from "../../disk/worker/attempt.js";
import { errorCode } from "../../disk/worker/error-code.js";
import { openFolders } from "../../disk/worker/open-folders.js";
import { RootPlace } from "../../disk/worker/root-place.js";
import { CountedFiles } from "./counted-files.js";
import { FileIds } from "./file-ids.js";
import { isTempFileName, tempFileName } from "./file-names.js";
import { Lease } from "./lease.js";
import { Removals } from "./removals.js";
import { Scan } from "./scan.js";
import { ServerClock } from "./server-clock.js";

/** @typedef {import("../keeper-tasks.js").KeeperTask} KeeperTask */
/** @template {KeeperTask["op"]} Op @typedef {Extract<KeeperTask, { op: Op }>} TaskOf */

/** Below the root. */
const LEASE_FILE = "evict.lock";
const NEXT_LEASE_FILE = "evict.next.lock";
/** Uses that are written down in one task: a few milliseconds. */
const PERSIST_STEP = 512;
/** Age, in seconds, from which a temporary file may go when there is nothing else to make room with: no write takes as long. */
const LEFT_OVER_S = 60;
/** Seconds that tell two uses apart in a modification time; what a double holds of today is a little finer. */
const TICK_S = 1e-6;

/**
 * Keeps the books of what lies below a root, and makes all changes there that are no store or load. It runs in a thread of
 * its own: a million files are nothing to walk over on the event loop.
 */
export class Keeper {
  #io;
  #data;
  #ids;
  #files = new CountedFiles();
  #clock;
  #place;
  #removals;
  /** @type {string | null} */
  #root = null;
  /** @type {Scan | null} */
  #scan = null;
  /** @type {Lease | null} */
  #lease = null;
  #probes = 0;
  /** What the names of the temporary files of threads begin with that are gone. @type {Set<string>} */
  #endedWriters = new Set();
  #lastUseS = 0;

  /** @param {import("../keeper-tasks.js").KeeperData} data @param {typeof import("node:fs")} io */
  constructor(data, io) {
    this.#io = io;
    this.#data = data;
    this.#ids = new FileIds(data.namespace.blocks);
    const { blocks } = data.namespace;
    this.#place = new RootPlace(io, () => this.#rootPath, blocks);
    this.#removals = new Removals({
      io,
      ids: this.#ids,
      files: this.#files,
      root: () => this.#rootPath,
      assertThere: () => this.#place.assertThere(),
    });
    this.#clock = new ServerClock(io, () => {
      return `${this.#rootPath}/${blocks}/${tempFileName(`${data.writerId}-0`, ++this.#probes)}`;
    });
  }

  /** @param {KeeperTask} task */
  run(task) {
    switch (task.op) {
      case "open":
        return this.#open();
      case "scan":
        return this.#goOn(task);
      case "note":
        return this.#note(task);
      case "persist":
        return this.#persist(task.now);
      case "lease":
        return this.#leaseFile[task.how](task.lost.map(nonceOf));
      case "choose":
        return this.#removals.choose(task);
      case "evict":
        return this.#removals.evict(task.spared);
      case "remove":
        return this.#removals.remove(task.files);
      case "clear":
        return this.#removals.clear(task.subFolders);
      case "sweep":
        return this.#removals.sweep(() => this.#nowOr(-Infinity) - LEFT_OVER_S);
      case "close":
        this.#lease?.release();
        return null;
    }
  }

  #open() {
    const path = openFolders(this.#io, this.#data.rootDir, this.#data.namespace);
    this.#root = dirname(path);
    this.#place.assertThere();
    return path;
  }

  /** @param {TaskOf<"scan">} task @returns {import("../keeper-tasks.js").ScanReply} */
  #goOn({ isFirst }) {
    if (isFirst || this.#scan === null) this.#beginScan();
    const scan = /** @type {Scan} */ (this.#scan);
    const isDone = scan.step();
    if (isDone) {
      this.#scan = null;
      this.#removals.scanEnded();
      if (this.#data.isCounting) this.#files.scanEnds(scan);
    }
    const fault = scan.fault === null ? null : failureOf(scan.fault);
    return { isDone, tempsRemoved: scan.tempsRemoved, fault, status: this.#files.status };
  }

  #beginScan() {
    const { isCounting, writerId, tempMaxAgeS } = this.#data;
    this.#place.assertThere();
    this.#scan = new Scan({
      io: this.#io,
      root: this.#rootPath,
      isOwnTemp: (name) => name.startsWith(`${writerId}-`),
      isLeftOver: (name) => this.#isLeftOver(name),
      tempsBefore: this.#nowOr(-Infinity) - tempMaxAgeS,
      idOf: isCounting ? (folder, sub, name) => this.#ids.idOf(this.#ids.folderId(folder), sub, name) : null,
    });
    this.#files.scanBegins();
  }

  /** @param {number} otherwise where nothing can be made, and so nothing is removed */
  #nowOr(otherwise) {
    try {
      return this.#clock.now();
    } catch {
      return otherwise;
    }
  }

  /** @param {TaskOf<"note">} task */
  #note({ lines }) {
    let now = 0;
    for (const line of lines.split("\n")) {
      if (line.startsWith("@")) now = Number(line.slice(1));
      else if (line.startsWith("-")) this.#endedWriters.add(`${this.#data.writerId}${line}`);
      else this.#noteFile(line, now);
    }
    return this.#files.status;
  }

  /** @param {string} line @param {number} now seconds on the tier's clock */
  #noteFile(line, now) {
    const space = line.indexOf(" ");
    const id = this.#ids.ownIdOf(line.slice(space === -1 ? 1 : space + 1));
    if (id === null) return;
    if (line.startsWith("+")) this.#files.set(id, Number(line.slice(1, space)));
    else if (line.startsWith("?")) this.#lookAt(id);
    else if (line.startsWith("!")) this.#cleanUp(id);
    // One that is not known was stored by another process since the last scan, if it was read.
    else if (!this.#files.use(id, now) && line.startsWith("~") && this.#lookAt(id)) this.#files.use(id, now);
  }

  /** What a thread left that was ended while it wrote a file, under its temporary name or its own. @param {string} id */
  #cleanUp(id) {
    if (this.#data.isCounting) this.#lookAt(id);
    const folder = dirname(`${this.#rootPath}/${this.#ids.pathOf(id)}`);
    const names = orUndefined(() => this.#io.readdirSync(folder)) ?? [];
    for (const name of names.filter((one) => this.#isLeftOver(one))) {
      const path = `${folder}/${name}`;
      const size = orUndefined(() => this.#io.lstatSync(path).size) ?? 0;
      // What stays is tried again with each scan.
      if (orUndefined(() => (this.#io.unlinkSync(path), true)) === undefined) this.#files.addOther(size);
    }
  }

  /** Whether it is a temporary file of this tier that nobody writes any more. @param {string} name */
  #isLeftOver(name) {
    return isTempFileName(name) && this.#endedWriters.has(name.slice(0, name.lastIndexOf("-")));
  }

  /** Puts right what is known of one file. @param {string} id @returns {boolean} whether it is there */
  #lookAt(id) {
    try {
      const found = this.#io.lstatSync(`${this.#rootPath}/${this.#ids.pathOf(id)}`, { throwIfNoEntry: false });
      if (found?.isFile() === true) {
        this.#files.set(id, found.size);
        return true;
      }
      this.#files.delete(id);
    } catch {
      // What is not known better stays as it was.
    }
    return false;
  }

  /** @param {number} now seconds on the tier's clock @returns {boolean} whether all uses are written down */
  #persist(now) {
    if (!this.#files.hasUses) return true;
    const serverNow = this.#clock.now();
    for (const [id, usedAt] of this.#files.takeUses(PERSIST_STEP)) {
      this.#lastUseS = Math.max(serverNow - (now - usedAt), this.#lastUseS + TICK_S);
      try {
        this.#io.lutimesSync(`${this.#rootPath}/${this.#ids.pathOf(id)}`, this.#lastUseS, this.#lastUseS);
      } catch (error) {
        // Recency is a hint: what cannot be written down is not worth a failure.
        if (errorCode(error) === "ENOENT") this.#files.delete(id);
      }
    }
    return !this.#files.hasUses;
  }

  get #rootPath() {
    return (this.#root ??= this.#io.realpathSync.native(resolve(this.#data.rootDir)));
  }

  get #leaseFile() {
    const { host, writerId } = this.#data;
    return (this.#lease ??= new Lease({
      io: this.#io,
      path: `${this.#rootPath}/${LEASE_FILE}`,
      nextPath: `${this.#rootPath}/${NEXT_LEASE_FILE}`,
      self: { host, pid: process.pid, nonce: nonceOf(writerId) },
      clock: this.#clock,
    }));
  }
}

/** What of a writer's id is unlike that of any other on the folder. @param {string} writerId */
function nonceOf(writerId) {
  return writerId.slice(writerId.indexOf("-") + 1);
}

/** @template T @param {() => T} fn @returns {T | undefined} nothing where it fails */
function orUndefined(fn) {
  try {
    return fn();
  } catch {
    return undefined;
  }
}
