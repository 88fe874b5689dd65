// Moves a section of a note into a new note, leaves a link in its place, and updates links to its headings and blocks.
import { fileKindOf, type Heading, type NotePath, noteName, withoutNoteExtension } from '../../../base/note.ts';
import { jobs } from '../../../compute/jobs.ts';
import type { FileState } from '../../../contracts/change-set.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import { contentEnd, laneEnd } from '../../../markdown/edit/edited-note.ts';
import { foldName, subpathOf } from '../../../markdown/links/fold.ts';
import type { BrokenLink } from '../../../markdown/links/follow-links.ts';
import { resolveWritten } from '../../../markdown/links/link-changes.ts';
import { locatePart } from '../../../markdown/links/locate-part.ts';
import { folderOf } from '../../../markdown/links/path-spelling.ts';
import type { ReferencePart } from '../../../markdown/links/reference.ts';
import { type CandidatesFor, candidatesByName, resolveLink } from '../../../markdown/links/resolve-link.ts';
import { type LinkTarget, retarget } from '../../../markdown/links/retarget-links.ts';
import { targetedLinks } from '../../../markdown/links/rewrite-links.ts';
import { headingSubpath } from '../../../markdown/links/rewrite-subpaths.ts';
import { headingsAbove, type LineSpan, type Outline, resolveSubpath } from '../../../markdown/links/section.ts';
import { splitLines } from '../../../markdown/parse/lines.ts';
import { outlineOfContent } from '../../notes/note-content.ts';
import { EVERY_FILE } from '../../notes/vault-filter.ts';
import { forEachNote } from '../chosen-notes.ts';
import { editableNote, newNotePathOf, plainPath, type RequestedNote } from '../editable-note.ts';
import type { Refuse, WriteCall, WriteSources } from '../run-write.ts';
import { noteExists } from '../write-conflict.ts';
import { type EditableNote, type PlannedFile, plannedFile, replacement } from '../write-plan.ts';
import { SMALL_FILE } from './moved-links.ts';

export interface SectionMove {
  readonly files: readonly PlannedFile[];
  readonly from: string;
  readonly to: NotePath;
  readonly rewritten: readonly { readonly path: string; readonly line: number }[];
  readonly broken: readonly BrokenLink[];
}

interface RequestedSection extends RequestedNote {
  readonly to?: string | undefined;
  readonly path: NotePath;
  readonly part: ReferencePart;
}

/** The note and the part of it that becomes a note. */
interface Section {
  readonly note: EditableNote;
  readonly outline: Outline;
  readonly heading: Heading;
  readonly span: LineSpan;
  /** The path of the new note. */
  readonly to: NotePath;
  /** Its text, and that of the note without it, as they are before links follow. */
  readonly moved: string;
  readonly rest: string;
  /** Every file of the vault after the move, in a list and by name. */
  readonly paths: readonly NotePath[];
  readonly files: CandidatesFor;
}

const EVERY_LINK = { limit: 100_000, offset: 0 };

/** @throws NOTE_EXISTS, NOTE_PART_NOT_FOUND, NOTE_PART_AMBIGUOUS, INVALID_INPUT, PATH_NOT_ALLOWED */
export async function sectionMove(
  requested: RequestedSection,
  states: readonly FileState[],
  granted: WriteSources,
  call: WriteCall,
): Promise<SectionMove> {
  const section = await sectionOf(requested, states, granted, call);
  const { note, heading, to, paths } = section;
  const parts = await movedParts(section, granted, call);
  const following = { section, parts, before: candidatesByName(states.map((file) => file.path)) };
  const rewritten: { path: string; line: number }[] = [];
  const broken: BrokenLink[] = [];
  const follow = async (path: NotePath, now: NotePath, text: string): Promise<string> => {
    const { changes, lines, lost } = changesIn(path, now, text, following);
    if (changes.length === 0 && lost.length === 0) return text;
    const request = { path: now, text, changes };
    const result =
      Buffer.byteLength(text) <= SMALL_FILE
        ? retarget(request, section.files)
        : await call.compute.run(jobs.retarget, { ...request, paths }, call.signal);
    for (const { index } of changes) {
      const line = lines.get(index) ?? 1;
      if (result.failed.includes(index)) broken.push({ path: now, line, reason: REASON });
      else rewritten.push({ path: now, line });
    }
    broken.push(...lost.map((line) => ({ path: now, line, reason: REASON })));
    return result.text;
  };
  const created = await follow(note.path, to, section.moved);
  const rest = await follow(note.path, note.path, section.rest);
  const others: PlannedFile[] = [];
  const unread = await forEachNote(
    await linkingNotes(section, parts, granted, call),
    granted.vault,
    call,
    async (one) => {
      const text = await follow(one.path, one.path, one.text);
      if (!one.isText && text !== one.text) broken.push({ path: one.path, line: 1, reason: 'it is not UTF-8 text' });
      else others.push(...(await replacement(one, text, { needsConsent: true })).files);
    },
  );
  broken.push(...unread.map(({ id, error }) => ({ path: id, line: 1, reason: error.message })));
  const create = plannedFile({ kind: 'create', path: to, bytes: note.encode(created) }, { after: created });
  const source = await replacement(note, rest, { needsConsent: true });
  return { files: [create, ...source.files, ...others], from: `${note.path}#${heading.text}`, to, rewritten, broken };
}

