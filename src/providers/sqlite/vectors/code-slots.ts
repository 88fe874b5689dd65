// Holds codes side by side in memory, each with its file and its vector.
import { VaultgraphError } from '../../../base/errors.ts';

/** What lies at the same place belongs together; the codes one behind the other. */
export interface CodeRows {
  readonly files: readonly number[];
  readonly vectors: readonly number[];
  readonly codes: Uint8Array;
}

export interface CodeSlots {
  /** From 0 up to here slots are in use, or were. */
  readonly end: number;
  /** How many are in use. */
  readonly used: number;
  /** The file of each slot; 0 where it is free. */
  readonly files: Uint32Array;
  readonly vectors: Uint32Array;
  /** One behind the other. */
  readonly signs: Uint8Array<ArrayBuffer>;
  /** The last byte of each code. */
  readonly along: Uint8Array;
  /** A number for each slot, for whoever looks through them. */
  readonly scratch: Uint16Array;
  add(rows: CodeRows): void;
  /** Frees every slot whose file passes. */
  free(passes: (file: number) => boolean): void;
}

/** Room beyond what is needed, so that not every addition copies all of it. */
const SPARE = 1 / 32;

/** @param bytes of the signs of one vector */
export function createCodeSlots(bytes: number): CodeSlots {
  const slots = {
    end: 0,
    used: 0,
    files: new Uint32Array(),
    vectors: new Uint32Array(),
    signs: new Uint8Array(),
    along: new Uint8Array(),
    scratch: new Uint16Array(),
  };
  const freed: number[] = [];

  const makeRoom = (more: number): void => {
    const needed = slots.end + Math.max(0, more - freed.length);
    if (needed <= slots.files.length) return;
    const room = Math.ceil(needed * (1 + SPARE));
    slots.files = grown(slots.files, new Uint32Array(room));
    slots.vectors = grown(slots.vectors, new Uint32Array(room));
    slots.signs = grown(slots.signs, new Uint8Array(room * bytes));
    slots.along = grown(slots.along, new Uint8Array(room));
    slots.scratch = new Uint16Array(room);
  };

  return Object.assign(slots, {
    add: ({ files, vectors, codes }: CodeRows) => {
      if (codes.length !== files.length * (bytes + 1))
        throw new VaultgraphError('INTERNAL', { kind: 'codes_incomplete' });
      makeRoom(files.length);
      slots.used += files.length;
      for (const [row, file] of files.entries()) {
        const slot = freed.pop() ?? slots.end++;
        slots.files[slot] = file;
        slots.vectors[slot] = vectors[row] ?? 0;
        const code = codes.subarray(row * (bytes + 1), (row + 1) * (bytes + 1));
        slots.signs.set(code.subarray(0, bytes), slot * bytes);
        slots.along[slot] = code[bytes] as number;
      }
    },
    free: (passes: (file: number) => boolean) => {
      for (let slot = 0; slot < slots.end; slot++) {
        const file = slots.files[slot] as number;
        if (file === 0 || !passes(file)) continue;
        slots.files[slot] = 0;
        slots.used--;
        freed.push(slot);
      }
    },
  });
}

function grown<T extends Uint8Array | Uint32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}
