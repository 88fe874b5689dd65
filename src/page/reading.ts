// What every part of the page may use: the vault, the choices, the drawing, and the graph as it is now. Knows no part.
import type { GraphSource } from './graph-source.ts';
import type { Model } from './model.ts';
import type { Paths } from './paths.ts';
import type { Scene } from './scene.ts';
import type { Themes } from './theme.ts';
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