const REASON = 'no link of this form can name the part in the new note';

async function sectionOf(
  { path, part, to: wanted, if_match }: RequestedSection,
  states: readonly FileState[],
  granted: WriteSources,
  call: WriteCall,
): Promise<Section> {
  const note = await editableNote({ note: path, if_match }, granted, call);
  const outline = await outlineOfContent(path, note.text, ['headings', 'blocks'], call);
  const lines = splitLines(note.text);
  const located = locatePart({ path, outline, lineCount: contentEnd({ text: note.text, lines }) }, part, 'note');
  const span = { ...located, endLine: laneEnd({ text: note.text, lines }, located.endLine - 1) + 1 };
  const heading = outline.headings.find(({ line }) => line === span.line);
  if (part.kind !== 'subpath' || heading === undefined)
    throw call.refuse('note', 'names lines or a block; only a heading becomes a note, as in `Note#Heading`');
  const to = targetOf(heading, path, wanted, states, call.refuse);
  const existing = states.find((file) => foldName(file.path) === foldName(to));
  if (existing !== undefined) throw await noteExists(existing.path, granted.vault, call.signal);
  const { starts, ends } = lines;
  const from = starts[span.line - 1] ?? 0;
  const content = note.text.slice(from, ends[span.endLine - 1] ?? note.text.length).trimEnd();
  const outside = `${note.text.slice(0, from)}\n${note.text.slice(from + content.length)}`;
  const label = sharedLabel(content, outside);
  if (label !== undefined)
    throw call.refuse('note', `shares ${label} with the rest of ${path}: write its definition into both parts first`);
  const eol = note.text.includes('\r\n') ? '\r\n' : '\n';
  const paths = [...states.map((file) => file.path), to];
  const files = candidatesByName(paths);
  const link = linkTo(to, path, files);
  const rest = `${note.text.slice(0, from)}${link}${note.text.slice(from + content.length)}`;
  return { note, outline, heading, span, to, moved: `${content}${eol}`, rest, paths, files };
}

