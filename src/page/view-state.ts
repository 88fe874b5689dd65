// What the reader has chosen to see. Whoever shows it is told of every change.

export interface ViewState {
  /** A path, or `?name` for a name that no note has. */
  readonly selected?: string | undefined;
  /** Where the arrow keys are among the neighbours of what is selected. */
  readonly cursor?: string | undefined;
  readonly hovered?: string | undefined;
  /** Drawn as a chain. */
  readonly chain?: readonly string[] | undefined;
  /** The next note that is chosen ends a path that begins here. */
  readonly pathFrom?: string | undefined;
  readonly folder?: string | undefined;
  readonly tag?: string | undefined;
  /** Only this group, or this top folder, in full colour. */
  readonly colour?: string | undefined;
  readonly colourBy: 'group' | 'folder';
  readonly sizeBy: 'rank' | 'degree';
  readonly unresolved: boolean;
  readonly orphans: boolean;
}

export interface ViewStore {
  get(): ViewState;
  set(change: Partial<ViewState>): void;
  /** Called after every change, with what has changed. */
  listen(hear: (state: ViewState, changed: ReadonlySet<keyof ViewState>) => void): void;
}

const FIRST: ViewState = { colourBy: 'group', sizeBy: 'rank', unresolved: false, orphans: true };

export function createViewStore(): ViewStore {
  let state = FIRST;
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
    listen: (hear: (state: ViewState, changed: ReadonlySet<keyof ViewState>) => void) => void listeners.push(hear),
  });
}
