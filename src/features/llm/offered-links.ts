// Presents link candidates to the model, as many as fit the prompt.
import * as z from 'zod';
import type { NotePath } from '../../base/note.ts';
import type { Granted } from '../../contracts/capability.ts';
import type { CallContext } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { sentenceAround } from '../../markdown/excerpt/sentence.ts';
import type { Mention } from '../../markdown/links/mentions.ts';
import { folderOf } from '../../markdown/links/path-spelling.ts';
import type { RequestedNote } from '../notes/requested-note.ts';
import { snippetsOf } from '../search/snippets.ts';
import { asData, DATA_RULES, MARK_TOKENS, type Task } from './data-marks.ts';
import type { FoundBy, LinkCandidates } from './link-candidates.ts';

const ABOUT_CHARS = 160;
export const MAX_SENTENCE_LENGTH = 300;

export interface Offer extends OfferedLink {
  readonly path: NotePath;
  readonly by: readonly FoundBy[];
  /** Where the note names the candidate. */
  readonly place?: Mention;
}

export interface Offers {
  /** Both in the order of the candidates. */
  readonly mentions: readonly Offer[];
  readonly related: readonly Offer[];
  /** The number of candidates that did not fit. */
  readonly leftOut: number;
}

/** Takes mentions and related notes in turn until `room` tokens are used; at least one of them. */
export async function offersFor(
  note: RequestedNote,
  candidates: LinkCandidates,
  room: number,
  { store, vault }: Granted<'store' | 'vault'>,
  call: CallContext,
): Promise<Offers> {
  const paths = [...candidates.mentions, ...candidates.related].map(({ path }) => path);
  const known = await store.notes([...new Set(paths)], call.signal);
  const titles = new Map(known.map(({ path, title }) => [path, title]));
  const begins = await snippetsOf(known, [], ABOUT_CHARS, vault, call);
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

export interface LinkAnswer {
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
export function linkTask(mentions: number, related: number, limit: number): Task<LinkAnswer> {
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
export function linkPrompt(text: string, offered: readonly OfferedLink[]): string {
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
