// The parser of the reference pipeline, in a worker: turns files into rows with the simplest scan that finds links, tags and headings.
import { readFileSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { parse } from 'yaml';

export interface ReferenceNote {
  readonly path: string;
  readonly properties: string;
  readonly body: string;
  readonly headings: readonly string[];
  readonly links: readonly { readonly target: string; readonly line: number }[];
  readonly tags: readonly string[];
}

const LINK = /\[\[([^\]|#]+)|\]\(([^)\s]+)\)/g;
const TAG = /(?:^|\s)#([\p{L}\d/_-]+)/gu;

parentPort?.on('message', ({ folder, paths }: { folder: string; paths: readonly string[] }) => {
  parentPort?.postMessage(paths.map((path) => readNote(folder, path)));
});

function readNote(folder: string, path: string): ReferenceNote {
  const text = readFileSync(`${folder}/${path}`, 'utf8');
  const end = text.startsWith('---\n') ? text.indexOf('\n---\n', 3) : -1;
  const properties: unknown = end < 0 ? {} : parse(text.slice(4, end + 1));
  const body = end < 0 ? text : text.slice(end + 5);
  return { path, properties: JSON.stringify(properties), body, ...scan(body) };
}

function scan(body: string): Pick<ReferenceNote, 'headings' | 'links' | 'tags'> {
  const headings: string[] = [];
  const links: { target: string; line: number }[] = [];
  const tags: string[] = [];
  let fenced = false;
  for (const [line, text] of body.split('\n').entries()) {
    if (text.startsWith('```')) fenced = !fenced;
    if (fenced) continue;
    if (/^#{1,6} /.test(text)) headings.push(text);
    for (const [, wiki, url] of text.matchAll(LINK)) links.push({ target: wiki ?? decodeURI(url ?? ''), line });
    for (const [, tag] of text.matchAll(TAG)) if (tag !== undefined) tags.push(tag);
  }
  return { headings, links, tags };
}
