// Rule: notes with placeholders of a template that were not filled in.
import { type NotePath, noteName } from '../../base/note.ts';
import { letOthersRun } from '../../base/threads/turns.ts';
import { jobs } from '../../compute/jobs.ts';
import type { ComputeFromIndex } from '../../contracts/session.ts';
import type { Leftover } from '../../markdown/excerpt/leftovers.ts';
import { readTexts } from '../notes/note-content.ts';
import { type Call, type CheckQuery, type CheckRule, editsInLine, type Finding, fixedBy } from './check-rule.ts';
import { type KnownFiles, knownFiles, type NoteProfile, noteProfiles } from './note-profiles.ts';

interface HalfFilled extends Finding {
  readonly path: NotePath;
  readonly leftovers: readonly Leftover[];
}

/** Those with the most placeholders first. */
export const halfTemplates: CheckRule<HalfFilled> = {
  find: async (query) => {
    const profiles = (await noteProfiles(query)).filter(({ isTemplate }) => !isTemplate);
    const byHash = await leftovers(profiles, query);
    return profiles
      .flatMap(({ path, hash }) => {
        const left = byHash.get(hash) ?? [];
        return left.length === 0 ? [] : [{ names: [path], path, leftovers: left }];
      })
      .sort((one, other) => other.leftovers.length - one.leftovers.length || (one.path < other.path ? -1 : 1));
  },
  show: async (findings, query) => {
    const { vault } = query.granted;
    const texts = await readTexts(
      findings.map(({ path }) => path),
      vault,
      query.call,
      'lines',
    );
    return findings.map(({ path, leftovers: [first, ...others] }) => {
      const { line = 1, text = '' } = first ?? {};
      const filled = /^\{\{\s*title\s*\}\}$/i.test(text) ? noteName(path) : '';
      const edits = editsInLine(texts.get(path), line, text, filled);
      const calls: Call[] = edits.length === 0 ? [] : [['edit_note', { note: path, edits, dry_run: true }]];
      return {
        path,
        line,
        text,
        placeholders: others.length + 1,
        ...fixedBy(query, ...calls, ['read_notes', { notes: [path] }]),
      };
    });
  },
};

/** By hash: whatever the index does, those of a content stay the same. */
const keepLeftovers: ComputeFromIndex<Map<string, readonly Leftover[]>> = async (_store, _signal, previous) =>
  previous ?? new Map();

/** Contents of the past are forgotten when they are as many as those of now. */
function forgetOld(leftovers: Map<string, readonly Leftover[]>, { profiles }: KnownFiles): void {
  if (leftovers.size <= 2 * profiles.size) return;
  const hashes = new Set(Array.from(profiles.values(), ({ hash }) => hash));
  for (const hash of leftovers.keys()) if (!hashes.has(hash)) leftovers.delete(hash);
}

const NOTES_PER_READ = 100;

async function leftovers(profiles: readonly NoteProfile[], query: CheckQuery) {
  const { granted, call } = query;
  const kept = await call.storeCache.get(keepLeftovers, granted.store, call.signal);
  forgetOld(kept, await knownFiles(query));
  const missing = profiles.filter(({ hash }) => !kept.has(hash));
  let unread = 0;
  for (let at = 0; at < missing.length; at += NOTES_PER_READ) {
    const part = missing.slice(at, at + NOTES_PER_READ);
    const paths = part.map(({ path }) => path);
    const texts = await readTexts(paths, granted.vault, call, 'lines');
    for (const { path, hash } of part) {
      const text = texts.get(path);
      if (text === undefined) unread += 1;
      else kept.set(hash, await call.compute.run(jobs.leftovers, { text }, call.signal));
      await letOthersRun(call.signal);
    }
    call.progress(at + part.length, missing.length, 'notes read for placeholders');
  }
  const message = `${unread} notes could not be read for placeholders`;
  if (unread > 0) call.warn({ code: 'EXTRA_MISSING', message, count: unread });
  return kept;
}
