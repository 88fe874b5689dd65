// Reproducible random numbers, for choices that must not change between calls.

/** Uniform numbers in [0, 1): a scrambled Weyl sequence. Equal seeds give equal sequences. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** `count` different items of `items`, chosen uniformly. */
export function sampleOf(items: readonly number[], count: number, random: () => number): number[] {
  const pool = [...items];
  for (let i = 0; i < count; i++) {
    const other = i + Math.floor(random() * (pool.length - i));
    [pool[i], pool[other]] = [pool[other] as number, pool[i] as number];
  }
  return pool.slice(0, count);
}
