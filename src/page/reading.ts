// The context shared by the parts of the page: data source, view state, drawing and current graph.
import type { Scene } from './graph/scene.ts';
import type { Themes } from './graph/theme.ts';
import type { Notice } from './panels/notice.ts';
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
  readonly notice: Notice;
  /** Selects a note or an unresolved name; undefined for none. @param subpath `#Heading` to show */
  choose(key: string | undefined, subpath?: string): void;
  /** Undefined until there is a graph. */
  model(): Model | undefined;
}
