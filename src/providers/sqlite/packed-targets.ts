// Packs the resolved targets of one note with their counts into bytes, and reads them back. Knows no table.

/** Row ids ascending, each followed by how many links lead to it. */
export function packTargets(targets: readonly number[]): Buffer {
  const counts = new Map<number, number>();
  for (const target of targets) counts.set(target, (counts.get(target) ?? 0) + 1);
  const packed = new Int32Array(counts.size * 2);
  let place = 0;
  for (const [target, count] of [...counts].sort(([left], [right]) => left - right)) {
    packed[place++] = target;
    packed[place++] = count;
  }
  return Buffer.from(packed.buffer);
}

export function unpackTargets(bytes: Uint8Array): Int32Array {
  const copy = new Uint8Array(bytes);
  return new Int32Array(copy.buffer);
}
