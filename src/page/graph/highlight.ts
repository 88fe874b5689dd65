// Decides which notes the hover, the selection, the search and the filters highlight; the others are faded.
import { type Model, topFolder } from '../source/model.ts';
import { unresolvedOf } from '../source/unresolved.ts';
import type { ViewState } from '../view-state.ts';

/** Undefined if all notes are highlighted. */
export function litNodes(model: Model, state: ViewState): ReadonlySet<number> | undefined {
  if (state.chain !== undefined) return new Set(state.chain.flatMap((path) => model.nodes.get(path) ?? []));
  const pointed = state.hovered ?? state.selected;
  if (pointed !== undefined) return aroundOf(model, pointed);
  return state.colour === undefined ? undefined : ofColour(model, state.colour, state.colourBy);
}

function aroundOf({ nodes, around, picture }: Model, key: string): ReadonlySet<number> | undefined {
  const node = nodes.get(key);
  if (node !== undefined) return new Set([node, ...(around[node] ?? [])]);
  const name = unresolvedOf(picture, key);
  return name === undefined ? undefined : new Set(name.sources);
}

function ofColour(model: Model, colour: string, by: ViewState['colourBy']): ReadonlySet<number> {
  const { notes } = model.picture;
  const isOf =
    by === 'group'
      ? (node: number) => notes[node]?.group === Number(colour)
      : (node: number) => topFolder(notes[node]?.path ?? '') === colour;
  return new Set([...notes.keys()].filter(isOf));
}
