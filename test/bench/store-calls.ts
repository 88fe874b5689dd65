// Lists a call of each tool that answers from the index, with arguments that change from call to call.

interface Drawn {
  /** The path of any note. */
  note(): string;
  /** A word of some notes. */
  word(): string;
}

interface StoreCall {
  /** As it is printed. */
  readonly name: string;
  readonly given: (drawn: Drawn) => readonly [tool: string, given: Record<string, unknown>];
}

const call = (name: string, given: StoreCall['given']): StoreCall => ({ name, given });

export const STORE_CALLS = {
  neighbors: call('get_neighbors, depth 1', ({ note }) => ['get_neighbors', { note: note() }]),
  neighbors_two: call('get_neighbors, depth 2', ({ note }) => ['get_neighbors', { note: note(), depth: 2 }]),
  path: call('find_path', ({ note }) => ['find_path', { from: note(), to: note() }]),
  hubs: call('get_hubs', () => ['get_hubs', {}]),
  pagerank: call('get_hubs pagerank, then', () => ['get_hubs', { metric: 'pagerank' }]),
  communities: call('get_communities, then', () => ['get_communities', {}]),
  related: call('find_related', ({ note }) => ['find_related', { note: note() }]),
  context: call('get_context, 2,000 tokens', ({ word }) => ['get_context', { topic: `${word()} ${word()} ${word()}` }]),
  gaps: call('find_gaps unresolved', () => ['find_gaps', { kind: 'unresolved' }]),
  orphans: call('find_gaps orphans', () => ['find_gaps', { kind: 'orphans' }]),
  mentions: call('find_gaps unlinked_mentions of a note', ({ note }) => [
    'find_gaps',
    { kind: 'unlinked_mentions', note: note() },
  ]),
  read: call('read_notes, one note', ({ note }) => ['read_notes', { notes: [note()] }]),
  list: call('list_notes', () => ['list_notes', {}]),
  list_links: call('list_notes by links', () => ['list_notes', { sort: 'links' }]),
  tags: call('list_tags', () => ['list_tags', {}]),
  tasks: call('list_tasks', () => ['list_tasks', {}]),
  names: call('resolve_names', ({ note }) => ['resolve_names', { names: [note()] }]),
  check: call('check_note', ({ note }) => ['check_note', { note: note() }]),
  status: call('status', () => ['status', {}]),
} as const satisfies Record<string, StoreCall>;

export type StoreCallName = keyof typeof STORE_CALLS;
/** `held`: the longest wait of a ping meanwhile, which shows how long the main thread was held. */
export type StoreFigure<Name extends StoreCallName> = `${Name}_${'p50' | 'p99' | 'held'}`;

export const storeCallNames = Object.keys(STORE_CALLS) as StoreCallName[];
