// Suggests links for a note, each with its sentence and the edit that creates it.
import * as z from 'zod';
import type { VaultgraphError } from '../../base/errors.ts';
import type { NotePath } from '../../base/note.ts';
import { outcomeOf } from '../../base/outcome.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Granted } from '../../contracts/capability.ts';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { sentenceAround } from '../../markdown/excerpt/sentence.ts';
import type { InsertedLink, LinkTarget } from '../../markdown/links/insert-links.ts';
import type { Mention } from '../../markdown/links/mentions.ts';
import { folderOf, spellingsOf } from '../../markdown/links/path-spelling.ts';
import { type CandidatesFor, candidatesByName, resolveLink } from '../../markdown/links/resolve-link.ts';
import { noteArgument } from '../notes/note-reference.ts';
import { limitArgument } from '../notes/page.ts';
import { REQUESTED_NOTE_FAILURES, type RequestedNote, readRequestedNote } from '../notes/requested-note.ts';
import { snippetsOf } from '../search/snippets.ts';
import { noteVector, reportVectors } from '../search/vector-space.ts';
import {
  type FoundBy,
  type LinkCandidates,
  linkCandidates,
  MAX_NEAR,
  type NearBy,
  type NearNote,
} from './link-candidates.ts';
import { asData, DATA_RULES, MARK_TOKENS, openLlmSession, reportInvented, type Task } from './llm-session.ts';
import { askInHalves, coverage, sectionHalves, sectionsFor, warnOfRest } from './note-sections.ts';

const input = z.strictObject({ note: noteArgument, limit: limitArgument });
type Args = z.infer<typeof input>;
type Sources = Granted<'store' | 'vault' | 'llm'>;

/** The share of the prompt for the candidates; the rest is for the note. */
const SHARE_OF_CANDIDATES = 1 / 2;

