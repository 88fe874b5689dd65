// Every tool there is, in the order in which they are listed. Adding a tool is a file and a line here.
import type { AnyTool } from '../contracts/tool.ts';
import { createAskVault } from './ask_vault.ts';
import { createCheckNote } from './check_note.ts';
import { createNote } from './create_note.ts';
import { deleteNote } from './delete_note.ts';
import { editNote } from './edit_note.ts';
import { extractEntities } from './extract_entities.ts';
import { findGaps } from './find_gaps.ts';
import { findPath } from './find_path.ts';
import { findRelated } from './find_related.ts';
import { findSimilar } from './find_similar.ts';
import { getCommunities } from './get_communities.ts';
import { getContext } from './get_context.ts';
import { getHubs } from './get_hubs.ts';
import { getNeighbors } from './get_neighbors.ts';
import { listNotes } from './list_notes.ts';
import { listTags } from './list_tags.ts';
import { listTasks } from './list_tasks.ts';
import { moveNote } from './move_note.ts';
import { readNotes } from './read_notes.ts';
import { reindex } from './reindex.ts';
import { resolveNames } from './resolve_names.ts';
import { createSearch } from './search.ts';
import { searchText } from './search_text.ts';
import { setProperties } from './set_properties.ts';
import { status } from './status.ts';
import { createSuggestLinks } from './suggest_links.ts';
import { suggestTags } from './suggest_tags.ts';
import { summarizeNotes } from './summarize_notes.ts';
import { undoChange } from './undo_change.ts';

/** What the config opens in the schemas of tools and in their needs. */
export interface CatalogOptions {
  /** `search.on_embedding_failure: text_only`. */
  readonly textOnly: boolean;
  /** `providers.embedding`: tools that can find notes by meaning, too, then need it. */
  readonly embedding?: boolean;
  /** `index.allow_mismatched_query`. */
  readonly mismatched?: boolean;
}

export function toolCatalogFor(options: CatalogOptions): readonly AnyTool[] {
  return Object.freeze([
    status,
    searchText,
    readNotes,
    listNotes,
    listTags,
    listTasks,
    resolveNames,
    getNeighbors,
    findPath,
    getHubs,
    getCommunities,
    findGaps,
    findRelated,
    getContext,
    createSearch(options),
    findSimilar,
    createNote,
    editNote,
    setProperties,
    moveNote,
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

/** The tools as they are where the config opens nothing. */
export const toolCatalog: readonly AnyTool[] = toolCatalogFor({ textOnly: false });
