// Rule: notes whose titles differ, and different notes with one title.
import { type NotePath, noteName } from '../../base/note.ts';
import { comparePaths } from '../../base/path-order.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { nameDate } from '../../markdown/dates/note-date.ts';
import { foldText } from '../../markdown/excerpt/fold-text.ts';
import { type Call, type CheckQuery, type CheckRule, type Finding, fixedBy } from './check-rule.ts';
import { type NoteProfile, noteProfiles } from './note-profiles.ts';

interface TwoTitles extends Finding {
  readonly notes: readonly NoteProfile[];
  readonly title: string;
  /** The other title of a single note. */
  readonly other?: string;
}

/** So many notes with one title follow a convention, such as an "Overview" in each folder. */
const MAX_NAMESAKES = 3;
const NOT_A_TITLE =
  /^(?:readme|_?index|home|overview|notes?|todo|changelog|untitled.*|未命名.*|homepage|license|log|inbox|summary)?$/;

/** First the titles that several notes have, then the notes with two; by path. */
export const twoTitles: CheckRule<TwoTitles> = {
  find: async (query) => {
    const profiles = await noteProfiles(query);
    const basis = profiles.flatMap(({ path, titleProperty, h1, isConflictCopy, isTemplate }) => [
      ...[path, titleProperty, h1, isConflictCopy, isTemplate],
    ]);
    return query.keptWhile(basis, () => titlesAmong(profiles, query.call.signal));
  },
  show: (findings, query) => findings.map((finding) => shown(finding, query)),
};

async function titlesAmong(all: readonly NoteProfile[], signal: AbortSignal): Promise<readonly TwoTitles[]> {
  const profiles = all.filter(({ isConflictCopy, isTemplate }) => !isConflictCopy && !isTemplate);
  const byTitle = new Map<string, NoteProfile[]>();
  const differing: TwoTitles[] = [];
  for (const profile of profiles) {
    await letOthersRun(signal);
    const { path, titleProperty, h1 } = profile;
    const title = titleOf(profile);
    const key = plainTitle(title);
    const isNamed = !NOT_A_TITLE.test(key) && !NOT_A_TITLE.test(plainTitle(noteName(path)));
    if (isNamed && !isDate(title)) byTitle.set(key, [...(byTitle.get(key) ?? []), profile]);
    if (titleProperty !== undefined && h1 !== undefined && areDifferent(titleProperty, h1.text))
      differing.push({ names: [path], notes: [profile], title: titleProperty, other: h1.text });
  }
  const shared = unusual([...byTitle.values()].filter((notes) => notes.length > 1 && notes.length <= MAX_NAMESAKES));
  const namesakes = shared.map((notes) => ({
    names: notes.map(({ path }) => path),
    notes,
    title: titleOf(notes[0] as NoteProfile),
  }));
  return [...namesakes.sort(byPath), ...differing.sort(byPath)];
}

/** Without those of folders that share so many titles that this is how they are made, such as an album and its song. */
function unusual(groups: readonly (readonly NoteProfile[])[]): readonly (readonly NoteProfile[])[] {
  const foldersOf = (notes: readonly NoteProfile[]): string =>
    JSON.stringify([...new Set(notes.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1)))].sort());
  const byFolders = Map.groupBy(groups, foldersOf);
  return groups.filter((notes) => {
    const folders = foldersOf(notes);
    return JSON.parse(folders).length === 1 || (byFolders.get(folders)?.length ?? 0) <= MAX_NAMESAKES;
  });
}

const byPath = ({ notes: [one] }: TwoTitles, { notes: [other] }: TwoTitles): number =>
  comparePaths((one as NoteProfile).path, (other as NoteProfile).path);

/** What its reader sees as its title. */
const titleOf = ({ path, titleProperty, h1 }: NoteProfile): string => titleProperty ?? h1?.text ?? noteName(path);

/** Without case, accents, emoji, punctuation and marks of Markdown. */
function plainTitle(title: string): string {
  const shown = title.replace(/!?\[\[(?:[^\]|]*\|)?([^\]]*)\]\]/g, '$1').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return foldText(shown)
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
}

const isDate = (title: string): boolean => nameDate(`${title}.md`) !== undefined || !/\p{L}{2}/u.test(title);

/** One that begins or ends with the other has an addition; two dates may be one day in two forms. */
function areDifferent(one: string, other: string): boolean {
  const [first, second] = [plainTitle(one), plainTitle(other)];
  if (first === '' || second === '' || (/\d/.test(first) && isDate(one)) || isDate(other)) return false;
  const contains = (long: string, short: string): boolean => ` ${long} `.includes(` ${short} `);
  return (
    !contains(first, second) && !contains(second, first) && first.replaceAll(' ', '') !== second.replaceAll(' ', '')
  );
}

function shown({ notes, title, other }: TwoTitles, query: CheckQuery) {
  const [first] = notes as [NoteProfile];
  if (other !== undefined) {
    const set = [{ property: 'title', value: other }];
    const calls: Call[] = [['set_properties', { note: first.path, set, dry_run: true }]];
    return {
      path: first.path,
      title,
      heading: other,
      ...fixedBy(query, ...calls, ['read_notes', { notes: [first.path] }]),
    };
  }
  const paths = notes.map(({ path }) => path);
  return {
    title,
    notes: paths,
    ...fixedBy(query, renaming(notes.at(-1) as NoteProfile), ['read_notes', { notes: paths }]),
  };
}

/** Gives a note its own title, with the name of its folder. */
function renaming(profile: NoteProfile): Call {
  const { path, titleProperty, h1 } = profile;
  const addition = path.split('/').at(-2) ?? '2';
  const title = `${titleOf(profile)} (${addition})`;
  if (titleProperty !== undefined)
    return ['set_properties', { note: path, set: [{ property: 'title', value: title }], dry_run: true }];
  if (h1 === undefined) return ['move_note', { note: path, to: pathNamed(path, title), dry_run: true }];
  const edit = { op: 'replace_text', target: h1.text, text: title, line: h1.line };
  return ['edit_note', { note: path, edits: [edit], dry_run: true }];
}

const pathNamed = (path: NotePath, name: string): string => `${path.slice(0, path.lastIndexOf('/') + 1)}${name}`;
