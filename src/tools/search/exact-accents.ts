// Ranks the first hits of words with accents: notes that write them so before notes that have only other accents, or none.
import type { Page } from '../../contracts/note-filter.ts';
import type { TextHit, TextHits, TextQuery } from '../../contracts/text-query.ts';
import type { Vault } from '../../contracts/vault.ts';
import { foldText } from '../../markdown/excerpt/fold-text.ts';
import { wordsIn } from '../notes/name-words.ts';
import { type OutlineContext, readTexts } from '../notes/note-content.ts';

/** So many of the best hits are read. */
const MAX_READ = 20;
/** The beginning of a longer note stands for the whole. */
const MAX_CHARS = 20_000;
/** What a hit loses that has every word of the query only with other accents. */
const LOSS = 0.5;

const LATIN = /\p{sc=Latin}/u;
const plain = (text: string): string => text.normalize('NFC').toLowerCase();

/** The words of a query of which some have accents. */
interface AccentedQuery {
  readonly accented: readonly string[];
  readonly length: number;
}

function accentedIn({ terms, match }: TextQuery): AccentedQuery {
  const queried = match === 'all' ? [] : terms.filter(({ kind, negated }) => kind === 'word' && !negated);
  const words = queried.flatMap(({ text }) => wordsIn(text).map(plain));
  return { accented: words.filter((word) => LATIN.test(word) && foldText(word) !== word), length: words.length };
}

/** What to read of the hits for a page of them; the page itself where accents decide nothing. */
export function pageToRead(query: TextQuery, page: Page): Page {
  if (page.offset >= MAX_READ || accentedIn(query).accented.length === 0) return page;
  return { offset: 0, limit: Math.max(MAX_READ, page.offset + page.limit) };
}

export interface ReadHits {
  readonly found: TextHits;
  /** The whole text of each hit that was read, as its user sees it; by path. */
  readonly texts: ReadonlyMap<string, string>;
}

/** The page of the hits that were read for it. */
export async function rankByAccents(
  { query, found }: { readonly query: TextQuery; readonly found: TextHits },
  page: Page,
  vault: Vault,
  call: OutlineContext,
): Promise<ReadHits> {
  const best = found.hits.slice(0, MAX_READ);
  const asked = accentedIn(query);
  const texts = new Map<string, string>();
  const ranked: RankedHit[] = [];
  while (ranked.length < best.length) {
    const next = nextToRead(best, ranked, page);
    if (next.length === 0) break;
    const paths = next.map(({ path }) => path);
    for (const [path, text] of await readTexts(paths, vault, call, 'text', MAX_CHARS)) texts.set(path, text);
    for (const hit of next) {
      const loss = hit.named ? 0 : lossOf(`${hit.title}\n${texts.get(hit.path) ?? ''}`, asked);
      ranked.push({ hit, score: hit.score - loss * hit.bm25 });
    }
  }
  const least = found.total > best.length ? (best.at(-1)?.score ?? 0) : 0;
  const hits = [...inOrder(ranked).map((one) => scored(one, least)), ...found.hits.slice(ranked.length)];
  const whole = new Map([...texts].filter(([, text]) => text.length < MAX_CHARS));
  return { found: { ...found, hits: hits.slice(page.offset, page.offset + page.limit) }, texts: whole };
}

interface RankedHit {
  readonly hit: TextHit;
  readonly score: number;
}

const inOrder = (ranked: readonly RankedHit[]): RankedHit[] =>
  ranked.toSorted(
    (one, other) => Number(other.hit.named ?? false) - Number(one.hit.named ?? false) || other.score - one.score,
  );

/** The hits to read next: as many as the page has, and then each that can still be before one of them. No hit gains by its accents. */
function nextToRead(best: readonly TextHit[], ranked: readonly RankedHit[], page: Page): readonly TextHit[] {
  const end = page.offset + page.limit;
  const rest = best.slice(ranked.length);
  const last = inOrder(ranked)[end - 1];
  if (last === undefined) return rest.slice(0, Math.max(0, end - ranked.length));
  return rest.filter(({ named, score }) => named || score > last.score);
}

/** The hit with a score that is not below those of the hits after the first ones. */
function scored({ hit, score }: RankedHit, least: number): TextHit {
  const kept = Math.max(Math.min(least, hit.score), score);
  return kept === hit.score ? hit : { ...hit, bm25: hit.bm25 - (hit.score - kept), score: kept };
}

function lossOf(text: string, { accented, length }: AccentedQuery): number {
  const unaccented = plain(text);
  const notAsWritten = accented.filter((word) => !hasWord(unaccented, word));
  if (notAsWritten.length === 0) return 0;
  const folded = foldText(unaccented);
  return (LOSS * notAsWritten.filter((word) => hasWord(folded, foldText(word))).length) / length;
}

const WORD_CHARACTER = /[\p{L}\p{M}\p{N}]/u;

function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const [before, after] = [text.charAt(at - 1), text.charAt(at + word.length)];
    if (!WORD_CHARACTER.test(before) && !WORD_CHARACTER.test(after)) return true;
  }
  return false;
}
