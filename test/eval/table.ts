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