/** Signs that a file name cannot have in some system, or that end a link. */
const NO_NAME = /[\\/:*?"<>|#^[\]\p{Cc}]/gu;

function targetOf(
  { text }: Heading,
  path: NotePath,
  target: string | undefined,
  states: readonly FileState[],
  refuse: Refuse,
): NotePath {
  const folder = folderOf(path);
  const plain = plainPath(target ?? (folder === '' ? '/' : `${folder}/`));
  const isFolder = plain === '.' || plain === '' || plain.endsWith('/');
  if (!isFolder && fileKindOf(plain) !== 'note' && states.some((file) => file.path.startsWith(`${plain}/`)))
    throw refuse('to', 'names a folder: end it with `/` to move into it, or with `.md` to name the note');
  const name = text.replace(NO_NAME, ' ').replace(/\s+/g, ' ').trim().replace(/\.+$/, '');
  if (isFolder && name === '') throw refuse('to', 'is required: the heading has no letters for a name');
  const into = plain.replace(/^\.?\/*|\/+$/g, '');
  return isFolder ? (`${into === '' ? '' : `${into}/`}${name}.md`.normalize('NFC') as NotePath) : newNotePathOf(plain);
}

/** A wikilink with the shortest path that leads to the note. */
function linkTo(to: NotePath, source: NotePath, files: CandidatesFor): string {
  const whole = withoutNoteExtension(to);
  const resolved = resolveLink(noteName(to), source, files);
  return `[[${resolved.path === to && resolved.match !== 'ambiguous' ? noteName(to) : whole}]]`;
}

/** A footnote or link definition that one part has and the other uses. */
function sharedLabel(one: string, other: string): string | undefined {
  const definedIn = (text: string) => [...text.matchAll(/^ {0,3}\[([^\]\n]+)\]:/gm)].map(([, label = '']) => label);
  const uses = (text: string, label: string): boolean =>
    text.toLowerCase().replaceAll(`[${label.toLowerCase()}]:`, '').includes(`[${label.toLowerCase()}]`);
  const label = definedIn(one).find((each) => uses(other, each)) ?? definedIn(other).find((each) => uses(one, each));
  return label === undefined ? undefined : `[${label}]`;
}

/** By each part of the section that links name, the part of the new note; null if no link can name it. */
type MovedParts = ReadonlyMap<string, string | null>;

async function movedParts(
  { note, outline, span, to, moved }: Section,
  { store }: WriteSources,
  call: CallContext,
): Promise<MovedParts> {
  const inside = await outlineOfContent(to, moved, ['headings', 'blocks'], call);
  const linked = await store.linkedParts(EVERY_FILE, call.signal);
  const named = new Set(linked.filter(({ target }) => target === note.path).map(({ subpath }) => subpath));
  const noteLinks = targetedLinks(note.path, note.text, candidatesByName([note.path]));
  for (const link of noteLinks) if (link.target === note.path) named.add(subpathOf(link));
  const parts = new Map<string, string | null>();
  for (const subpath of named) {
    const at = resolveSubpath(subpath, outline, Number.MAX_SAFE_INTEGER)?.line;
    if (at === undefined || at < span.line || at > span.endLine) continue;
    parts.set(subpath, newPart(subpath, at - span.line + 1, inside));
  }
  return parts;
}

/** The heading itself is the whole note; another one is named alone, or else below those above it. */
function newPart(subpath: string, line: number, inside: Outline): string | null {
  const leads = (part: string): boolean => resolveSubpath(part, inside, Number.MAX_SAFE_INTEGER)?.line === line;
  const last = subpath.split('#').at(-1)?.trim() ?? '';
  if (last.startsWith('^')) return leads(`#${last}`) ? `#${last}` : null;
  if (line === 1) return '';
  const texts = headingsAbove(inside.headings, line + 1).map(({ text }) => text);
  const ways = texts.map((_, at) => headingSubpath(texts.slice(texts.length - 1 - at)));
  return ways.find(leads) ?? null;
}

async function linkingNotes(
  { note }: Section,
  parts: MovedParts,
  { store }: WriteSources,
  { signal }: CallContext,
): Promise<readonly NotePath[]> {
  const sources = new Set<NotePath>();
  for (const subpath of parts.keys())
    for (const { source } of await store.linksToPart({ target: note.path, subpath }, EVERY_FILE, EVERY_LINK, signal))
      sources.add(source);
  sources.delete(note.path);
  return [...sources];
}

interface Following {
  readonly section: Section;
  readonly parts: MovedParts;
  /** Every file of the vault before the move. */
  readonly before: CandidatesFor;
}

/** The links of a text that lead elsewhere now. `lost`: the lines of links to a part that no link can name. */
function changesIn(path: NotePath, now: NotePath, text: string, { section, parts, before }: Following) {
  const { note, to, files } = section;
  const changes: LinkTarget[] = [];
  const lines = new Map<number, number>();
  const lost: number[] = [];
  for (const [index, link] of targetedLinks(path, text, before).entries()) {
    const { target, line } = link;
    const subpath = subpathOf(link);
    const part = target === note.path ? parts.get(subpath) : undefined;
    if (target === null) continue;
    if (part === null) lost.push(line);
    const [wanted, named] = part === undefined || part === null ? [target, subpath] : [to, part];
    const resolved = resolveWritten(link, now, files);
    // A link within the new note that names only a part still leads to that part.
    const isSame =
      resolved.path === wanted && (subpath === named || (now === to && wanted === to && link.link.startsWith('#')));
    if (isSame) continue;
    changes.push({ index, target: wanted, subpath: named });
    lines.set(index, line);
  }
  return { changes, lines, lost };
}