const tool = {
  name: 'suggest_links',
  title: 'Suggest links',
  summary:
    "The user's language model suggests links that a note lacks. Returns each with its sentence and the edit that makes it; writes nothing.",
  words: 'connect notes',
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
  const count = candidates.mentions.length + candidates.related.length;
  const answer = { path: note.path, match: note.match, etag: note.etag };
  const method = `candidates by ${candidates.methods.join(', ')}`;
  if (count === 0) return { ...answer, suggestions: [], method: `${method}: none, so the model was not asked` };
  const { offers, checked } = await chooseLinks(note, candidates, limit, granted, call);
  const offered = offers.mentions.length + offers.related.length;
  return {
    ...answer,
    suggestions: checked.suggestions.slice(0, limit),
    method: `${method}: ${offered} of ${count} judged by the model, words checked`,
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

interface SuggestedLink extends Omit<InsertedLink, 'target'> {
  /** The note to link to. */
  readonly path: string;
  readonly title: string;
  readonly found_by: readonly FoundBy[];
}

type CheckedLinks = Awaited<ReturnType<typeof checkedLinks>>;

interface Choice {
  readonly offer: Offer;
  readonly words: LinkTarget['words'];
}

/**
 * `suggestions`: in the model's order, mentions first; at most one for each note and each place.
 * `invented`: the number of links whose words are not in the note's running text.
 * `unwritable`: the number of links for which no spelling leads to the note.
 */
async function checkedLinks(
  answer: LinkAnswer,
  note: RequestedNote,
  { mentions, related }: Offers,
  files: CandidatesFor,
  { compute, signal }: CallContext,
) {
  const fromMentions = (answer.mentions ?? []).flatMap((number): Choice[] => {
    const offer = mentions[number - 1];
    return offer?.place === undefined ? [] : [{ offer, words: offer.place }];
  });
  const fromRelated = (answer.related ?? []).flatMap(({ note: number, words }): Choice[] => {
    const offer = related[number - 1 - mentions.length];
    return offer === undefined ? [] : [{ offer, words }];
  });
  const choices = [...fromMentions, ...fromRelated];
  const targets = choices.map(({ offer: { path }, words }) => ({
    path,
    spelling: spelled(path, note.path, files),
    words,
  }));
  const { text, from, to } = note;
  const request = { text, from, to, targets, maxSentence: MAX_SENTENCE_LENGTH };
  const { inserted, ...counts } = await compute.run(jobs.insert, request, signal);
  const suggestions = inserted.map(({ target, ...link }): SuggestedLink => {
    const { path, title, by } = (choices[target] as Choice).offer;
    return { path, title, found_by: by, ...link };
  });
  return { suggestions, ...counts };
}

const MIN_STYLE_LENGTH = { by: 'name', extension: false, dotted: false, segments: 1 } as const;

/** The shortest spelling of a link that leads to the target; undefined if none does. @param files finds files of the vault by name */
export function spelled(target: NotePath, source: NotePath, files: CandidatesFor): string | undefined {
  return spellingsOf(target, source, MIN_STYLE_LENGTH, '').find((path) => {
    const resolved = resolveLink(path, source, files);
    return resolved.path === target && resolved.match !== 'ambiguous';
  });
}

const ABOUT_CHARS = 160;
const MAX_SENTENCE_LENGTH = 300;

interface Offer extends OfferedLink {
  readonly path: NotePath;
  readonly by: readonly FoundBy[];
  /** Where the note names the candidate. */
  readonly place?: Mention;
}

interface Offers {
  /** Both in the order of the candidates. */
  readonly mentions: readonly Offer[];
  readonly related: readonly Offer[];
  /** The number of candidates that did not fit. */
  readonly leftOut: number;
}

/** Takes mentions and related notes in turn until `room` tokens are used; at least one of them. */
async function offersFor(
  note: RequestedNote,
  candidates: LinkCandidates,
  room: number,
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<Offers> {
  const paths = [...candidates.mentions, ...candidates.related].map(({ path }) => path);
  const records = await store.notes([...new Set(paths)], call.signal);
  const titles = new Map(records.map(({ path, title }) => [path, title]));
  const begins = await snippetsOf(records, [], ABOUT_CHARS, vault, call);
  const about = (path: NotePath) => ({ path, title: titles.get(path) ?? path, about: begins.get(path)?.snippet ?? '' });
  const mentions = candidates.mentions.map(({ path, place }): Offer => {
    const sentence = sentenceAround(note.text, place.offset, place.end, MAX_SENTENCE_LENGTH);
    return { ...about(path), by: ['mention'], place, sentence };
  });
  const related = candidates.related.map(({ path, by }): Offer => ({ ...about(path), by }));
  return fitting(mentions, related, room);
}

function fitting(mentions: readonly Offer[], related: readonly Offer[], room: number): Offers {
  const taken: [Offer[], Offer[]] = [[], []];
  let left = room;
  for (let at = 0; at < Math.max(mentions.length, related.length); at += 1) {
    for (const [kind, offers] of [mentions, related].entries()) {
      const offer = offers[at];
      if (offer === undefined) continue;
      left -= sizeOf(candidateText(offer)).tokens + MARK_TOKENS;
      if (left >= 0 || taken.every(({ length }) => length === 0)) taken[kind]?.push(offer);
    }
    if (left < 0) break;
  }
  const [some, others] = taken;
  return { mentions: some, related: others, leftOut: mentions.length + related.length - some.length - others.length };
}

const VERSION = 1;

interface LinkAnswer {
  /** Absent if no mentions were offered. */
  readonly mentions?: readonly number[] | undefined;
  readonly related?: readonly { readonly note: number; readonly words: string }[] | undefined;
}

const INSTRUCTIONS = [
  'Decide which links would help a reader of the note given first. The texts behind it are candidates, each with its number.',
  '`mentions`: numbers of places where the note names another note; choose those where that very note is meant, not just the same words.',
  '`related`: notes that the text of the note given first is really about at some place. `note`: the number of the candidate; `words`: the words of the note given first that are to become the link, copied letter by letter, two to five words of one line.',
  'The best first. Leave out what is doubtful; no link at all is a good answer.',
  DATA_RULES,
].join('\n');

/** The related notes are numbered after the mentions. @param mentions @param related the number of each */
function linkTask(mentions: number, related: number, limit: number): Task<LinkAnswer> {
  const shape = {
    ...(mentions === 0 ? {} : { mentions: z.array(z.literal(numbers(1, mentions))).max(limit) }),
    ...(related === 0 ? {} : { related: relatedShape(numbers(mentions + 1, mentions + related), limit) }),
  };
  return {
    name: 'suggest links',
    version: VERSION,
    instructions: INSTRUCTIONS,
    schema: z.object(shape) as z.ZodType<LinkAnswer>,
    maxAnswerTokens: 1_000,
  };
}

const relatedShape = (choices: number[], limit: number) =>
  z.array(z.object({ note: z.literal(choices), words: z.string() })).max(limit);

const numbers = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, at) => from + at);

interface OfferedLink {
  readonly title: string;
  readonly path: string;
  /** The beginning of its text. */
  readonly about: string;
  /** The sentence of the note that names it; absent if it is only related. */
  readonly sentence?: string;
}

/** The note is text 1; the candidates follow. */
function linkPrompt(text: string, offered: readonly OfferedLink[]): string {
  const candidates = offered.map(candidateText);
  return `The note is text 1; candidate n is text n + 1.\n\n${asData([text, ...candidates])}`;
}

function candidateText({ title, path, about, sentence }: OfferedLink): string {
  const folder = folderOf(path);
  return [
    `Candidate note: ${title}${folder === '' ? '' : `, in the folder ${folder}`}`,
    ...(about === '' ? [] : [`It begins: ${about}`]),
    ...(sentence === undefined ? [] : [`Named in the note: ${sentence}`]),
  ].join('\n');
}
