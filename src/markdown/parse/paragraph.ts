// Collects the lines of a paragraph and extracts its definitions, block id and text.
import type { Container, OpenBlock, Structure } from './containers.ts';
import { blockIdAt } from './line-marks.ts';
import { type Definition, definitionIn } from './markdown-link.ts';

/** One line of a paragraph, without its indentation; the line is 1-based, the offsets are in the file. */
export interface Span {
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

export interface Paragraph {
  readonly kind: 'paragraph';
  readonly spans: Span[];
  /** The block that ended just before the paragraph. */
  readonly previous: Structure | undefined;
  /** Whether it is the first block in its list item. */
  readonly first: boolean;
}

/** Starts a paragraph in `container`, and marks the container as not empty. */
export function startParagraph(container: Container, span: Span): Paragraph {
  const { structure: previous, empty: first } = container;
  container.structure = undefined;
  container.empty = false;
  return { kind: 'paragraph', spans: [span], previous, first };
}

/** The definitions that the paragraph starts with, and the lines after them. */
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

/**
 * The block that a ` ^id` at the end of the paragraph names: its list item, the paragraph itself or, if the id is
 * alone, the block before it.
 */
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
