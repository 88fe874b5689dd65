// Rule: notes with placeholders of a template that were not filled in.
import { type NotePath, noteName } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { Store } from '../../contracts/store.ts';
import type { Leftover } from '../../markdown/excerpt/leftovers.ts';
import { readTexts } from '../notes/note-content.ts';
import { type CheckQuery, type CheckRule, type Finding, fixedBy } from './check-rule.ts';
import { isTemplateNote, type NoteProfile, noteProfiles } from './note-profiles.ts';

interface HalfFilled extends Finding {
  readonly path: NotePath;
  readonly leftovers: readonly Leftover[];
}

/** Those with the most placeholders first. */
export const halfTemplates: CheckRule<HalfFilled> = {
  find: async (query) => {
    const profiles = (await noteProfiles(query)).filter((profile) => !isTemplateNote(profile));
    const byHash = await leftovers(profiles, query);
    return profiles
      .map(({ path, hash }) => ({ names: [path], path, leftovers: byHash.get(hash) ?? [] }))
      .filter((found) => found.leftovers.length > 0)
      .sort((one, other) => other.leftovers.length - one.leftovers.length || (one.path < other.path ? -1 : 1));
  },
  show: (findings, query) =>
    findings.map(({ path, leftovers: [first, ...others] }) => {
      const { line = 1, text = '' } = first ?? {};
      const filled = /^\{\{\s*title\s*\}\}$/i.test(text) ? noteName(path) : '';
      const edit = { op: 'replace_text', target: text, text: filled, line };
      return {
        path,
        line,
        text,
        placeholders: others.length + 1,
        ...fixedBy(
          query,
          ['edit_note', { note: path, edits: [edit], dry_run: true }],
          ['read_notes', { notes: [path] }],
        ),
      };
    }),
};

/** Whatever the index does, those of a content stay the same. */
const keepLeftovers = async (
  store: Store,
  signal: AbortSignal,
  previous: Map<string, readonly Leftover[]> | undefined,
) => {
  const hashes = new Set((await store.fileStates(signal)).map(({ hash }) => hash));
  return new Map([...(previous ?? [])].filter(([hash]) => hashes.has(hash)));
};

const NOTES_PER_READ = 100;

async function leftovers(profiles: readonly NoteProfile[], { granted, call }: CheckQuery) {
  const known = await call.storeCache.get(keepLeftovers, granted.store, call.signal);
  const missing = profiles.filter(({ hash }) => !known.has(hash));
  let unread = 0;
  for (let at = 0; at < missing.length; at += NOTES_PER_READ) {
    const part = missing.slice(at, at + NOTES_PER_READ);
    const paths = part.map(({ path }) => path);
    const texts = await readTexts(paths, granted.vault, call, 'lines');
    for (const { path, hash } of part) {
      const text = texts.get(path);
      if (text === undefined) unread += 1;
      else known.set(hash, await call.compute.run(jobs.leftovers, { text }, call.signal));
      await letOthersRun(call.signal);
    }
    call.progress(at + part.length, missing.length, 'notes read for placeholders');
  }
  const message = `${unread} notes could not be read for placeholders`;
  if (unread > 0) call.warn({ code: 'EXTRA_MISSING', message, count: unread });
  return known;
}
