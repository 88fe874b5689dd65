// Where the notes are drawn: in their places of the whole graph, or laid out around one note.
import type { Reading } from '../reading.ts';
import type { Model } from '../source/model.ts';
import type { ViewState } from '../view-state.ts';
import { localNodes, localPlaces } from './local-graph.ts';

/** What a local graph depends on. */
const ASKED: readonly (keyof ViewState)[] = ['local', 'depth', 'selected'];

interface LocalGraph {
  readonly nodes: ReadonlySet<number>;
  /** Undefined until they are laid out. */
  places?: Float32Array;
}

export function createPlacing({ scene, view }: Pick<Reading, 'scene' | 'view'>) {
  let model: Model | undefined;
  let whole: Float32Array = new Float32Array();
  let local: LocalGraph | undefined;
  const place = (): void => {
    const nodes = model && localNodes(model, view.get());
    const wasLocal = local !== undefined;
    local = nodes && { nodes };
    if (model !== undefined && local !== undefined) void placeLocal(model, local);
    else if (wasLocal) {
      scene.move(whole);
      scene.camera.fit();
    }
  };
  const placeLocal = async (of: Model, mine: LocalGraph): Promise<void> => {
    const places = await localPlaces(of, mine.nodes, whole, () => local === mine);
    if (local !== mine) return;
    local.places = places;
    scene.move(places, mine.nodes);
    const keys = [...mine.nodes].map((node) => of.picture.notes[node]?.path ?? '');
    scene.camera.frame(keys);
  };
  view.listen((_state, changed) => {
    if (ASKED.some((key) => changed.has(key))) place();
  });
  return Object.freeze({
    isLocal: () => local !== undefined,
    /** In a window of another size. */
    resize: () => {
      if (local?.places === undefined) scene.move(whole);
      else scene.move(local.places, local.nodes);
    },
    load: (next: Model, places: Float32Array) => {
      [model, whole, local] = [next, places, undefined];
      scene.load(next, places);
      place();
    },
    /** Moves the whole graph; a local graph stays as it is. */
    move: (places: Float32Array) => {
      whole = places;
      if (local === undefined) scene.move(places);
    },
  });
}
