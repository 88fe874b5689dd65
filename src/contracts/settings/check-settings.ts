// What the config says about the checks of check_vault.

export const CHECK_RULES = [
  'unprocessed',
  'orphans',
  'broken_links',
  'broken_parts',
  'outdated',
  'duplicates',
  'similar_tags',
  'similar_properties',
  'two_titles',
  'half_templates',
  'overdue_tasks',
] as const;

export type CheckRuleName = (typeof CHECK_RULES)[number];

export interface CheckSettings {
  /** Names of folders at any depth, compared without case, leading numbers and signs. */
  readonly inbox_folders: readonly string[];
  /** Without `#`; nested tags count. */
  readonly inbox_tags: readonly string[];
  readonly source_folders: readonly string[];
  /** A page is outdated if its source changed so many days after it. */
  readonly outdated_days: number;
  readonly overdue_days: number;
  /** What is counted and not listed: paths, folders that end in `/`, names, tags and properties. */
  readonly accept: { readonly [rule in CheckRuleName]?: readonly string[] | undefined };
}

export const CHECK_DEFAULTS = {
  inbox_folders: ['Inbox'],
  inbox_tags: ['inbox', 'todo', 'unprocessed', 'to-process'],
  source_folders: ['Sources', 'Raw', 'References', 'Literature', 'Clippings'],
  outdated_days: 1,
  overdue_days: 30,
  accept: {},
} as const satisfies CheckSettings;
