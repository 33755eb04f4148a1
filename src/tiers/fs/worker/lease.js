import { Buffer } from "node:buffer";
import process from "node:process";
import { errorCode } from "../../disk/worker/error-code.js";
import { ignoring } from "./ignoring.js";

/**
 * Who holds a lease.
 *
 * @typedef {object} Holder
 * @property {string} host
 * @property {number} pid
 * @property {string} nonce unlike that of any other tier, in this process too
 */

/**
 * @typedef {object} LeaseParts
 * @property {Pick<typeof import("node:fs"), "openSync" | "readSync" | "writeSync" | "fstatSync" | "closeSync" | "renameSync" |
 *   "unlinkSync" | "constants">} io
 * @property {string} path of the file
 * @property {string} nextPath of the file that says who is to have it next
 * @property {Holder} self
 * @property {{ now(): number }} clock of the file system
 */

/** Seconds without a heartbeat after which a holder counts as gone. */
const STALE_S = 10;
const MAX_BYTES = 1024;

/**
 * A file that says which of the processes on one folder evicts. Its modification time is the holder's heartbeat, set by the
 * file system. Who asks for it leaves a file that says so, which becomes the lease when the holder passes it on: so everybody
 * has his turn. Two may hold it for a moment, when one takes over from another that was only slow: then both evict, which is
 * more than needed and harms nothing.
 */
export class Lease {
  #io;
  #path;
  #nextPath;
  #self;
  #clock;

  /** @param {LeaseParts} parts */
  constructor({ io, path, nextPath, self, clock }) {
    this.#io = io;
    this.#path = path;
    this.#nextPath = nextPath;
    this.#self = self;
    this.#clock = clock;
  }

  /**
   * Takes the lease, or gives a sign of life when it is held.
   *
   * @param {readonly string[]} [lost] nonces of holders that are gone, although their process is not
   * @returns {boolean} whether it is ours now
   */
  renew(lost = []) {
    const found = this.#read();
    if (found === null) return this.#create();
    if (found.holder?.nonce === this.#self.nonce) return this.#beat();
    return this.#isGone(found, lost) && this.#takeOver(found.holder) && this.#create();
  }

  /** The same; when another has it, it is asked for it. @param {readonly string[]} [lost] */
  ask(lost) {
    const isOurs = this.renew(lost);
    if (!isOurs) this.#request();
    return isOurs;
  }

  /** The same as `renew`, but passes the lease on when another has asked for it. @param {readonly string[]} [lost] */
  keep(lost) {
    return !this.#passOn() && this.renew(lost);
  }

  /** Gives it back, if it is ours, and asks for it no more. */
  release() {
    for (const path of [this.#nextPath, this.#path]) {
      if (this.#isOurs(path)) ignoring("ENOENT", () => this.#io.unlinkSync(path));
    }
  }

  /** @param {string} path */
  #isOurs(path) {
    return this.#read(path)?.holder?.nonce === this.#self.nonce;
  }

  #request() {
    const { O_WRONLY, O_CREAT, O_EXCL } = this.#io.constants;
    // Whoever has asked before is next, and asks no more once it has the lease.
    ignoring("EEXIST", () => this.#write(O_WRONLY | O_CREAT | O_EXCL, this.#nextPath));
  }

  /** @returns {boolean} whether it was ours, and is another's now */
  #passOn() {
    if (!this.#isOurs(this.#path)) return false;
    const next = this.#read(this.#nextPath);
    if (next === null) return false;
    // We had asked, and have it since.
    if (next.holder?.nonce === this.#self.nonce) this.#io.unlinkSync(this.#nextPath);
    else this.#io.renameSync(this.#nextPath, this.#path);
    return next.holder?.nonce !== this.#self.nonce;
  }

  /** @param {{ holder: Holder | null, mtimeS: number }} found @param {readonly string[]} lost */
  #isGone({ holder, mtimeS }, lost) {
    if (holder !== null && lost.includes(holder.nonce)) return true;
    if (holder !== null && holder.host === this.#self.host && !isAlive(holder.pid)) return true;
    // A heartbeat from the future is none: the clock was put back since.
    return Math.abs(this.#clock.now() - mtimeS) > STALE_S;
  }

  /** @param {Holder | null} gone @returns {boolean} whether the file was that holder's, and is out of the way */
  #takeOver(gone) {
    const aside = `${this.#path}.${this.#self.nonce}.tmp`;
    try {
      this.#io.renameSync(this.#path, aside);
    } catch (error) {
      if (errorCode(error) === "ENOENT") return true;
      throw error;
    }
    const found = this.#read(aside)?.holder ?? null;
    const isSame = found?.nonce === gone?.nonce;
    // Somebody else was faster, and took over already: what was moved is the new holder's.
    if (isSame) this.#io.unlinkSync(aside);
    else this.#io.renameSync(aside, this.#path);
    return isSame;
  }

  #create() {
    const { O_WRONLY, O_CREAT, O_EXCL } = this.#io.constants;
    try {
      this.#write(O_WRONLY | O_CREAT | O_EXCL);
      return true;
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
  }

  #beat() {
    try {
      // Written anew, and not touched: so the file system sets the time.
      this.#write(this.#io.constants.O_WRONLY);
      return true;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return this.#create();
      throw error;
    }
  }

  /** @param {number} flags @param {string} [path] */
  #write(flags, path = this.#path) {
    const bytes = Buffer.from(`${JSON.stringify(this.#self)}\n`);
    const fd = this.#io.openSync(path, flags, 0o644);
    try {
      this.#io.writeSync(fd, bytes, 0, bytes.length, 0);
    } finally {
      this.#io.closeSync(fd);
    }
  }

  /** @returns {{ holder: Holder | null, mtimeS: number } | null} the holder is `null` in a file that makes no sense */
  #read(path = this.#path) {
    let fd;
    try {
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = this.#io.constants;
      fd = this.#io.openSync(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0));
    } catch (error) {
      if (errorCode(error) === "ENOENT") return null;
      throw error;
    }
    try {
      const bytes = Buffer.alloc(MAX_BYTES);
      const length = this.#io.readSync(fd, bytes, 0, MAX_BYTES, 0);
      return { holder: parseHolder(bytes.toString("utf8", 0, length)), mtimeS: this.#io.fstatSync(fd).mtimeMs / 1000 };
    } finally {
      this.#io.closeSync(fd);
    }
  }
}

/** @param {string} text @returns {Holder | null} */
function parseHolder(text) {
  try {
    /** @type {unknown} */
    const parsed = JSON.parse(text);
    const { host, pid, nonce } = /** @type {Record<string, unknown>} */ (parsed);
    if (typeof host === "string" && typeof pid === "number" && typeof nonce === "string") return { host, pid, nonce };
  } catch {
    // A holder was killed while it wrote: only its age counts.
  }
  return null;
}

/** @param {number} pid of this machine */
function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}
