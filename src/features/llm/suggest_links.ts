// Suggests links for a note, each with its sentence and the edit that creates it.
import * as z from 'zod';
import type { VaultgraphError } from '../../base/errors.ts';
import { outcomeOf } from '../../base/outcome.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { candidatesByName } from '../../markdown/links/resolve-link.ts';
import { limitArgument } from '../notes/page.ts';
import { REQUESTED_NOTE_FAILURES, type RequestedNote, readRequestedNote } from '../notes/requested-note.ts';
import { noteVector, reportVectors } from '../search/vector-space.ts';
import { reportInvented } from './evidence.ts';
import { askInHalves, sectionHalves } from './in-halves.ts';
import { type FoundBy, linkCandidates, MAX_NEAR, type NearBy, type NearNote } from './link-candidates.ts';
import { type CheckedLinks, checkedLinks } from './link-suggestions.ts';
import { openLlmSession } from './llm-session.ts';
import { coverage, sectionsFor, warnOfRest } from './note-sections.ts';
import { type LinkAnswer, linkPrompt, linkTask, type Offers, offersFor } from './offered-links.ts';

const input = z.strictObject({ note: z.string().min(1), limit: limitArgument });
type Args = z.infer<typeof input>;
type Sources = Granted<'store' | 'vault' | 'llm'>;

/** The share of the prompt for the candidates; the rest is for the note. */
const SHARE_OF_CANDIDATES = 1 / 2;

const tool = {
  name: 'suggest_links',
  title: 'Suggest links',
  summary: 'Suggest missing links of a note, each with its sentence and an edit for edit_note; writes nothing.',
  effect: 'reads',
  references: ['note'],
  index: 'part',
  input,
} as const;

/** @param embedding whether the config names an embedding provider; notes near in meaning are then candidates, too */
export function createSuggestLinks({ embedding = false }: { readonly embedding?: boolean }) {
  if (!embedding) {
    return defineTool({
      ...tool,
      needs: ['store', 'vault', 'llm'],
      fails: [...REQUESTED_NOTE_FAILURES],
      run: (args: Args, granted, call) => suggestLinks(args, granted, {}, call),
    });
  }
  return defineTool({
    ...tool,
    needs: ['store', 'vault', 'llm', 'indexer', 'embedding'],
    fails: [...REQUESTED_NOTE_FAILURES, 'EMBEDDER_MISMATCH'],
    run: (args: Args, granted, call) => suggestLinks(args, granted, { similarity: similarNotes(granted, call) }, call),
  });
}

async function suggestLinks(
  { note: reference, limit }: Args,
  granted: Sources,
  more: Readonly<Partial<Record<FoundBy, NearBy>>>,
  call: CallContext,
) {
  const request = { tool: tool.name, accepted: Object.keys(input.shape), argument: 'note', reference };
  const note = await readRequestedNote(request, granted, call);
  const candidates = await linkCandidates(note, more, granted.store, call);
  const found = candidates.mentions.length + candidates.related.length;
  const answer = { path: note.path, match: note.match, etag: note.etag };
  const method = `candidates by ${candidates.methods.join(', ')}`;
  if (found === 0) return { ...answer, suggestions: [], method: `${method}: none, so the model was not asked` };
  const { offers, checked } = await chooseLinks(note, candidates, limit, granted, call);
  const offered = offers.mentions.length + offers.related.length;
  return {
    ...answer,
    suggestions: checked.suggestions.slice(0, limit),
    method: `${method}: ${offered} of ${found} judged by the model, words checked`,
  };
}

async function chooseLinks(
  note: RequestedNote,
  candidates: Parameters<typeof offersFor>[1],
  limit: number,
  granted: Sources,
  call: CallContext,
): Promise<{ readonly offers: Offers; readonly checked: CheckedLinks }> {
  const model = openLlmSession(granted.llm, call);
  const widest = model.room(linkTask(candidates.mentions.length, candidates.related.length, limit));
  const offers = await offersFor(note, candidates, widest * SHARE_OF_CANDIDATES, granted, call);
  const offered = [...offers.mentions, ...offers.related];
  const task = linkTask(offers.mentions.length, offers.related.length, limit);
  const room = model.room(task) - sizeOf(linkPrompt('', offered)).tokens;
  const [first] = await sectionsFor(note, room, 1, call);
  const ask = (text: string) => model.ask(task, linkPrompt(text, offered));
  const answers = await askInHalves(first?.text ?? '', sectionHalves, ask);
  const answer: LinkAnswer = {
    mentions: answers.flatMap(({ mentions }) => mentions ?? []),
    related: answers.flatMap(({ related }) => related ?? []),
  };
  model.reportProvider();
  warnOfRest(note, coverage(note, first?.end ?? note.to), call);
  const states = await granted.store.fileStates(call.signal);
  const files = candidatesByName(states.map(({ path }) => path));
  const checked = await checkedLinks(answer, note, offers, files, call);
  reportInvented({ kept: checked.suggestions.length, invented: checked.invented }, 'links', model, call);
  warnOfUnwritable(checked.unwritable, call);
  return { offers, checked };
}

function warnOfUnwritable(count: number, call: CallContext): void {
  if (count === 0) return;
  const message = `${count} links dropped: no spelling of the link leads to the intended note`;
  call.warn({ code: 'EXTRA_MISSING', message, count });
}

/** Missing vectors, of this note or of all, do not affect the candidates by other methods. */
const WITHOUT_VECTORS = ['INDEX_EMPTY', 'INDEX_BUILDING', 'INDEX_JOB_FAILED'];

/** Uses stored vectors only, so it calls no provider. @throws EMBEDDER_MISMATCH */
function similarNotes(granted: Granted<'store' | 'indexer' | 'embedding'>, call: CallContext): NearBy {
  return async ({ path }) => {
    const meaning = await outcomeOf(noteVector(path, granted, call));
    if ('error' in meaning) return withoutVectors(meaning.error, call);
    const { vector, generation } = meaning.value;
    const near = await granted.store.nearestNotes(generation.id, vector, {}, [path], MAX_NEAR, call.signal);
    reportVectors(generation, call);
    return near.map(({ path, cosine }): NearNote => ({ path, by: 'similarity', score: cosine }));
  };
}

function withoutVectors(failure: VaultgraphError, call: CallContext): undefined {
  if (!WITHOUT_VECTORS.includes(failure.code)) throw failure;
  const message = `no candidates by similarity (${failure.code}): ${failure.message}`;
  call.warn({ code: 'EXTRA_MISSING', message });
  return undefined;
}
