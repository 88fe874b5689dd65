// Addresses that a model's words hold and its material does not: nobody should be sent there.

const ADDRESS = /(?:\b[a-z][a-z\d+.-]{1,20}:\/\/|\bwww\.|\b(?:mailto|javascript|data):)[^\s<>"'`()[\]{}]+/giu;

/** The first such address, undefined where there is none. */
export function strayAddress(words: readonly string[], material: readonly string[]): string | undefined {
  const said = words.flatMap((text) => text.match(ADDRESS) ?? []).map((address) => address.replace(/[.,;:!?]+$/, ''));
  return said.find((address) => !material.some((text) => text.includes(address)));
}
