// Every tool there is, in the order in which they are listed. Adding a tool is a file and a line here.
import type { AnyTool } from '../contracts/tool.ts';
import { findGaps } from './find_gaps.ts';
import { findPath } from './find_path.ts';
import { getCommunities } from './get_communities.ts';
import { getHubs } from './get_hubs.ts';
import { getNeighbors } from './get_neighbors.ts';
import { listNotes } from './list_notes.ts';
import { listTags } from './list_tags.ts';
import { readNotes } from './read_notes.ts';
import { reindex } from './reindex.ts';
import { resolveNames } from './resolve_names.ts';
import { searchText } from './search_text.ts';
import { status } from './status.ts';

export const toolCatalog: readonly AnyTool[] = Object.freeze([
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
  reindex,
]);
