import { randomBytes } from "node:crypto";
import { close, constants, fstat, ftruncate, open } from "node:fs";
import { readdir, unlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { errorCode } from "../disk/worker/error-code.js";
import type { SegmentFile } from "./segment.js";

/**
 * Descriptors, not file handles: worker threads use them by number. Opened by the main thread, as one that a worker thread
 * opens is closed when that thread ends, and its number given to the next file.
 */
const openFd = promisify(open);
const closeFd = promisify(close);
const truncateFd = promisify(ftruncate);
const statFd = promisify(fstat);

const MODE = 0o644;
/** `<epoch>-<random>.seg`, both in hex: no name is used twice, so that a file that is removed by its name is the one meant. */
const NAME = /^[0-9a-f]{8}-[0-9a-f]{8}\.seg$/;

/** The segment files of one folder, all of the same size. */
export class SegmentFolder {
  readonly #folder: string;
  readonly #segmentBytes: number;
  readonly #open = new Set<SegmentFile>();

  constructor(folder: string, segmentBytes: number) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
  }

  /** Names of the segment files; other files are not ours. */
  async names(): Promise<string[]> {
    return (await readdir(this.#folder)).filter((name) => NAME.test(name)).sort();
  }

  /** Opens a segment file; `null` when it is of another size, and so holds nothing of use. */
  async open(name: string, isSuspect: boolean): Promise<SegmentFile | null> {
    // A symbolic link is not followed, and a pipe does not block. Windows has neither flag.
    const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
    const flags = O_RDWR | ((O_NOFOLLOW as number | undefined) ?? 0) | ((O_NONBLOCK as number | undefined) ?? 0);
    let fd;
    try {
      fd = await openFd(join(this.#folder, name), flags);
    } catch (error) {
      // A link, a folder, or a file that is gone: no segment.
      if (["ELOOP", "EISDIR", "ENOENT", "ENXIO"].includes(String(errorCode(error)))) return null;
      throw error;
    }
    try {
      const found = await statFd(fd);
      if (found.isFile() && found.size === this.#segmentBytes) return this.#opened({ name, fd, isSuspect });
    } catch (error) {
      await closeFd(fd);
      throw error;
    }
    await closeFd(fd);
    return null;
  }

  /** Makes a file of full size, without a header yet. */
  async create(epoch: number): Promise<SegmentFile> {
    const name = `${epoch.toString(16).padStart(8, "0")}-${randomBytes(4).toString("hex")}.seg`;
    const fd = await openFd(join(this.#folder, name), "wx+", MODE);
    const file = this.#opened({ name, fd, isSuspect: false });
    try {
      await truncateFd(fd, this.#segmentBytes);
    } catch (error) {
      await this.discard(file);
      throw error;
    }
    return file;
  }

  /** Nobody may be at work on the file. One that is closed already is fine: its number may be another file's by now. */
  async close(file: SegmentFile): Promise<void> {
    if (this.#open.delete(file)) await closeFd(file.fd);
  }

  /** Closes the file, and removes it. */
  async discard(file: SegmentFile): Promise<void> {
    await this.close(file);
    await this.remove(file.name);
  }

  /** Removes a file; one that is gone is fine, and one that is no file stays. */
  async remove(name: string): Promise<void> {
    try {
      await unlink(join(this.#folder, name));
    } catch (error) {
      if (!["ENOENT", "EISDIR", "EPERM"].includes(String(errorCode(error)))) throw error;
    }
  }

  #opened(file: SegmentFile): SegmentFile {
    this.#open.add(file);
    return file;
  }
}
