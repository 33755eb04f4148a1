import { mkdtemp, open, rm, rmdir, statfs, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { badState } from "../engine-state.js";

/** Memory as a folder, on Linux. */
const MEMORY = "/dev/shm";

/** The most that one call of the system reads or writes. */
const STEP_BYTES = 2 ** 30;

/**
 * A file that one state passes through, for an engine that knows paths alone. Only this user can read it. On Linux it
 * has lost its name by the time that it is used, so that nothing of it stays, however the process ends: in a folder in
 * memory that would be memory.
 */
export class ScratchFile {
  /** Valid in this process, until the file is closed. */
  readonly path: string;
  readonly #file: FileHandle;
  readonly #folder: string | null;

  private constructor(path: string, file: FileHandle, folder: string | null) {
    this.path = path;
    this.#file = file;
    this.#folder = folder;
  }

  /**
   * @param bytes that it is to hold, for the choice of a folder
   * @param parent folder to make it in. Absent: `/dev/shm` where that has room, else the system's temporary folder
   */
  static async create(bytes: number, parent?: string): Promise<ScratchFile> {
    const folder = await mkdtemp(path.join(parent ?? (await folderWithRoom(bytes)), "kvtier-state-"));
    try {
      const named = path.join(folder, "state");
      const file = await open(named, "wx+", 0o600);
      if (process.platform !== "linux") return new ScratchFile(named, file, folder);
      await unlink(named);
      await rmdir(folder);
      return new ScratchFile(`/proc/self/fd/${file.fd}`, file, null);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Makes `bytes` the whole content. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, done, Math.min(STEP_BYTES, bytes.length - done), done);
      done += bytesWritten;
    }
    await this.#file.truncate(bytes.length);
  }

  /** The whole content, as whoever wrote to {@link path} has left it. */
  async read(): Promise<Uint8Array> {
    const { size } = await this.#file.stat();
    const bytes = new Uint8Array(size);
    for (let done = 0; done < size;) {
      const { bytesRead } = await this.#file.read(bytes, done, Math.min(STEP_BYTES, size - done), done);
      if (bytesRead === 0) throw badState("llama.cpp", `the file became shorter than ${size} bytes while it was read.`);
      done += bytesRead;
    }
    return bytes;
  }

  /** Closes it; it is gone then. */
  async close(): Promise<void> {
    try {
      await this.#file.close();
    } finally {
      if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
    }
  }
}

async function folderWithRoom(bytes: number): Promise<string> {
  const room = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return room > bytes ? MEMORY : tmpdir();
}
