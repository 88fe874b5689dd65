// Where the notes are drawn: in their places of the whole graph, or laid out around one note.
import type { Reading } from '../reading.ts';
import type { Model } from '../source/model.ts';
import type { ViewState } from '../view-state.ts';
import { localNodes, localPlaces } from './local-graph.ts';
import type { Covered } from './scene.ts';

/** What a local graph depends on. */
const ASKED: readonly (keyof ViewState)[] = ['local', 'depth', 'selected'];

export function createPlacing({ scene, view }: Pick<Reading, 'scene' | 'view'>, covers: () => Covered) {
  let model: Model | undefined;
  let whole: Float32Array = new Float32Array();
  let isLocal = false;
  const place = (): void => {
    const nodes = model && localNodes(model, view.get());
    const wasLocal = isLocal;
    isLocal = nodes !== undefined;
    if (model === undefined || (nodes === undefined && !wasLocal)) return;
    if (nodes === undefined) scene.move(whole);
    else scene.move(localPlaces(model, nodes, whole), nodes);
    const { picture } = model;
    const keys = [...(nodes ?? [])].map((node) => picture.notes[node]?.path ?? '');
    if (nodes === undefined) scene.fit();
    else scene.frame(keys, covers());
  };
  view.listen((_state, changed) => {
    if (ASKED.some((key) => changed.has(key))) place();
  });
  return Object.freeze({
    isLocal: () => isLocal,
    /** In a window of another size. */
    resize: () => {
      if (isLocal) place();
      else scene.move(whole);
    },
    load: (next: Model, places: Float32Array) => {
      [model, whole] = [next, places];
      scene.load(next, places);
      place();
    },
    /** Of the whole graph; a local graph stays as it is. */
    move: (places: Float32Array) => {
      whole = places;
      if (!isLocal) scene.move(places);
    },
  });
}
