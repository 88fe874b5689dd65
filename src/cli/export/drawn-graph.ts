// The graph as somebody looks at it: an SVG drawing, or one HTML page that needs nothing else. Knows no file that it goes to.
import type { GraphPicture } from '../../contracts/graph-picture.ts';
import type { GraphCore } from '../../graph-core.ts';
import { createLayout, enoughSteps } from '../../picture/layout.ts';
import { PALETTES } from '../../picture/palette.ts';
import { seedPlaces } from '../../picture/seed-places.ts';
import { type Shape, shapeOf } from '../../picture/shape.ts';
import { svgOf } from '../../picture/svg.ts';
import { builtPageFiles } from '../view/page-files.ts';
import { htmlOf } from './html-page.ts';
import { noteTexts } from './note-texts.ts';

export type DrawnFormat = 'svg' | 'html';

/** A piece of text at a time. @param withText puts the notes' own text into the page */
export async function* drawnGraph(
  format: DrawnFormat,
  core: GraphCore,
  withText: boolean,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const picture = await core.picture(signal);
  const { shape, places } = laidOut(picture);
  if (format === 'svg') return yield* svgOf(picture, shape, places, PALETTES.light);
  const rounded = Array.from(places, (place) => Math.round(place * 100) / 100);
  const texts = withText ? { texts: await noteTexts(picture, core, signal) } : {};
  yield await htmlOf({ picture, places: rounded, ...texts }, builtPageFiles(import.meta.url));
}

function laidOut(picture: GraphPicture): { readonly shape: Shape; readonly places: Float32Array } {
  const shape = shapeOf(picture);
  const layout = createLayout(shape, seedPlaces(shape));
  layout.advance(enoughSteps(shape));
  return { shape, places: layout.places() };
}
