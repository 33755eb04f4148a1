import { badState } from "../engine-state.js";
import { MAGIC, VERSION, type SequenceState } from "./sequence-state.js";
import { channelTensor, rowTensor, type CacheTensor } from "./state-layout.js";
import { StateReader } from "./state-reader.js";

/** The highest number of sequences that llama.cpp is built with (`LLAMA_MAX_SEQ`). */
const MAX_SEQUENCES = 256;

/**
 * Reads a sequence file of llama.cpp, magic `ggsq`, version 3, little-endian, as `llama_state_seq_save_file` writes it:
 *
 * magic u32, version u32, number of tokens u32, each token u32; number of streams u32; per stream its number of cells
 * u32 and, unless that is 0, what follows. Per cell: position u32, number of sequence ids u32 (1), each id u32. Then
 * whether V is transposed u32, number of layers u32. Per layer K: type u32, bytes of a row u64, a row per cell. Per layer
 * V: the same; when transposed: type u32, bytes of an element u32, number of channels u32, then per channel an element per
 * cell.
 *
 * Everything is checked, and nothing may be left over: the engine aborts the process on a file that is cut short. Models
 * whose files hold more (sliding windows, recurrent layers, several positions per token) or less (no V) are refused.
 *
 * @param bytes the whole file; kept, not copied
 * @throws KvTierError `INVALID_STATE` on any other file
 */
export function parseSequenceState(bytes: Uint8Array): SequenceState {
  const reader = new StateReader(bytes);
  const magic = reader.u32("the magic number");
  if (magic !== MAGIC) throw badState("llama.cpp", `the file starts with 0x${magic.toString(16)}, not with 'ggsq'.`);
  const version = reader.u32("the version");
  if (version !== VERSION) throw badState("llama.cpp", `the file is of version ${version}; ${VERSION} is known.`);
  const tokens = reader.u32s(reader.u32("the number of tokens"), "the tokens");
  const streams = reader.u32("the number of streams");
  let found: Omit<SequenceState, "bytes" | "tokens"> | undefined;
  for (let stream = 0; stream < streams; stream++) {
    const cells = reader.u32("the number of cells");
    if (cells === 0) continue;
    if (found !== undefined) throw badState("llama.cpp", "more than one of its streams holds cells.");
    if (cells !== tokens.length) {
      throw badState("llama.cpp", `it has ${cells} cells for ${tokens.length} tokens.`);
    }
    found = readStream(reader, cells, streams);
  }
  if (found === undefined) throw badState("llama.cpp", "it holds no tokens.");
  if (reader.left > 0) throw badState("llama.cpp", `the file goes on for ${reader.left} bytes that are not known.`);
  return { bytes, tokens, ...found };
}

function readStream(reader: StateReader, cells: number, streams: number): Omit<SequenceState, "bytes" | "tokens"> {
  const { rows, sequenceId } = readCells(reader, cells);
  const transposed = reader.u32("whether V is transposed");
  if (transposed > 1) throw badState("llama.cpp", `V is transposed, or not, or ${transposed}.`);
  const layers = reader.u32("the number of layers");
  if (layers === 0) throw badState("llama.cpp", "it has no layers.");
  const tensors: CacheTensor[] = [];
  const starts: number[] = [];
  const readAll = (part: string, read: (what: string) => CacheTensor): void => {
    for (let layer = 0; layer < layers; layer++) {
      const what = `${part} of layer ${layer}`;
      const tensor = read(what);
      tensors.push(tensor);
      starts.push(reader.skip(tensor.bytes * tensor.runs * cells, `the end of ${what}`));
    }
  };
  const readRows = (what: string): CacheTensor => rowTensor(reader.u32(`type of ${what}`), reader.u64(what), what);
  const readChannels = (what: string): CacheTensor =>
    channelTensor(reader.u32(`type of ${what}`), reader.u32(what), reader.u32(what), what);
  readAll("K", readRows);
  readAll("V", transposed === 1 ? readChannels : readRows);
  return { layout: { streams, valuesTransposed: transposed === 1, tensors }, sequenceId, rows, starts };
}

/** Every position from 0 on has exactly one cell. */
function readCells(reader: StateReader, cells: number): Pick<SequenceState, "rows" | "sequenceId"> {
  const fields = reader.u32s(cells * 3, "the cells");
  const rows = new Uint32Array(cells).fill(cells);
  const sequenceId = fields[2] ?? MAX_SEQUENCES;
  if (sequenceId >= MAX_SEQUENCES) throw badState("llama.cpp", `it is of the sequence ${sequenceId}.`);
  for (let cell = 0; cell < cells; cell++) {
    const position = fields[cell * 3] ?? 0;
    if (fields[cell * 3 + 1] !== 1 || fields[cell * 3 + 2] !== sequenceId)
      throw badState("llama.cpp", `cell ${cell} is not of one sequence alone.`);
    // A position that is too high has no row; one that came before has another.
    if (rows[position] !== cells) throw badState("llama.cpp", `cell ${cell} is for position ${position}.`);
    rows[position] = cell;
  }
  return { rows, sequenceId };
}
