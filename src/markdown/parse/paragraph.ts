// A paragraph while its lines come in, and what it leaves behind: definitions, a named block, running text.
import type { Container, OpenBlock, Structure } from './containers.ts';
import { blockIdAt } from './line-marks.ts';
import { type Definition, definitionIn } from './markdown-link.ts';

/** One line of a paragraph, without its indent: line from 1, offsets in the file. */
export interface Span {
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

export interface Paragraph {
  readonly kind: 'paragraph';
  readonly spans: Span[];
  /** What ended just before it began. */
  readonly previous: Structure | undefined;
  /** Whether it is the first thing in its list item. */
  readonly first: boolean;
}

/** Opens a paragraph in `container`, which from now on is not empty and has this after whatever ended in it. */
export function startParagraph(container: Container, span: Span): Paragraph {
  const { structure: previous, empty: first } = container;
  container.structure = undefined;
  container.empty = false;
  return { kind: 'paragraph', spans: [span], previous, first };
}

/** The definitions that the paragraph begins with; its text is what comes behind them. */
export function takeDefinitions(
  text: string,
  spans: readonly Span[],
): { definitions: Definition[]; rest: readonly Span[] } {
  const definitions: Definition[] = [];
  for (const span of spans) {
    const definition = text.charAt(span.from) === '[' ? definitionIn(text.slice(span.from, span.to)) : undefined;
    if (definition === undefined) break;
    definitions.push(definition);
  }
  return { definitions, rest: definitions.length === 0 ? spans : spans.slice(definitions.length) };
}

/** The block that a ` ^id` at the paragraph's end names: its item, itself or, from a line of its own, what came before. */
export function namedBlock(text: string, paragraph: Paragraph, container: Container): OpenBlock | undefined {
  const first = paragraph.spans[0];
  const last = paragraph.spans[paragraph.spans.length - 1];
  const named = last === undefined ? undefined : blockIdAt(text, last.from, last.to);
  if (first === undefined || last === undefined || named === undefined) return undefined;
  const { id } = named;
  if (named.alone && first === last) {
    return paragraph.previous && { id, line: paragraph.previous.line, endLine: paragraph.previous.endLine };
  }
  if (!paragraph.first) return { id, line: first.line, endLine: last.line };
  container.block = { id, line: container.line, endLine: last.line };
  return container.block;
}
