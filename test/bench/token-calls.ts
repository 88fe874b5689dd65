// Lists the calls whose answer sizes are measured, for the generated vault.
import type { GeneratedVault } from './generate-vault.ts';
import { STOP_WORDS } from './vocabulary.ts';

export interface WeighedCall {
  /** The kind of answer that it represents. */
  readonly about: string;
  readonly tool: string;
  readonly given: Record<string, unknown>;
}

/** Added to the generated notes, whose tasks have no dates. */
export const TASK_NOTE = {
  path: 'Tasks of the bench.md',
  text: `# Tasks\n\n${Array.from({ length: 40 }, (_, at) => taskLine(at)).join('\n')}\n`,
};

function taskLine(at: number): string {
  const due = at % 3 === 0 ? ` 📅 2026-11-${String(10 + (at % 20))}` : '';
  return `- [${at % 5 === 4 ? 'x' : ' '}] Ask number ${at} about the berth and the ferry${due}`;
}

/** Deterministic for a vault. */
export function weighedCalls({ plan }: GeneratedVault): readonly WeighedCall[] {
  const [note, other] = [plan.notes[7]?.path ?? '', plan.notes[70]?.path ?? ''];
  const word = plan.vocabulary.words[STOP_WORDS.length + 60] ?? 'the';
  const words = `${word} ${plan.vocabulary.words[STOP_WORDS.length + 200] ?? ''}`.trim();
  const call = (about: string, tool: string, given: WeighedCall['given'] = {}): WeighedCall => ({ about, tool, given });
  return [
    call('status', 'status'),
    call('10 hits', 'search_text', { query: words }),
    call('10 hits, full', 'search_text', { query: words, detail: 'full' }),
    call('3 hits, explained', 'search_text', { query: words, explain: true, limit: 3 }),
    call('a note', 'read_notes', { notes: [note], max_chars: 4_000 }),
    call('an outline and links', 'read_notes', { notes: [note], include: ['outline', 'links', 'properties'] }),
    call('10 notes', 'list_notes'),
    call('10 notes, full', 'list_notes', { detail: 'full' }),
    call('all tags', 'list_tags'),
    call('10 tasks', 'list_tasks'),
    call('10 tasks, full', 'list_tasks', { detail: 'full' }),
    call('2 names', 'resolve_names', { names: [note, other] }),
    call('neighbours', 'get_neighbors', { note }),
    call('neighbours, depth 2', 'get_neighbors', { note, depth: 2 }),
    call('3 chains', 'find_path', { from: note, to: other }),
    call('10 hubs', 'get_hubs', { metric: 'pagerank' }),
    call('10 communities', 'get_communities'),
    call('10 unresolved names', 'find_gaps', { kind: 'unresolved' }),
    call('10 orphans', 'find_gaps', { kind: 'orphans' }),
    call('10 unlinked mentions', 'find_gaps', { kind: 'unlinked_mentions' }),
    call('10 related notes', 'find_related', { note }),
    call('a dossier of 2,000', 'get_context', { topic: words }),
    call('why a note is found', 'check_note', { note, query: words }),
    call('10 hits, hybrid', 'search', { query: words }),
    call('10 similar notes', 'find_similar', { note }),
    call('a dry run', 'edit_note', { note, edits: [{ op: 'append', text: 'One more line.' }], dry_run: true }),
    call('a job', 'reindex', { wait_ms: 20_000 }),
    call('a refusal', 'list_notes', { sort: 'age' }),
    call('a name that leads nowhere', 'get_neighbors', { note: 'No such note at all' }),
  ];
}
