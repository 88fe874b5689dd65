// Finds the notes that a whole query refers to: by a path, a file name, a link, an address, a day, or signs in a name.
import type { NotePath } from '../../base/note.ts';
import { decodePath } from '../../base/note-uri.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { NameCandidate, Store } from '../../contracts/store.ts';
import type { ReadContext } from '../../contracts/tool.ts';
import { parseReference } from '../../markdown/links/reference.ts';
import { nameIndex } from '../notes/name-index.ts';
import { namesPeriod, periodicNote } from '../periods/periodic-note.ts';
import { MEANINGFUL, SEARCHABLE } from './text-query.ts';

/** A name of letters, digits and blanks is found as it is written. */
const MORE_THAN_WORDS = /[^\p{L}\p{M}\p{N}\s]/u;
const VARIATION_SELECTORS = /[\uFE00-\uFE0F]/g;
/** More notes with a sign in their names are not named by it. */
const MAX_WITH_SIGNS = 50;
/** The most folders of a path from outside the vault that are left out. */
const MAX_OUTER_FOLDERS = 32;

/** Equally good ones, by path; none for a text that is only words. */
export async function referredNotes(
  reference: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<readonly NotePath[]> {
  if (!MORE_THAN_WORDS.test(reference)) return [];
  const { store } = sources;
  for (const name of namesIn(reference)) {
    if (namesPeriod(name)) return noteOfPeriod(name, sources, context);
    const named = bestOf(await store.candidates(name, context.signal));
    if (named.length > 0) return named;
  }
  return SEARCHABLE.test(reference) ? notesAtEnd(reference, store, context) : notesWithSigns(reference, store, context);
}

/** The texts that can be the name, first the longest: names can contain `#` and `:3`. */
function namesIn(reference: string): readonly string[] {
  const { name, whole } = parseReference(inVaultForm(reference));
  return [...new Set([reference.trim(), whole, name])].filter((text) => text !== '');
}

const QUOTED = /^(?:"([^"]+)"|'([^']+)'|‘([^’]+)’|“([^”]+)”|`([^`]+)`|<([^<>]+)>)$/u;
const MARKDOWN_LINK = /^!?\[[^[\]]*\]\(\s*(?:<([^<>]*)>|([^()\s]*))[^()]*\)$/u;

/** Without what people paste around it: quotes, the text of a link, an address; and with `/` between folders. */
function inVaultForm(reference: string): string {
  const text = reference.trim();
  const inner = (QUOTED.exec(text) ?? MARKDOWN_LINK.exec(text))?.slice(1).find((part) => part !== undefined) ?? text;
  const link = inner.replace(/^!(?=\[\[)/, '');
  if (link.startsWith('[[') || link.startsWith('note:')) return link;
  const path = decodePath(pathOfAddress(link)).replaceAll('\\', '/');
  return path.replace(/^(?:[a-z]:)?(?:\.{0,2}\/)+/i, '');
}

/** Returns the path of `obsidian://open?vault=V&file=F` and `file:///F`, and any other text as it is. */
function pathOfAddress(text: string): string {
  if (!/^(?:obsidian|file):\/\//i.test(text) || !URL.canParse(text)) return text;
  const { searchParams, protocol, pathname } = new URL(text);
  if (protocol === 'file:') return pathname;
  const named = ['file', 'path', 'filepath'].map((key) => searchParams.get(key));
  return named.find((value) => value !== null) ?? text;
}

/** A path with more folders in front, or with a folder that is not that of the note. */
async function notesAtEnd(reference: string, store: Store, { signal }: ReadContext): Promise<readonly NotePath[]> {
  const path = parseReference(inVaultForm(reference)).name;
  if (/^[a-z]+:\/\//i.test(path)) return [];
  const parts = path.split('/').slice(1, MAX_OUTER_FOLDERS);
  for (const [at] of parts.entries()) {
    const named = bestOf(await store.candidates(parts.slice(at).join('/'), signal));
    if (named.length > 0) return named;
  }
  return [];
}

/** Only if it exists; an unknown day, or settings that cannot be read, leaves the words of the query. */
async function noteOfPeriod(
  name: string,
  sources: Granted<'store' | 'vault'>,
  context: ReadContext,
): Promise<readonly NotePath[]> {
  const outcome = await outcomeOf(periodicNote(name, sources, context, new Date()));
  if ('error' in outcome) {
    if (outcome.error.code === 'PATH_NOT_ALLOWED') return [];
    throw outcome.error;
  }
  return (await sources.store.notes([outcome.value.path], context.signal)).map(({ path }) => path);
}

/** Notes with a name that contains the signs. */
async function notesWithSigns(reference: string, store: Store, context: ReadContext): Promise<readonly NotePath[]> {
  if (!MEANINGFUL.test(reference)) return [];
  const signs = reference.trim().replace(VARIATION_SELECTORS, '');
  return (await nameIndex(store, context)).notesContaining(signs, MAX_WITH_SIGNS);
}

function bestOf(candidates: readonly NameCandidate[]): readonly NotePath[] {
  const [first] = candidates;
  return candidates.filter(({ by, exact }) => by === first?.by && exact === first.exact).map(({ path }) => path);
}
