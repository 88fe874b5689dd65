// `vaultgraph search`: finds notes with the tool search where a model is configured, else with search_text.
import { plural } from '../../base/errors.ts';
import { oneLine } from '../../base/visible-controls.ts';
import { type PlainObject, renderText } from '../../mcp/render/render-text.ts';
import { callTool } from '../call-command.ts';
import type { CommonOptions } from '../common-options.ts';
import { print, styled } from '../output.ts';
import { MAX_HITS } from '../usage.ts';
import { placeText, shownBy } from './answer.ts';

export interface SearchOptions extends CommonOptions {
  readonly limit?: number;
  readonly folder?: string;
  readonly tag?: readonly string[];
  readonly where?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly match?: string;
}

const WRITTEN = {
  query: 'WORDS',
  limit: '--limit',
  folder: '--folder',
  tags: '--tag',
  where: '--where',
  since: '--since',
  until: '--until',
  match: '--match',
};

export function runSearch(words: readonly string[], options: SearchOptions): Promise<number> {
  const { limit, folder, tag: tags, where, since, until, match } = options;
  const query = words.join(' ');
  const entries = Object.entries({ query, limit, folder, tags, where, since, until, match });
  const input = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  const manner = { command: 'search', written: WRITTEN, print: (data: PlainObject) => print(hitsText(data, query)) };
  return callTool({ tools: ['search', 'search_text'], input, ...shownBy(manner, options) }, options);
}

interface Hit {
  readonly vault?: string;
  readonly path: string;
  readonly title: string;
  readonly lines?: readonly [number, number];
  readonly ref?: string;
  readonly snippet?: string;
}

function hitsText(data: PlainObject, query: string): string {
  const {
    hits: rawHits,
    total,
    next_cursor: next,
    merged: _merged,
    vaults: _vaults,
    templates_left_out: _out,
    ...about
  } = data;
  const hits = rawHits as unknown as readonly Hit[];
  const facts = Object.keys(about).length === 0 ? '' : `${renderText(about)}\n`;
  return `${hits.map(hitText).join('')}${facts}${summaryText({ shown: hits.length, total: total as number | undefined, query, isMore: next !== undefined })}\n`;
}

/** The first line is a name that `read` takes. */
function hitText({ vault, path, title, lines, ref, snippet }: Hit): string {
  const place = ref === undefined ? placeText(path, lines) : oneLine(ref);
  const name = `${vault === undefined ? '' : `${vault}:`}${place}`;
  const isNamed = path.slice(path.lastIndexOf('/') + 1).startsWith(title);
  const head = `${styled('bold', name, 'stdout')}${isNamed ? '' : `  ${oneLine(title)}`}`;
  return `${head}\n${snippet === undefined ? '' : `  ${snippet.replaceAll(/\s+/g, ' ')}\n`}\n`;
}

interface Summary {
  readonly shown: number;
  /** Not known of a search by meaning. */
  readonly total: number | undefined;
  readonly query: string;
  readonly isMore: boolean;
}

function summaryText({ shown, total, query, isMore }: Summary): string {
  if (shown === 0) return `No note matches ${JSON.stringify(query)}.`;
  if (!isMore) return `${plural(shown, 'note')}.`;
  const limit = Math.min(total ?? 2 * shown, MAX_HITS);
  const head =
    total === undefined ? `The first ${plural(shown, 'note')}` : `The first ${shown} of ${plural(total, 'note')}`;
  return `${head}${limit > shown ? `; --limit ${limit} shows more` : ''}.`;
}
