// Warns about parts of a query that look like operators of other search engines, and about words that were left out.
import type { TextQuery } from '../../contracts/text-query.ts';
import type { CallContext } from '../../contracts/tool.ts';
import type { LeftOutTerms } from './distinctive-terms.ts';

/** Signs of operators that do not exist here, and what to write instead. */
const OPERATORS: readonly { readonly sign: RegExp; readonly advice: string }[] = [
  { sign: /^\/.+\/[dgimsuvy]*$/s, advice: 'regular expressions are not supported; use words, "a phrase" or prefix*' },
  { sign: /(?:^|\s)AND(?=\s)/, advice: 'for notes with every word use match: "all"' },
  { sign: /(?:^|\s)OR(?=\s)/, advice: 'with match: "any" words are alternatives already' },
  { sign: /(?:^|\s)NOT(?=\s)/, advice: 'to exclude a word write -word' },
  { sign: /(?:^|\s)-?tags?:#?[^\s:]\S*/i, advice: 'to filter by tag use the argument tags' },
  { sign: /(?:^|\s)-?(?:path|folder|file):[^\s:]\S*/i, advice: 'to filter by folder use the argument folder' },
  { sign: /(?:^|\s)-?title:[^\s:]\S*/i, advice: 'a note whose name equals the query comes first; leave title: out' },
];

/** @param written the query as the caller wrote it, with a word at least */
export function warnOfForeignSyntax(written: string, call: CallContext): void {
  // Without phrases, which are searched as they are.
  const text = written.trim().replace(/(^|\s)-?"[^"]*"/g, '$1');
  for (const { sign, advice } of OPERATORS) {
    const found = sign.exec(text)?.[0].trim().slice(0, 40);
    if (found === undefined) continue;
    call.warn({ code: 'TAKEN_LITERALLY', message: `${JSON.stringify(found)} was searched as text: ${advice}` });
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
