// Locates the strings of a canvas's nodes in its JSON, so that what is found in them has a position in the file.
import { isBlankOrLineEnd } from './characters.ts';
import type { TextRun } from './text-run.ts';

/** Offsets of a JSON string, including its quotes. */
export interface StringSpan {
  readonly from: number;
  readonly to: number;
}

const NODES = 'nodes';
/** The root object, the list of nodes, a node. */
const NODE_DEPTH = 3;

/** The string values of each node by property name, in the order of the nodes. `json` must be valid. */
export function locateNodeStrings(json: string): Map<string, StringSpan>[] {
  const scanner = new NodeScanner(json);
  scanner.scan();
  return scanner.nodes;
}

class NodeScanner {
  readonly nodes: Map<string, StringSpan>[] = [];
  readonly #json: string;
  #depth = 0;
  #rootName = '';
  /** The name of the property whose value comes next. */
  #name: string | undefined;

  constructor(json: string) {
    this.#json = json;
  }

  scan(): void {
    let at = 0;
    while (at < this.#json.length) at = this.#step(at);
  }

  #step(at: number): number {
    switch (this.#json.charAt(at)) {
      case '"':
        return this.#string(at);
      case '{':
      case '[':
        this.#enter();
        break;
      case '}':
      case ']':
        this.#depth -= 1;
        break;
      case ',':
        this.#name = undefined;
    }
    return at + 1;
  }

  #enter(): void {
    this.#depth += 1;
    this.#name = undefined;
    if (this.#depth === NODE_DEPTH && this.#rootName === NODES) this.nodes.push(new Map());
  }

  #string(from: number): number {
    const to = stringEnd(this.#json, from);
    if (this.#depth === 1 || this.#depth === NODE_DEPTH) {
      if (isName(this.#json, to)) this.#meetName(String(JSON.parse(this.#json.slice(from, to))));
      else this.#meetValue({ from, to });
    }
    return to;
  }

  #meetName(name: string): void {
    this.#name = name;
    if (this.#depth === 1) this.#rootName = name;
  }

  #meetValue(span: StringSpan): void {
    const node = this.nodes[this.nodes.length - 1];
    const inNode = this.#depth === NODE_DEPTH && this.#rootName === NODES;
    if (inNode && node !== undefined && this.#name !== undefined) node.set(this.#name, span);
  }
}

function stringEnd(json: string, from: number): number {
  let at = from + 1;
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}

function isName(json: string, behind: number): boolean {
  let at = behind;
  while (isBlankOrLineEnd(json.charCodeAt(at))) at += 1;
  return json.charAt(at) === ':';
}

/** The decoded text of a JSON string, with the position of each character in the file. */
export function runOfString(json: string, { from, to }: StringSpan): TextRun {
  const start = from + 1;
  const raw = json.slice(start, to - 1);
  const pieces = [{ at: 0, offset: start }];
  let text = '';
  let at = 0;
  for (const { index, 0: sequence } of raw.matchAll(/\\(?:u[\da-f]{4}|.)/gi)) {
    text += raw.slice(at, index) + String(JSON.parse(`"${sequence}"`));
    at = index + sequence.length;
    pieces.push({ at: text.length, offset: start + at });
  }
  return { text: text + raw.slice(at), pieces };
}
