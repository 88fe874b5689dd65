// The whole graph in one of the formats there are, whoever asks for it. Knows no place that it goes to.
import type { GraphCore } from '../../graph-core.ts';
import { drawnGraph } from './drawn-graph.ts';
import type { GraphNote } from './exported-graph.ts';
import { FORMATS } from './formats.ts';

export const FORMAT_NAMES = ['jsonl', 'json', 'graphml', 'csv', 'dot', 'svg', 'html'] as const;
export type FormatName = (typeof FORMAT_NAMES)[number];

/** A piece of text at a time. @param withText only `html` has a place for it */
export function writtenGraph(
  format: FormatName,
  core: GraphCore,
  signal: AbortSignal,
  withText = false,
): AsyncIterable<string> {
  if (format === 'svg' || format === 'html') return drawnGraph(format, core, withText, signal);
  return FORMATS[format](core.exportedNotes(signal) as AsyncIterable<GraphNote>);
}
