// Keeps the view in the address, so that reload, Back and Forward work. Only the part after `#` changes, which no server sees.
import { MAX_DEPTH } from './graph/local-graph.ts';
import { FIRST_VIEW, type ViewState, type ViewStore } from './view-state.ts';

/** The parts of the view that the address names. */
const WORDS = ['selected', 'subpath', 'folder', 'tag', 'until', 'colour', 'colourBy', 'sizeBy'] as const;
const LISTS = ['chain', 'marked', 'queries'] as const;
const SWITCHES = ['unresolved', 'files', 'orphans', 'hubs', 'local', 'wide', 'list', 'changes'] as const;
/** A change of these is a step that Back undoes; any other replaces the address. */
const STEPS: readonly (keyof ViewState)[] = ['selected', 'subpath', 'chain', 'marked', 'local', 'list', 'changes'];
/** What is new, by a name that is easily written. */
const TIMELINE = '#/timeline';
/** The words that are not free text. */
const CHOICES = { colourBy: ['group', 'folder', 'query'], sizeBy: ['rank', 'degree'] };

export function addressOf(state: ViewState): string {
  const named = new URLSearchParams();
  for (const key of WORDS) if (state[key] !== undefined && state[key] !== FIRST_VIEW[key]) named.set(key, state[key]);
  for (const key of SWITCHES) if (state[key] !== FIRST_VIEW[key]) named.set(key, state[key] ? '1' : '0');
  if (state.depth !== FIRST_VIEW.depth) named.set('depth', String(state.depth));
  for (const key of LISTS) for (const word of state[key] ?? []) named.append(key, word);
  return `#${named}`;
}

/** The view that an address names; what it leaves out is as at first. */
export function viewOf(hash: string): Partial<ViewState> {
  const named = new URLSearchParams(hash === TIMELINE ? 'changes=1' : hash.replace(/^#/, ''));
  const words = WORDS.map((key) => [key, allowed(key, named.get(key)) ?? FIRST_VIEW[key]]);
  const switches = SWITCHES.map((key) => [key, named.has(key) ? named.get(key) === '1' : FIRST_VIEW[key]]);
  const lists = LISTS.map((key) => [key, named.has(key) ? named.getAll(key) : FIRST_VIEW[key]]);
  return { ...Object.fromEntries([...words, ...switches, ...lists]), depth: depthOf(named) };
}

function depthOf(named: URLSearchParams): number {
  const depth = Number(named.get('depth') ?? FIRST_VIEW.depth);
  return Number.isInteger(depth) ? Math.min(MAX_DEPTH, Math.max(1, depth)) : FIRST_VIEW.depth;
}

function allowed(key: string, value: string | null): string | undefined {
  const choices = Object.hasOwn(CHOICES, key) ? CHOICES[key as keyof typeof CHOICES] : undefined;
  return value === null || choices?.includes(value) === false ? undefined : value;
}

/** @param show called with the view of the address that Back or Forward leads to */
export function followAddress(view: ViewStore, show: (state: Partial<ViewState>) => void): void {
  let isReading = false;
  view.listen((state, changed) => {
    const address = addressOf(state);
    if (isReading || address === (location.hash || '#')) return;
    if (STEPS.some((key) => changed.has(key))) history.pushState(null, '', address);
    else history.replaceState(null, '', address);
  });
  addEventListener('popstate', () => {
    isReading = true;
    show(viewOf(location.hash));
    isReading = false;
  });
}

/** @param vault the name of the vault's folder. @param subpath `#Heading`, or empty */
export function obsidianAddress(vault: string, path: string, subpath = ''): string {
  return `obsidian://open?vault=${encodeURIComponent(vault)}&file=${encodeURIComponent(path + subpath)}`;
}
