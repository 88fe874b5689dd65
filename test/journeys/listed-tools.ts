// The tools that each combination of configured providers lists, by name and in order.
const INDEX_TOOLS = [
  'status',
  'search_text',
  'read_notes',
  'list_notes',
  'list_tags',
  'list_properties',
  'list_tasks',
  'list_changes',
  'query_base',
  'resolve_names',
  'get_neighbors',
  'find_path',
  'get_hubs',
  'get_communities',
  'find_gaps',
  'check_vault',
  'find_conflicts',
  'find_related',
  'get_context',
  'get_timeline',
];
const MAINTENANCE_TOOLS = ['check_note', 'reindex'];
const EMBEDDING_TOOLS = ['search', 'find_similar'];
export const WRITE_TOOLS = [
  ...['create_note', 'edit_note', 'set_properties', 'move_note', 'merge_notes', 'rename_tag', 'replace_in_notes'],
  ...['delete_note', 'undo_change'],
];
export const LLM_TOOLS = ['summarize_notes', 'suggest_tags', 'suggest_links', 'extract_entities', 'ask_vault'];

export interface Combination {
  readonly embedding: boolean;
  readonly llm: boolean;
  readonly writes: boolean;
}

export function listedTools({ embedding, llm, writes }: Partial<Combination> = {}): string[] {
  return [
    ...INDEX_TOOLS,
    ...(embedding ? EMBEDDING_TOOLS : []),
    ...(writes ? WRITE_TOOLS : []),
    ...(llm ? LLM_TOOLS : []),
    ...MAINTENANCE_TOOLS,
  ];
}
