// Reads a note with remark-parse 8 in CommonMark mode, whose rules are those that Obsidian's cache shows.
import remark from 'remark-parse';
import { tagNameEnd } from '../../../src/markdown/parse/tag.ts';

/** Each list holds lines such as `3 [[Link]]`, in the order of the text. */
export interface Found {
  readonly headings: string[];
  readonly links: string[];
  readonly tags: string[];
  /** Lines of code blocks that are not blank. */
  readonly code: number[];
  readonly tasks: string[];
}

interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly value?: string;
  readonly url?: string;
  readonly identifier?: string;
  readonly depth?: number;
  readonly checked?: boolean | null;
  readonly position: { readonly start: { readonly line: number }; readonly end: { readonly line: number } };
}

type Tokenizer = ((eat: (value: string) => (node: object) => unknown, value: string) => unknown) & {
  locator?: (value: string, from: number) => number;
};

interface Reader {
  new (text: string, file: object): { parse(): Node };
  readonly prototype: { inlineTokenizers: Record<string, Tokenizer>; inlineMethods: string[] };
}

const WIKILINK = /^!?\[\[((?:(?!\[\[|\]\])[^\n])*)\]\]/;

/** Obsidian's own: `[[link]]` and `![[embed]]`. */
const readWikilink: Tokenizer = (eat, value) => {
  const found = WIKILINK.exec(value);
  if (found === null) return;
  eat(found[0])({ type: 'wikilink', url: found[1]?.replace(/(?<=.)\\?\|.*/, '').trim(), value: found[0] });
};
readWikilink.locator = (value, from) => {
  const at = value.indexOf('[[', from);
  return at > from && value.charAt(at - 1) === '!' ? at - 1 : at;
};

const Obsidian = reader();

function reader(): Reader {
  const settings = { commonmark: true, gfm: true };
  const processor = { data: () => settings } as unknown as { Parser: Reader };
  (remark as unknown as (this: object) => void).call(processor);
  const { prototype } = processor.Parser;
  prototype.inlineTokenizers = { ...prototype.inlineTokenizers, wikilink: readWikilink };
  // A bare address ends before a link of Obsidian's.
  const methods = prototype.inlineMethods.filter((name) => !['escape', 'url', 'email'].includes(name));
  prototype.inlineMethods = ['escape', 'wikilink', ...methods];
  return processor.Parser;
}

export function readWithRemark(text: string): Found {
  const fail = (reason: Error): never => {
    throw reason;
  };
  const file = { toString: () => text, message: () => undefined, fail };
  const tree = new Obsidian(text, file).parse();
  const found: Found = { headings: [], links: [], tags: [], code: [], tasks: [] };
  visit(tree, 0, { lines: text.split('\n'), found, defined: definitionsIn(tree, new Map()) });
  found.code.sort((one, other) => one - other);
  return found;
}

function definitionsIn(node: Node, defined: Map<string, string>): Map<string, string> {
  if (node.type === 'definition' && !defined.has(node.identifier ?? ''))
    defined.set(node.identifier ?? '', node.url ?? '');
  for (const child of node.children ?? []) definitionsIn(child, defined);
  return defined;
}

interface Visit {
  readonly lines: readonly string[];
  readonly found: Found;
  readonly defined: ReadonlyMap<string, string>;
}

function visit(node: Node, depth: number, all: Visit): void {
  const { line } = node.position.start;
  const { found, defined } = all;
  const url = node.url ?? defined.get(node.identifier ?? '');
  if (node.type === 'heading' && depth === 1) found.headings.push(`${line} ${node.depth}`);
  if (node.type === 'wikilink') addLink(found, line, node.value?.startsWith('!') === true, url);
  if (/^(?:link|image)(?:Reference)?$/.test(node.type) && !/^<*[a-z][a-z\d+.-]*:/i.test(url ?? ''))
    addLink(found, line, node.type === 'image', decoded(url ?? ''));
  if (node.type === 'listItem' && typeof node.checked === 'boolean') found.tasks.push(`${line} ${node.checked}`);
  if (node.type === 'code') addCode(node, all);
  if (node.type === 'text') addTags(node.value ?? '', line, found);
  for (const child of node.children ?? []) visit(child, depth + 1, all);
}

function addLink({ links }: Found, line: number, isEmbed: boolean, url: string | undefined): void {
  if (url) links.push(`${line} ${isEmbed ? '!' : ''}${url}`);
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}

function addCode({ position: { start, end } }: Node, { lines, found }: Visit): void {
  for (let at = start.line; at <= end.line; at += 1) if (lines[at - 1]?.trim()) found.code.push(at);
}

function addTags(text: string, line: number, { tags }: Found): void {
  for (const { index } of text.matchAll(/(?<=^|\s)#/g)) {
    const end = tagNameEnd(text, index);
    if (end > 0) tags.push(`${line + text.slice(0, index).split('\n').length - 1} ${text.slice(index, end)}`);
  }
}
