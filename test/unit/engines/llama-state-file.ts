import fc from "fast-check";

/** One layer of a synthetic state: bytes of a row of K and V, and their types. V by channel has elements of 2 bytes. */
export interface LayerShape {
  readonly type: number;
  readonly keyBytes: number;
  readonly valueBytes: number;
}

export interface StateShape {
  readonly tokens: readonly number[];
  readonly layers: readonly LayerShape[];
  readonly transposed?: boolean;
  readonly streams?: number;
  /** Which stream holds the cells. */
  readonly stream?: number;
  readonly sequenceId?: number;
  /** Position of the token in each cell; absent: in order. */
  readonly positions?: readonly number[];
  /** Mixed into every value, so that two states differ. */
  readonly salt?: number;
}

/** The value that byte `i` of a token's row of a tensor has: another one for every token, tensor and byte. */
function byteOf(token: number, position: number, tensor: number, i: number, salt: number): number {
  return (token * 31 + position * 17 + tensor * 101 + i * 7 + salt * 59) & 0xff;
}

/**
 * A sequence file as llama.cpp 3 writes it, put together number by number. On purpose not by the code that is tested.
 */
export function stateFile(shape: StateShape): { bytes: Uint8Array; envelope: number[] } {
  const { tokens, layers, transposed = false, streams = 1, stream = 0, sequenceId = 0, salt = 0 } = shape;
  const positions = shape.positions ?? tokens.map((_, i) => i);
  const out: number[] = [];
  const envelope: number[] = [];
  const number = (value: number, bytes = 4): void => {
    for (let i = 0; i < bytes; i++) {
      envelope.push(out.length);
      out.push(i < 4 ? (value >>> (8 * i)) & 0xff : 0);
    }
  };
  const value = (position: number, tensor: number, i: number): void =>
    void out.push(byteOf(tokens[position] ?? 0, position, tensor, i, salt));

  number(0x67677371);
  number(3);
  number(tokens.length);
  tokens.forEach((token) => number(token));
  number(streams);
  for (let s = 0; s < streams; s++) {
    if (s !== stream) {
      number(0);
      continue;
    }
    number(positions.length);
    for (const position of positions) [position, 1, sequenceId].forEach((field) => number(field));
    number(transposed ? 1 : 0);
    number(layers.length);
    layers.forEach(({ type, keyBytes }, layer) => {
      number(type);
      number(keyBytes, 8);
      for (const position of positions) for (let i = 0; i < keyBytes; i++) value(position, layer, i);
    });
    layers.forEach(({ type, valueBytes }, layer) => {
      const tensor = layers.length + layer;
      number(type);
      if (!transposed) {
        number(valueBytes, 8);
        for (const position of positions) for (let i = 0; i < valueBytes; i++) value(position, tensor, i);
        return;
      }
      number(2);
      number(valueBytes / 2);
      for (let channel = 0; channel < valueBytes / 2; channel++) {
        for (const position of positions) [0, 1].forEach((i) => value(position, tensor, channel * 2 + i));
      }
    });
  }
  return { bytes: Uint8Array.from(out), envelope };
}

const F16 = 1;
const Q8_0 = 8;

/** Layers of one kind of cache: rows of a whole number of its pieces, and not all alike. */
const layersOf = (type: number, piece: number): fc.Arbitrary<LayerShape[]> =>
  fc.array(
    fc.record({
      type: fc.constant(type),
      keyBytes: fc.integer({ min: 1, max: 3 }).map((n) => n * piece),
      valueBytes: fc.integer({ min: 1, max: 3 }).map((n) => n * piece),
    }),
    { minLength: 1, maxLength: 3 },
  );

/** Every kind of file that is read: flash attention on and off, f16 and q8_0, one stream and several, cells in any order. */
export function anyState(tokens: { min: number; max: number }): fc.Arbitrary<StateShape> {
  const count = fc.integer(tokens);
  const kind = fc.oneof(
    fc.record({ transposed: fc.constant(false), layers: fc.oneof(layersOf(F16, 2), layersOf(Q8_0, 34)) }),
    fc.record({ transposed: fc.constant(true), layers: layersOf(F16, 2) }),
  );
  return fc.tuple(count, kind, fc.integer({ min: 1, max: 3 })).chain(([length, { transposed, layers }, streams]) =>
    fc.record({
      tokens: fc.array(fc.integer({ min: 0, max: 0xffffffff }), { minLength: length, maxLength: length }),
      layers: fc.constant(layers),
      transposed: fc.constant(transposed),
      streams: fc.constant(streams),
      stream: fc.integer({ min: 0, max: streams - 1 }),
      sequenceId: fc.integer({ min: 0, max: 255 }),
      positions: fc.shuffledSubarray(
        Array.from({ length }, (_, i) => i),
        { minLength: length, maxLength: length },
      ),
      salt: fc.integer({ min: 0, max: 255 }),
    }),
  );
}
