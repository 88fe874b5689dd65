// The light and dark colours of the graph.

export type Theme = 'light' | 'dark';

export interface Palette {
  readonly paper: string;
  readonly ink: string;
  /** From Paul Tol's schemes, which colour-blind readers can tell apart. */
  readonly groups: readonly string[];
  /** The colour of notes in groups without their own. */
  readonly other: string;
  readonly link: string;
  readonly accent: string;
}

export const PALETTES: Readonly<Record<Theme, Palette>> = Object.freeze({
  light: {
    paper: '#fbfaf7',
    ink: '#23262b',
    groups: ['#3a54b4', '#cc6677', '#44aa99', '#d2b44e', '#b34a8f', '#6fb9de', '#117733', '#882255', '#999933'],
    other: '#a5a39d',
    link: '#c6c2b9',
    accent: '#3b5bdb',
  },
  dark: {
    paper: '#15171c',
    ink: '#e6e4df',
    groups: ['#77aadd', '#ee8866', '#44bb99', '#eedd88', '#ab5cc4', '#99ddff', '#aaaa00', '#ffaabb', '#bbcc33'],
    other: '#6f747e',
    link: '#434956',
    accent: '#8da2fb',
  },
});

/** The largest groups have their own colours, the next ones paler variants, all others one colour. */
export function groupColour(group: number, { groups, other }: Palette): string {
  const paler = groups[group - groups.length];
  return groups[group] ?? (paler === undefined ? other : mixed(paler, other, 0.5));
}

/** The colour of a link; within a group it is tinted with the group's colour. */
export function linkColour(one: number, other: number, palette: Palette): string {
  return one < 0 || one !== other ? palette.link : mixed(groupColour(one, palette), palette.link, 0.4);
}

/** Mixes `share` of the first colour into the second; both `#rrggbb`. */
export function mixed(colour: string, into: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [one, other] = [colour, into].map((text) => Number.parseInt(text.slice(at, at + 2), 16));
    return Math.round((one ?? 0) * share + (other ?? 0) * (1 - share));
  });
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}
