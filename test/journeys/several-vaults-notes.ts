// A work and a private vault whose notes have no word in common, and everything that is asked about one of them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { temporaryFolder } from './session.ts';

export const WORK = {
  'Projects/Harbour.md':
    '---\nstatus: pier\n---\n# Harbour\n\nThe quay needs wood. [[Budget]] [[Journal]] #build\n\n- [ ] order planks\n',
  'Budget.md': '---\naliases: [Costs]\n---\n# Budget\n\nWhat [[Harbour]] costs.\n',
  'Hidden/Salary.md': '# Salary\n\nEuros. [[Budget]] #pay\n',
};
export const PRIVATE = {
  'Diary/Journal.md':
    '---\nmood: xylophone\n---\n# Journal\n\nMet Zenobia. [[Dreams]] #intimate\n\n- [ ] call Zenobia\n',
  'Dreams.md': '---\naliases: [Nightmare]\n---\n# Dreams\n\nOf [[Journal]].\n',
  'Therapy/Session.md': '# Session\n\nFears. [[Dreams]] #doctor\n',
};
/** Of the private notes: titles, tags, folders, properties, words. A work note links to `Journal`, which is therefore none of them. */
export const PRIVATE_WORDS = /xylophone|zenobia|dreams|nightmare|intimate|diary|therapy|fears|doctor/i;
export const WORK_WORDS = /harbour|quay|pier|planks|budget|costs|build|projects|salary|euros|hidden/i;

export function writeNotes(context: TestContext, notes: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder(context);
  for (const [path, text] of Object.entries(notes)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** Calls of tools that read, about the notes of the one vault or the other. */
export function questionsAbout(note: string, other: string): readonly (readonly [string, Record<string, unknown>])[] {
  return [
    ['search_text', { query: `${note} ${other}`, explain: true }],
    ['search_text', { query: 'zenobya quai journal' }],
    ['list_notes', { detail: 'full' }],
    ['list_notes', { sort: 'links', folder: 'Diarie' }],
    ['list_tags', {}],
    ['list_tasks', {}],
    [
      'read_notes',
      { notes: [note, other, 'Journal', 'Jurnal'], include: ['content', 'links', 'outline', 'properties'] },
    ],
    ['resolve_names', { names: [note, other, 'Costs', 'Nightmare', 'Drems'] }],
    ['get_neighbors', { note }],
    ['get_neighbors', { note: other }],
    ['find_path', { from: note, to: other }],
    ['get_hubs', { metric: 'pagerank' }],
    ['get_communities', {}],
    ['find_gaps', { kind: 'unresolved' }],
    ['find_gaps', { kind: 'orphans' }],
    ['check_vault', {}],
    ['find_related', { note }],
    ['get_context', { topic: `${note} ${other}` }],
    ['get_timeline', { notes: [note], file_times: true }],
    ['check_note', { note: other }],
  ];
}
