// What every part of the page may use: the vault, the choices, the drawing, and the graph as it is now.

import type { Scene } from './graph/scene.ts';
import type { Themes } from './graph/theme.ts';
import type { Paths } from './panels/paths.ts';
import type { GraphSource } from './source/graph-source.ts';
import type { Model } from './source/model.ts';
import type { ViewStore } from './view-state.ts';

export interface Reading {
  readonly source: GraphSource;
  readonly view: ViewStore;
  readonly scene: Scene;
  readonly themes: Themes;
  readonly paths: Paths;
  /** A note or an unresolved name; undefined for none. */
  choose(key: string | undefined): void;
  /** Undefined until there is a graph. */
  model(): Model | undefined;
}
