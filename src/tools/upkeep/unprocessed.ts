// Rule: notes that wait to be processed, in an inbox folder or under a tag for it.
import { foldersAbove, type NotePath, noteName } from '../../base/note.ts';
import { localDate } from '../../markdown/dates/note-date.ts';
import { foldName } from '../../markdown/links/fold.ts';
import { readTexts } from '../notes/note-content.ts';
import { taskMarks } from '../tasks/list_tasks.ts';
import { everyTask } from '../tasks/task-texts.ts';
import { type Call, type CheckQuery, type CheckRule, editsInLine, type Finding, fixedBy } from './check-rule.ts';
import { type NoteProfile, noteProfiles } from './note-profiles.ts';

interface Waiting extends Finding {
  readonly path: NotePath;
  readonly modifiedMs: number;
  /** The inbox: a folder, or else a tag. */
  readonly folder?: string;
  readonly tag?: NoteProfile['tags'][number];
}

/** Those that wait longest first. */
export const unprocessed: CheckRule<Waiting> = {
  find: async (query) => {
    const done = await doneLines(query);
    const waiting: Waiting[] = [];
    const inboxOf = inboxFolders(query.settings.inbox_folders);
    const tags = query.settings.inbox_tags.map((tag) => foldName(`#${tag.replace(/^#/, '')}`));
    for (const profile of await noteProfiles(query)) {
      const folder = inboxOf(profile.path);
      const tag = folder === undefined && !profile.isTemplate ? inboxTag(profile, tags, done) : undefined;
      const { path, modifiedMs } = profile;
      if (folder !== undefined) waiting.push({ names: [path], path, modifiedMs, folder });
      else if (tag !== undefined) waiting.push({ names: [path, tag.tag], path, modifiedMs, tag });
    }
    return waiting.sort((one, other) => one.modifiedMs - other.modifiedMs);
  },
  show: async (findings, query) => {
    const tagged = findings.flatMap(({ path, tag }) => (tag?.line === undefined ? [] : [path]));
    const texts = await readTexts([...new Set(tagged)], query.granted.vault, query.call, 'lines');
    return findings.map(({ path, modifiedMs, folder, tag }) => ({
      path,
      ...(folder === undefined ? tag : { folder: `${folder}/` }),
      modified: localDate(modifiedMs),
      ...fixedBy(query, ...withoutTag(path, tag, texts.get(path)), ['find_related', { note: path }]),
    }));
  },
};

function withoutTag(note: NotePath, tag: NoteProfile['tags'][number] | undefined, text: string | undefined): Call[] {
  if (tag === undefined) return [];
  const { tag: name, line } = tag;
  if (line === undefined) return [['set_properties', { note, remove_tags: [name.slice(1)], dry_run: true }]];
  const edits = editsInLine(text, line, name, '');
  return edits.length === 0 ? [] : [['edit_note', { note, edits, dry_run: true }]];
}

/** Finds the inbox folder around a note; the page of the folder itself does not wait in it. */
export function inboxFolders(names: readonly string[]): (path: NotePath) => string | undefined {
  const around = foldersNamed(names);
  return (path) => {
    const inbox = around(path);
    const isItsPage = inbox !== undefined && [plainFolder(inbox), 'index', 'readme'].includes(foldName(noteName(path)));
    return isItsPage ? undefined : inbox;
  };
}

/** Finds the innermost folder around a path with one of the names. */
export function foldersNamed(names: readonly string[]): (path: NotePath) => string | undefined {
  const folders = names.map(plainFolder);
  const inboxes = new Map<string, string | undefined>();
  return (path) => {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (!inboxes.has(folder))
      inboxes.set(
        folder,
        foldersAbove(path).findLast((above) => folders.includes(plainFolder(above))),
      );
    return inboxes.get(folder);
  };
}

/** `00 Inbox`, `_inbox` and `📥 Inbox` are `inbox`. */
function plainFolder(folder: string): string {
  return foldName(folder.slice(folder.lastIndexOf('/') + 1)).replace(/^[^\p{L}]+|[^\p{L}\p{N}]+$/gu, '');
}

/** The tag of a task that is done says nothing of its note. */
function inboxTag(
  { path, tags }: NoteProfile,
  folders: readonly string[],
  done: Awaited<ReturnType<typeof doneLines>>,
) {
  const isWanted = (tag: string): boolean => folders.some((one) => tag === one || tag.startsWith(`${one}/`));
  return tags.find(({ tag, line }) => isWanted(foldName(tag)) && (line === undefined || !done.get(path)?.has(line)));
}

async function doneLines({ granted, call, filter, settings }: CheckQuery) {
  const lines = new Map<NotePath, Set<number>>();
  if (settings.inbox_tags.length === 0) return lines;
  const marks = await taskMarks(granted.vault, call);
  const tags = settings.inbox_tags.map((tag) => `#${tag.replace(/^#/, '')}`);
  const doneTasks = { ...filter, tags, status: 'done', ...(marks && { marks }) } as const;
  for (const { path, line } of await everyTask(doneTasks, granted.store, call.signal))
    lines.set(path, (lines.get(path) ?? new Set()).add(line));
  return lines;
}
