// Replaces characters by the table that a tokenizer's file carries (`precompiled_charsmap`), as the reference does.
import { SizedMap } from '../../base/async/sized-map.ts';

const LABEL = 0x800000ff;
const LEAF = 0x100;
const VALUE = 0x7fffffff;
/** The reference looks for a longer cluster only by its characters. */
const MAX_CLUSTER_BYTES = 5;
/** Without one of these, each character is a cluster, or one that is too long. */
const JOINS = /[\p{M}\p{Cf}\p{Grapheme_Extend}\p{Emoji_Modifier}\r\u0e33\u0eb3]/u;
const MAX_KEPT = 10_000;
/** Plain text between these is taken as it is. A cluster may begin with a plain character. */
const CLUSTERS = /[ -~]?[^ -~]+/gu;
const CLUSTERS_OR_PLAIN = /[ -~]?[^ -~]+|[ -~]/gu;

/** @param base64 the size of a double array in bytes, the double array, then the replacements, each ended by a zero */
export function createCharsmap(base64: string): (text: string) => string {
  const bytes = Buffer.from(base64, 'base64');
  const size = bytes.length < 4 ? 0 : Math.min(bytes.readUInt32LE(0), bytes.length - 4) >> 2;
  const units = Uint32Array.from({ length: size }, (_, at) => bytes.readUInt32LE(4 + at * 4));
  const replacements = bytes.subarray(4 + size * 4);
  const clusters = new Intl.Segmenter('en', { granularity: 'grapheme' });
  const unitAt = (at: number): number => units[at] ?? 0;
  const offsetOf = (unit: number): number => (unit >>> 10) << ((unit & 0x200) >>> 6);

  /** That of the shortest beginning that has one. */
  function replacementOf(cluster: Uint8Array): string | undefined {
    let at = offsetOf(unitAt(0));
    for (const byte of cluster) {
      if (byte === 0) return undefined;
      at ^= byte;
      const unit = unitAt(at);
      if ((unit & LABEL) >>> 0 !== byte) return undefined;
      at ^= offsetOf(unit);
      if ((unit & LEAF) !== 0) return replacementAt(unitAt(at) & VALUE);
    }
    return undefined;
  }

  function replacementAt(from: number): string {
    const end = replacements.indexOf(0, from);
    return replacements.toString('utf8', from, end < 0 ? replacements.length : end);
  }

  const cache = new SizedMap<string, string>(MAX_KEPT);
  function replaced(cluster: string): string {
    const before = cache.get(cluster);
    if (before !== undefined) return before;
    const now = replace(cluster);
    cache.set(cluster, now);
    return now;
  }

  function replace(cluster: string): string {
    const bytes = Buffer.from(cluster);
    const whole = bytes.length <= MAX_CLUSTER_BYTES ? replacementOf(bytes) : undefined;
    if (whole !== undefined) return whole;
    return Array.from(cluster, (character) => replacementOf(Buffer.from(character)) ?? character).join('');
  }

  function inClusters(text: string): string {
    let out = '';
    if (!JOINS.test(text)) for (const character of text) out += replaced(character);
    else for (const { segment } of clusters.segment(text)) out += replaced(segment);
    return out;
  }
  const plain = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
  const pattern = plain.some((character) => replaced(character) !== character) ? CLUSTERS_OR_PLAIN : CLUSTERS;
  return (text) => text.replace(pattern, inClusters);
}
