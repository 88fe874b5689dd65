// Which notes a question is about, and which stretch of the answer is wanted.

/** Filters that several questions share; all given ones must hold. */
export interface NoteFilter {
  /** Vault-relative, without a closing `/`; notes in it and below it. */
  readonly folder?: string;
  /** With `#`; a tag matches itself and the tags nested below it, compared without case. */
  readonly tags?: readonly string[];
  readonly tagMode?: 'any' | 'all';
  readonly where?: readonly PropertyFilter[];
  /** Milliseconds since 1970, compared with the note's date, which is local time; `untilMs` is exclusive. */
  readonly sinceMs?: number;
  readonly untilMs?: number;
}

/**
 * Names and texts compare without case, a value only with values of its own type; a list matches when one of its items does.
 * `ne` is whatever `eq` is not, notes without the property included; `exists` with `false` means: is not there.
 * Inside a map a property is named `name.sub`.
 */
export interface PropertyFilter {
  readonly name: string;
  readonly operator: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'contains' | 'exists';
  readonly value: string | number | boolean | null;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}
