// The words that tell most of one note: often in it, rare in the others. Compares no notes.
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import { tellingTerms } from '../../graph/relatedness.ts';
import { formsOf } from '../../markdown/excerpt/terms.ts';
import { bodyStart } from '../../markdown/frontmatter/front-matter.ts';
import { splitLines } from '../../markdown/parse/lines.ts';
import { readTexts } from '../notes/note-content.ts';

/** Of a note that is a book the words that stand in it most often tell enough. */
const MOST_FORMS = 1_000;

/** Best first, folded; none where the note cannot be read. @throws VAULT_UNAVAILABLE */
export async function termsTelling(
  path: NotePath,
  title: string,
  most: number,
  { store, vault }: Granted<'store' | 'vault'>,
  signal: AbortSignal,
): Promise<string[]> {
  const text = (await readTexts([path], vault, signal)).get(path);
  if (text === undefined) return [];
  const { bodyOffset } = bodyStart(text, splitLines(text));
  const forms = [...formsOf(`${title}\n${text.slice(bodyOffset)}`)];
  const kept = forms.sort((one, other) => other[1] - one[1]).slice(0, MOST_FORMS);
  const words = kept.map(([form]) => form);
  const { indexed, holding } = await store.wordCounts(words, signal);
  const collection = { size: indexed, holding: new Map(words.map((word, at) => [word, holding[at] ?? 0])) };
  return tellingTerms(new Map(kept), collection, most);
}
