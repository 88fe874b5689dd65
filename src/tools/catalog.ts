// Every tool there is, in the order in which they are listed. Adding a tool is a file and a line here.
import type { AnyTool } from '../contracts/tool.ts';
import { createNote } from './create_note.ts';
import { deleteNote } from './delete_note.ts';
import { editNote } from './edit_note.ts';
import { findGaps } from './find_gaps.ts';
import { findPath } from './find_path.ts';
import { findSimilar } from './find_similar.ts';
import { getCommunities } from './get_communities.ts';
import { getHubs } from './get_hubs.ts';
import { getNeighbors } from './get_neighbors.ts';
import { listNotes } from './list_notes.ts';
import { listTags } from './list_tags.ts';
import { moveNote } from './move_note.ts';
import { readNotes } from './read_notes.ts';
import { reindex } from './reindex.ts';
import { resolveNames } from './resolve_names.ts';
import { createSearch } from './search.ts';
import { searchText } from './search_text.ts';
import { setProperties } from './set_properties.ts';
import { status } from './status.ts';
import { undoChange } from './undo_change.ts';

/** What the config opens in the schemas of tools. */
export interface CatalogOptions {
  /** `search.on_embedding_failure: text_only`. */
  readonly textOnly: boolean;
}

export function toolCatalogFor(options: CatalogOptions): readonly AnyTool[] {
  return Object.freeze([
    status,
    searchText,
    readNotes,
    listNotes,
    listTags,
    resolveNames,
    getNeighbors,
    findPath,
    getHubs,
    getCommunities,
    findGaps,
    createSearch(options),
    findSimilar,
    createNote,
    editNote,
    setProperties,
    moveNote,
    deleteNote,
    undoChange,
    reindex,
  ]);
}

/** The tools as they are where the config opens nothing. */
export const toolCatalog: readonly AnyTool[] = toolCatalogFor({ textOnly: false });
