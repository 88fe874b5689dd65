// Which notes a query is about, and which page of its results is wanted.
import type { NotePath } from '../base/note.ts';

/** The filters that queries share; a note must match all that are given. */
export interface NoteFilter {
  /** Vault-relative, without a closing `/`; includes its subfolders. */
  readonly folder?: string;
  /** Folders like `folder`, but the notes in them do not match. */
  readonly exceptFolders?: readonly string[];
  /** With `#`; a tag also matches the tags nested below it; case-insensitive. */
  readonly tags?: readonly string[];
  readonly tagMode?: 'any' | 'all';
  readonly where?: readonly PropertyFilter[];
  /** Only these files. */
  readonly among?: readonly NotePath[];
  /** Milliseconds since 1970, compared with the note's date, which is local time; `untilMs` is exclusive. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
  /** Milliseconds since 1970, compared with the file's time. */
  readonly modifiedSinceMs?: number;
  /** Attachments instead of notes, canvases and bases; `unused`: those that no link leads to. */
  readonly attachments?: 'all' | 'unused';
  /** Also the files that Obsidian's settings exclude, or only these; by default they do not match. By itself it narrows nothing. */
  readonly excluded?: 'include' | 'only';
  /** In searches by words: also attachments whose text is indexed. By itself it narrows nothing. */
  readonly attachmentTexts?: boolean;
}

/**
 * Names and texts are case-insensitive. A list matches if one of its items does. A value is equal to its text (`5` to `"5"`, `true` to
 * `"true"`), a moment to itself in another form, a link to its text whatever it shows, and an empty value to every empty value.
 * Numbers, also as texts, are ordered as numbers, dates among dates, other texts as texts. `ne` is the opposite of `eq`, so it
 * includes notes without the property; `exists` with `false` matches notes without it. `name.sub` is a property inside a map.
 */
export interface PropertyFilter {
  readonly name: string;
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'exists';
  readonly value: string | number | boolean | null;
  /** In milliseconds since 1970: the period that `value` was read from, which the answer shows. */
  readonly period?: { readonly from?: number; readonly to?: number };
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}
