// Separates what was written in a drawing of the Excalidraw plugin from what the plugin writes into each.
import { textAfterProperties } from '../frontmatter/front-matter.ts';

const IS_DRAWING = /^excalidraw-plugin:/m;
const DRAWING_DATA = /^```(?:compressed-)?json\r?\n([^`]*)```/m;
const PLUGIN_LINE =
  /^(?:==⚠.*|You can decompress Drawing data.*|%%|#{1,2} (?:Excalidraw Data|Text Elements|Element Links|Embedded Files|Drawing))[ \t]*\r?$/gm;

/** The text after its front matter; of a drawing without the lines and the data that the plugin writes. */
export function writtenText(text: string): string {
  const body = textAfterProperties(text);
  return isDrawing(text, body) ? body.replace(DRAWING_DATA, '').replace(PLUGIN_LINE, '') : body;
}

/** The data of a drawing as stored; undefined for another note. */
export function drawingData(text: string): string | undefined {
  const body = textAfterProperties(text);
  return isDrawing(text, body) ? DRAWING_DATA.exec(body)?.[1] : undefined;
}

const isDrawing = (text: string, body: string): boolean =>
  IS_DRAWING.test(text.slice(0, text.length - body.length)) || body.trimStart().startsWith('==⚠');
