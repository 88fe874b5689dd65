// Prints how well notes are ranked on the vaults whose folders are given: `node test/eval/eval.ts FOLDER …`.
import { basename } from 'node:path';
import type { Measures } from './ranking-measures.ts';
import { evaluateRelated } from './related.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const shown = ({ ndcg10, recall20, mrr }: Measures): string =>
  [ndcg10, recall20, mrr].map((value) => value.toFixed(3)).join(' | ');

print('| vault | notes | queries | ranking | nDCG@10 | recall@20 | MRR |');
print('|---|---|---|---|---|---|---|');
for (const folder of process.argv.slice(2)) {
  const { notes, queries, find_related, bm25 } = await evaluateRelated(folder);
  const head = `| ${basename(folder)} | ${notes} | ${queries}`;
  print(`${head} | find_related | ${shown(find_related)} |`);
  print(`${head} | plain BM25 | ${shown(bm25)} |`);
}
