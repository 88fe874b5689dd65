// Warns about parts of a query that look like operators of other search engines, and about words that were left out.
import type { TextQuery } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { LeftOutTerms } from './distinctive-terms.ts';
import { operatorsIn } from './text-query.ts';

/** Signs of operators that do not exist here, and what to write instead. */
const OPERATORS: readonly { readonly sign: RegExp; readonly advice: string }[] = [
  { sign: /^\/.+\/[dgimsuvy]*$/s, advice: 'regular expressions are not supported; use words, "a phrase" or prefix*' },
  { sign: /(?:^|\s)AND(?=\s)/, advice: 'for notes with every word use match: "all"' },
  { sign: /(?:^|\s)OR(?=\s)/, advice: 'with match: "any" words are alternatives already' },
  { sign: /(?:^|\s)NOT(?=\s)/, advice: 'to exclude a word write -word' },
];

const MAX_OPERATORS = 5;
const FOLDER = 'to filter by folder use the argument folder';
const TAG = 'to filter by tag use the argument tags';
const TASK = 'tasks are listed by list_tasks';
/** By the operator of Obsidian's search. */
const ADVICE: Readonly<Record<string, string>> = {
  path: FOLDER,
  folder: FOLDER,
  file: 'a note whose name equals the query comes first',
  title: 'a note whose name equals the query comes first',
  tag: TAG,
  tags: TAG,
  task: TASK,
  'task-todo': TASK,
  'task-done': TASK,
  line: 'words are looked for in whole notes; words in double quotes must be next to each other',
};

/** @param written the query as the caller wrote it, with a word at least */
export function warnOfForeignSyntax(written: string, call: CallContext): void {
  // Without phrases, which are searched as they are.
  const text = written.trim().replace(/(^|\s)-?"[^"]*"/g, '$1');
  for (const { sign, advice } of OPERATORS) {
    const match = sign.exec(text)?.[0].trim().slice(0, 40);
    if (match === undefined) continue;
    call.warn({ code: 'TAKEN_LITERALLY', message: `${JSON.stringify(match)} was searched as text: ${advice}` });
  }
  for (const { written: operator, name, value, negated } of operatorsIn(written).slice(0, MAX_OPERATORS)) {
    const taken = negated ? 'was left out' : `was searched as ${JSON.stringify(value.slice(0, 40))} alone`;
    const message = `${JSON.stringify(operator.slice(0, 40))} ${taken}: ${ADVICE[name] ?? ADVICE.line}`;
    call.warn({ code: 'TAKEN_LITERALLY', message });
  }
  if (/(?:^|\s)-?"/.test(text)) {
    call.warn({
      code: 'TAKEN_LITERALLY',
      message: 'a quote is not closed, so the words after it were searched one by one',
    });
  }
}

export function warnOfLeftOut(leftOut: LeftOutTerms | undefined, match: TextQuery['match'], call: CallContext): void {
  if (leftOut === undefined) return;
  const { count } = leftOut;
  const required = match === 'all' ? ', so they were not required' : '';
  const message = `the query is long: its most distinctive words were searched and ${count} others left out${required}`;
  call.warn({ code: 'TRUNCATED', message, count });
}
