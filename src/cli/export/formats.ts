// Serializes the whole graph for other programs, one piece of text at a time.
import { type GraphNote, graphOf } from './exported-graph.ts';

type Format = (notes: AsyncIterable<GraphNote>) => AsyncIterable<string>;

/** Formats by the name that `--format` takes. */
export const FORMATS: Readonly<Record<'jsonl' | 'json' | 'graphml' | 'csv' | 'dot', Format>> = Object.freeze({
  jsonl,
  json,
  graphml,
  csv,
  dot,
});

/** One line per note, with all its fields. */
async function* jsonl(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  for await (const note of notes) yield `${JSON.stringify(note)}\n`;
}

/** One object of nodes and edges. */
async function* json(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  let open = '{"nodes":[';
  let before = '';
  for await (const part of graphOf(notes)) {
    if ('edge' in part && open !== '"edges":[') {
      yield before === '' ? `${open}],` : '\n],';
      [open, before] = ['"edges":[', ''];
    }
    yield `${before === '' ? open : before}\n${JSON.stringify('node' in part ? part.node : part.edge)}`;
    before = ',';
  }
  const isEmpty = before === '';
  const hasEdges = open === '"edges":[';
  yield `${isEmpty ? open : '\n'}]${hasEdges ? '' : ',"edges":[]'}}\n`;
}

const GRAPHML_HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="title" for="node" attr.name="title" attr.type="string"/>
<key id="kind" for="node" attr.name="kind" attr.type="string"/>
<key id="tags" for="node" attr.name="tags" attr.type="string"/>
<key id="link" for="edge" attr.name="kind" attr.type="string"/>
<key id="line" for="edge" attr.name="line" attr.type="int"/>
<graph edgedefault="directed">
`;

async function* graphml(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  yield GRAPHML_HEAD;
  for await (const part of graphOf(notes)) {
    if ('node' in part) {
      const { path, title, kind, tags } = part.node;
      const data = `${datum('title', title)}${datum('kind', kind)}${tags.length === 0 ? '' : datum('tags', tags.join(' '))}`;
      yield `<node id="${xml(path)}">${data}</node>\n`;
    } else {
      const { source, target, kind, line } = part.edge;
      const data = `${datum('link', kind)}${datum('line', String(line))}`;
      yield `<edge source="${xml(source)}" target="${xml(target)}">${data}</edge>\n`;
    }
  }
  yield '</graph>\n</graphml>\n';
}

const datum = (key: string, value: string): string => `<data key="${key}">${xml(value)}</data>`;

const XML_NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' };
/** XML 1.0 cannot represent most control characters or lone surrogates. */
function xml(text: string): string {
  const writable = text.toWellFormed().replaceAll(/[^\P{Cc}\t\n\r]|[\ufffe\uffff]/gu, '\ufffd');
  return writable
    .replaceAll(/[&<>"]/g, (character) => `&${XML_NAMES[character]};`)
    .replaceAll(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** One row per link; unresolved links have an empty target. */
async function* csv(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  yield 'source,target,kind,line,link,display\r\n';
  for await (const { path: source, links } of notes) {
    for (const { path, kind, line, link, display } of links)
      yield `${[source, path ?? '', kind, String(line), link, display].map(cell).join(',')}\r\n`;
  }
}

const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

async function* dot(notes: AsyncIterable<GraphNote>): AsyncGenerator<string> {
  yield 'digraph vault {\n';
  for await (const part of graphOf(notes)) {
    if ('node' in part) yield `  ${quoted(part.node.path)} [label=${quoted(part.node.title)}];\n`;
    else yield `  ${quoted(part.edge.source)} -> ${quoted(part.edge.target)};\n`;
  }
  yield '}\n';
}

/** In DOT a backslash begins an escape in labels, so each is doubled. */
const quoted = (text: string): string =>
  `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\r\n\0]/g, ' ')}"`;
