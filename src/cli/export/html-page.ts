// The graph page in one file: style, script and data within it, and leave for nothing else. Knows no vault.
import { createHash } from 'node:crypto';
import type { EmbeddedGraph } from '../../picture/embedded-graph.ts';
import type { PageFiles } from '../view/page-files.ts';

/** As `page.html` names them. */
const STYLE_TAG = '<link rel="stylesheet" href="page.css">';
const SCRIPT_TAG = '<script src="page.js"></script>';

export async function htmlOf(graph: EmbeddedGraph, files: PageFiles): Promise<string> {
  const [page, style, script] = await Promise.all([
    files.read('page.html'),
    files.read('page.css'),
    files.read('page.js'),
  ]);
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const data = `<script type="application/json" id="graph-data">${jsonWithin(graph)}</script>`;
  // By functions, for what is put in may hold what `replace` has a meaning for.
  return page
    .replace(
      '<meta charset="utf-8">',
      (tag) => `${tag}\n<meta http-equiv="content-security-policy" content="${policy}">`,
    )
    .replace(STYLE_TAG, () => `<style>${style}</style>`)
    .replace(SCRIPT_TAG, () => `${data}\n<script>${script}</script>`);
}

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** No text of a note can end the element that holds it. */
const jsonWithin = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c');
