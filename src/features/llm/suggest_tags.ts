// Suggests tags for a note, existing ones first, each with evidence from the note.
import * as z from 'zod';
import { type CallContext, defineTool } from '../../contracts/tool.ts';
import { sizeOf } from '../../markdown/chunk/text-size.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { isTagName } from '../../markdown/parse/tag.ts';
import { noteArgument } from '../notes/note-reference.ts';
import { limitArgument } from '../notes/page.ts';
import { REQUESTED_NOTE_FAILURES, type RequestedNote, readRequestedNote } from '../notes/requested-note.ts';
import { asData, DATA_RULES, type Task } from './data-marks.ts';
import { type Evidence, placesIn, reportInvented } from './evidence.ts';
import { askInHalves, sectionHalves } from './in-halves.ts';
import { type LlmSession, openLlmSession } from './llm-session.ts';
import { coverage, sectionsFor, warnOfRest } from './note-sections.ts';
import { ownAndAbove, type TagCandidates, tagCandidates } from './tag-candidates.ts';

const input = z.strictObject({ note: noteArgument, limit: limitArgument });

/** The share of the prompt for the tags to choose from; the rest is for the note. */
const SHARE_OF_TAGS = 1 / 2;

export const suggestTags = defineTool({
  name: 'suggest_tags',
  title: 'Suggest tags',
  summary:
    "The user's own language model suggests tags for a note, existing ones first. Returns each with words of the note as evidence; writes nothing.",
  others: { set_properties: 'adding them' },
  words: 'categorize, classify',
  effect: 'reads',
  references: ['note'],
  needs: ['store', 'vault', 'llm'],
  index: 'part',
  fails: [...REQUESTED_NOTE_FAILURES],
  input,
  run: async ({ note: reference, limit }, granted, call) => {
    const request = { tool: 'suggest_tags', accepted: Object.keys(input.shape), argument: 'note', reference };
    const note = await readRequestedNote(request, granted, call);
    const candidates = await tagCandidates(note, granted.store, call.signal);
    const model = openLlmSession(granted.llm, call);
    const { offered, answer, read } = await chosenTags(note, candidates, limit, model, call);
    model.reportProvider();
    const { suggestions, invented } = await checkedTags(answer, note, candidates, call);
    reportInvented({ kept: suggestions.length, invented }, 'tags', model, call);
    warnOfRest(note, read, call);
    return {
      ...{ path: note.path, match: note.match, suggestions: suggestions.slice(0, limit) },
      method: methodOf(offered.length, candidates.all.size),
      ...(read.covered < read.total ? { read } : {}),
    };
  },
});

/** Reads only the beginning of a note that does not fit the prompt. */
async function chosenTags(
  note: RequestedNote,
  { tags, own }: TagCandidates,
  limit: number,
  model: LlmSession,
  call: CallContext,
) {
  const offered = tagsWithin(model.room(tagTask([], limit)) * SHARE_OF_TAGS, tags);
  const task = tagTask(offered, limit);
  const promptTokens = sizeOf(tagPrompt(offered, own, '')).tokens;
  const [first] = await sectionsFor(note, model.room(task) - promptTokens, 1, call);
  const ask = (text: string) => model.ask(task, tagPrompt(offered, own, text));
  const answers = await askInHalves(first?.text ?? '', sectionHalves, ask);
  const answer = { known: answers.flatMap(({ known }) => known ?? []), fresh: answers.flatMap(({ fresh }) => fresh) };
  return { offered, answer, read: coverage(note, first?.end ?? note.to) };
}

/** As many tags as fit the room, the likeliest first. */
function tagsWithin(room: number, tags: TagCandidates['tags']): string[] {
  let left = room;
  const beyond = tags.findIndex(({ tag }) => {
    left -= sizeOf(`${tag} `).tokens;
    return left < 0;
  });
  return tags.slice(0, beyond === -1 ? tags.length : beyond).map(({ tag }) => tag);
}

function methodOf(offered: number, all: number): string {
  return `${offered} of ${all} tags of the vault offered, by links, shared words and names in the text; chosen by the model, evidence checked`;
}

interface SuggestedTag {
  readonly tag: string;
  /** Whether no note of the vault has this tag. */
  readonly new: boolean;
  /** The number of notes with the tag or a tag below it. */
  readonly count: number;
  readonly evidence: Evidence;
}

/** Each tag once, tags of the vault first; `invented` counts tags that are invalid or have no evidence in the note. */
async function checkedTags(
  { known = [], fresh }: TagAnswer,
  note: RequestedNote,
  { own, all }: TagCandidates,
  call: CallContext,
) {
  const listed = [...known, ...fresh];
  const places = await placesIn(
    note,
    listed.map(({ evidence }) => evidence),
    call,
  );
  const seen = new Set(ownAndAbove(own));
  const suggestions: SuggestedTag[] = [];
  let invented = 0;
  for (const [at, { tag: named }] of listed.entries()) {
    const tag = `#${named.trim().replace(/^#/, '')}`;
    const key = foldName(tag);
    if (seen.has(key)) continue;
    const place = places[at];
    if (place === undefined || !isTagName(tag.slice(1))) {
      invented += 1;
      continue;
    }
    seen.add(key);
    const existing = all.get(key);
    const evidence = { text: place.text, lines: place.lines };
    suggestions.push({ tag: existing?.tag ?? tag, new: existing === undefined, count: existing?.count ?? 0, evidence });
  }
  // Existing tags come first, since a new tag may be another name for one of them.
  const suggested = [...suggestions.filter((one) => !one.new), ...suggestions.filter((one) => one.new)];
  return { suggestions: suggested, invented };
}

const VERSION = 1;

interface Tagged {
  readonly tag: string;
  readonly evidence: string;
}
interface TagAnswer {
  /** Absent if no tags were offered. */
  readonly known?: readonly Tagged[] | undefined;
  readonly fresh: readonly Tagged[];
}

const INSTRUCTIONS = [
  'Choose tags for the note. `known`: tags of the list given, those that fit best first. `fresh`: new tags, only where no known one says it; letters, digits, `-`, `_` and `/`, without `#`.',
  '`evidence`: words copied letter by letter from the note, a phrase or one sentence, that show why the tag fits. A tag without such words is left out.',
  'Few good tags are better than many.',
  DATA_RULES,
].join('\n');

/** @param offered the only tags that `known` can hold */
function tagTask(offered: readonly string[], limit: number): Task<TagAnswer> {
  const tagged = (tag: z.ZodType<string>) => z.array(z.object({ tag, evidence: z.string() })).max(limit);
  const fresh = tagged(z.string());
  const [first, ...others] = offered;
  const schema: z.ZodType<TagAnswer> =
    first === undefined ? z.object({ fresh }) : z.object({ known: tagged(z.enum([first, ...others])), fresh });
  return { name: 'suggest tags', version: VERSION, instructions: INSTRUCTIONS, schema, maxAnswerTokens: 1_200 };
}

/** The tags are fenced like the note, since they are text of notes, too. */
function tagPrompt(offered: readonly string[], own: readonly string[], text: string): string {
  const which =
    'Text 1: the tags to choose from. Text 2: tags the note has already, not to be given again. Text 3: the note.';
  return `${which}\n\n${asData([offered.join(' '), own.join(' '), text])}`;
}
