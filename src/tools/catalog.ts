// Lists all tools, prompts and protocol methods, in the order in which clients see them.
import type { AnyPrompt } from '../contracts/prompt.ts';
import type { AnyTool } from '../contracts/tool.ts';
import { queryBase } from './bases/query_base.ts';
import { listChanges } from './changes/list_changes.ts';
import { complete } from './complete/complete.ts';
import { getContext } from './context/get_context.ts';
import { createCheckNote } from './diagnose/check_note.ts';
import { reindex } from './diagnose/reindex.ts';
import { status } from './diagnose/status.ts';
import { findGaps } from './links/find_gaps.ts';
import { findPath } from './links/find_path.ts';
import { getCommunities } from './links/get_communities.ts';
import { getHubs } from './links/get_hubs.ts';
import { getNeighbors } from './links/get_neighbors.ts';
import { shownGraph } from './links/shown-graph.ts';
import { createAskVault } from './llm/ask_vault.ts';
import { extractEntities } from './llm/extract_entities.ts';
import { createSuggestLinks } from './llm/suggest_links.ts';
import { suggestTags } from './llm/suggest_tags.ts';
import { summarizeNotes } from './llm/summarize_notes.ts';
import { listNotes } from './notes/list_notes.ts';
import { listProperties } from './notes/list_properties.ts';
import { listTags } from './notes/list_tags.ts';
import { readNotes } from './notes/read_notes.ts';
import { resolveNames } from './notes/resolve_names.ts';
import { cleanUpTags } from './prompts/clean_up_tags.ts';
import { connectNote } from './prompts/connect_note.ts';
import { dailyReview } from './prompts/daily_review.ts';
import { explainTopic } from './prompts/explain_topic.ts';
import { fixBrokenLinks } from './prompts/fix_broken_links.ts';
import { meetingNote } from './prompts/meeting_note.ts';
import { mergeDuplicates } from './prompts/merge_duplicates.ts';
import { recall } from './prompts/recall.ts';
import { remember } from './prompts/remember.ts';
import { tidyUp } from './prompts/tidy_up.ts';
import { timeline } from './prompts/timeline.ts';
import { weeklyReview } from './prompts/weekly_review.ts';
import { whatChanged } from './prompts/what_changed.ts';
import { findRelated } from './related/find_related.ts';
import { listResources, readResource } from './resources/resources.ts';
import { findSimilar } from './search/find_similar.ts';
import { createSearch } from './search/search.ts';
import { createSearchText } from './search/search_text.ts';
import { listTasks } from './tasks/list_tasks.ts';
import { createGetTimeline } from './timeline/get_timeline.ts';
import { type CheckOptions, createCheckVault } from './upkeep/check_vault.ts';
import { createFindConflicts } from './upkeep/find_conflicts.ts';
import { createNote } from './write/create_note.ts';
import { deleteNote } from './write/delete_note.ts';
import { editNote } from './write/edit_note.ts';
import { mergeNotes } from './write/merge_notes.ts';
import { moveNote } from './write/move_note.ts';
import { renameTag } from './write/rename_tag.ts';
import { replaceInNotes } from './write/replace_in_notes.ts';
import { setProperties } from './write/set_properties.ts';
import { undoChange } from './write/undo_change.ts';

/** Config settings that change the arguments or the needs of tools. */
export interface CatalogOptions extends CheckOptions {
  /** `search.on_embedding_failure: text_only`. */
  readonly textOnly: boolean;
  /** Whether `providers.embedding` is configured; tools that can also search by meaning then need it. */
  readonly embedding?: boolean;
  /** Whether `providers.llm` is configured; conflicts can then be judged. */
  readonly llm?: boolean;
  /** Whether `providers.rerank` is configured; both searches then rerank their hits. */
  readonly rerank?: boolean;
  /** Whether that of `providers.embedding` is a model for many languages. */
  readonly multilingual?: boolean;
  /** `index.allow_mismatched_query`. */
  readonly mismatched?: boolean;
}

export function toolCatalogFor(options: CatalogOptions): readonly AnyTool[] {
  return Object.freeze([
    status,
    createSearchText(options),
    readNotes,
    listNotes,
    listTags,
    listProperties,
    listTasks,
    listChanges,
    queryBase,
    resolveNames,
    getNeighbors,
    findPath,
    getHubs,
    getCommunities,
    findGaps,
    createCheckVault(options),
    createFindConflicts(options),
    findRelated,
    getContext,
    createGetTimeline(options),
    createSearch(options),
    findSimilar,
    createNote,
    editNote,
    setProperties,
    moveNote,
    mergeNotes,
    renameTag,
    replaceInNotes,
    deleteNote,
    undoChange,
    summarizeNotes,
    suggestTags,
    createSuggestLinks(options),
    extractEntities,
    createAskVault(options),
    createCheckNote(options),
    reindex,
  ]);
}

/** The tools of a default config. */
export const toolCatalog: readonly AnyTool[] = toolCatalogFor({ textOnly: false });

export const promptCatalog: readonly AnyPrompt[] = Object.freeze([
  dailyReview,
  explainTopic,
  fixBrokenLinks,
  connectNote,
  weeklyReview,
  cleanUpTags,
  mergeDuplicates,
  meetingNote,
  whatChanged,
  timeline,
  tidyUp,
  recall,
  remember,
]);

/** Protocol methods that are answered from the vault. They run like tools but are not listed as tools. */
export const methodCatalog: readonly AnyTool[] = Object.freeze([listResources, readResource, complete, shownGraph]);
