// The texts that notes had when they were last read or written here, by their etag: to tell what changed since.
import type { Vault } from '../../contracts/vault.ts';

/** Of all texts together, two bytes each. */
const MAX_CHARACTERS = 8 * 1024 * 1024;

interface KnownTexts {
  /** The one used last stands last. */
  readonly byEtag: Map<string, string>;
  characters: number;
}

const kept = new WeakMap<Vault, KnownTexts>();

/** Remembers what a note holds; in a vault that nobody writes nothing needs to be told apart. */
export function rememberText(vault: Vault, etag: string, text: string): void {
  if (vault.access !== 'read-write' || text.length > MAX_CHARACTERS) return;
  const known = kept.get(vault) ?? { byEtag: new Map<string, string>(), characters: 0 };
  kept.set(vault, known);
  forget(known, etag);
  known.byEtag.set(etag, text);
  known.characters += text.length;
  for (const [oldest] of known.byEtag) {
    if (known.characters <= MAX_CHARACTERS) break;
    forget(known, oldest);
  }
}

/** Undefined for what was never met, or too long ago. */
export function knownText(vault: Vault, etag: string): string | undefined {
  return kept.get(vault)?.byEtag.get(etag);
}

function forget(known: KnownTexts, etag: string): void {
  known.characters -= known.byEtag.get(etag)?.length ?? 0;
  known.byEtag.delete(etag);
}
