// Formats the figures as a Markdown table, deterministically. Measures nothing.
import type { Row } from './evaluate.ts';

const HEAD = [
  '| vault | task | method | n | nDCG@10 | recall@20 | MRR | tokens |',
  '|---|---|---|---|---|---|---|---|',
];

export function tableOf(rows: readonly Row[]): string {
  return [...HEAD, ...rows.map(lineOf)].join('\n');
}

function lineOf({ vault, notes, task, method, n, figures }: Row): string {
  const failed = figures?.failed ? ` (${figures.failed} failed)` : '';
  const head = `| ${vault} (${notes}) | ${task} | ${method} | ${n}${failed} |`;
  if (figures === undefined) return `${head} no provider | | | |`;
  const { ndcg10, recall20, mrr, tokens } = figures;
  const shown = [ndcg10, recall20, mrr].map((value) => value.toFixed(3)).join(' | ');
  return `${head} ${shown} | ${tokens === undefined ? '' : Math.round(tokens)} |`;
}
