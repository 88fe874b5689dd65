// The view state: what the reader selected, with a callback for every change.

export interface ViewState {
  /** A note path, or `?name` for an unresolved name. */
  readonly selected?: string | undefined;
  /** The place in the selected note to show: `#Heading` or `#^block`. */
  readonly subpath?: string | undefined;
  /** The neighbour that the arrow keys are on. */
  readonly cursor?: string | undefined;
  readonly hovered?: string | undefined;
  /** The path to draw. */
  readonly chain?: readonly string[] | undefined;
  /** The start of a path; the next selected note is its end. */
  readonly pathFrom?: string | undefined;
  /** The notes that the reader collected, shown as a list while none is selected. */
  readonly marked: readonly string[];
  readonly folder?: string | undefined;
  readonly tag?: string | undefined;
  /** Shows only the notes of this day and before; undefined without the timeline. */
  readonly until?: string | undefined;
  /** Shows only this group, top folder or query in full colour. */
  readonly colour?: string | undefined;
  readonly colourBy: 'group' | 'folder' | 'query';
  /** The colour groups of the reader: a note has the colour of the first that matches it. */
  readonly queries: readonly string[];
  readonly sizeBy: 'rank' | 'degree';
  readonly unresolved: boolean;
  /** Shows attachments and bases. */
  readonly files: boolean;
  /** Shows only the notes within `depth` links of the selected one. */
  readonly local: boolean;
  /** 1 to 5. */
  readonly depth: number;
  readonly orphans: boolean;
  /** Shows the notes of very many links. */
  readonly hubs: boolean;
  /** A panel for reading. */
  readonly wide: boolean;
  /** The notes as a list instead of the graph. */
  readonly list: boolean;
  /** What is new in the vault instead of the graph. */
  readonly changes: boolean;
}

export type ViewStore = ReturnType<typeof createViewStore>;

export const FIRST_VIEW: ViewState = Object.freeze({
  ...({ colourBy: 'group', sizeBy: 'rank' } as const),
  queries: [],
  marked: [],
  unresolved: false,
  files: false,
  local: false,
  depth: 1,
  orphans: true,
  hubs: true,
  wide: false,
  list: false,
  changes: false,
});

export function createViewStore() {
  let state = FIRST_VIEW;
  const listeners: ((state: ViewState, changed: ReadonlySet<keyof ViewState>) => void)[] = [];
  return Object.freeze({
    get: () => state,
    set: (change: Partial<ViewState>) => {
      const keys = Object.keys(change) as (keyof ViewState)[];
      const changed = new Set(keys.filter((key) => change[key] !== state[key]));
      if (changed.size === 0) return;
      state = { ...state, ...change };
      for (const hear of listeners) hear(state, changed);
    },
    /** Called after every change with the changed keys. */
    listen: (hear: (state: ViewState, changed: ReadonlySet<keyof ViewState>) => void) => void listeners.push(hear),
  });
}
