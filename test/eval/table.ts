// Formats the figures as Markdown tables, deterministically. Measures nothing.
import type { Row } from './evaluate.ts';

const HEAD = [
  'vault',
  'task',
  'method',
  'n',
  'nDCG@5',
  'nDCG@10',
  'recall@5',
  'MRR',
  'nDCG@5 less the reference',
  'answers shown',
  'tokens',
];

/** The figures over all queries. */
export function tableOf(rows: readonly Row[]): string {
  return table(HEAD, rows.filter(({ queries }) => queries === 'all').map(cellsOf));
}

const KNOWN_HEAD = ['set', 'languages', 'n', 'reference', 'search_text', 'meaning', 'search', 'get_context'];
const SHOWN_HEAD = ['answers in snippets', 'of search', 'in get_context'];
const TIMES_HEAD = ['p50 ms search_text', 'search', 'get_context'];

/** A line for each vault with known items: nDCG@5 of the better reference and of the tools, the answers shown, and the times. */
export function setsOf(rows: readonly Row[]): string {
  const known = rows.filter(({ task, queries }) => task === 'known item' && queries === 'all');
  const lines = [...Map.groupBy(known, ({ vault }) => vault).values()].flatMap((of) =>
    of[0] ? [lineOf(of[0], of)] : [],
  );
  return table([...KNOWN_HEAD, ...SHOWN_HEAD, ...TIMES_HEAD], lines);
}

function lineOf({ vault, notes, languages, n }: Row, rows: readonly Row[]): string[] {
  const of = (method: string) => rows.find((row) => row.method.startsWith(method))?.figures;
  const [text, meaning, both, context] = ['text', 'semantic', 'hybrid', 'context'].map(of);
  const references = rows.filter(({ method }) => method.startsWith('reference'));
  const reference = Math.max(...references.map(({ figures }) => figures?.ndcg5 ?? 0));
  const shown = (value: number | undefined, digits = 3): string => value?.toFixed(digits) ?? '';
  return [
    ...[`${vault} (${notes})`, languages, `${n}`, shown(reference)],
    ...[text, meaning, both, context].map((one) => shown(one?.ndcg5)),
    ...[text, both, context].map((one) => shown(one?.answered)),
    ...[text, both, context].map((one) => shown(one?.p50Ms, 1)),
  ];
}

/** The figures of each half and of each kind, and the median time of a query. */
export function detailsOf(rows: readonly Row[]): string {
  const head = HEAD.toSpliced(3, 0, 'queries');
  const cells = rows.map((row) => [
    ...cellsOf(row).toSpliced(3, 0, row.queries),
    row.figures === undefined ? '' : row.figures.p50Ms.toFixed(1),
  ]);
  return table([...head, 'p50 ms'], cells);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function cellsOf({ vault, notes, task, method, n, figures }: Row): string[] {
  const refused = figures?.refused ? ` (${figures.refused} refused)` : '';
  const head = [`${vault} (${notes})`, task, method, `${n}${refused}`];
  if (figures === undefined) return [...head, 'no provider', ...Array.from({ length: 6 }, () => '')];
  const { ndcg5, ndcg10, recall5, mrr, lead, answered, tokens } = figures;
  return [
    ...head,
    ...[ndcg5, ndcg10, recall5, mrr].map((value) => value.toFixed(3)),
    lead === undefined ? '' : `${signed(lead.mean)} (${lead.interval.map(signed).join(' to ')})`,
    answered === undefined ? '' : answered.toFixed(3),
    tokens === undefined ? '' : `${Math.round(tokens)}`,
  ];
}

function signed(value: number): string {
  const shown = value.toFixed(3);
  return value < 0 ? `−${shown.slice(1)}` : `+${shown}`;
}
