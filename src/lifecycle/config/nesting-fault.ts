// Refuses nesting so deep that the YAML parser's recursion would end the process. Knows nothing else of YAML.

/** Two hundred of each were measured to parse in milliseconds; a few thousand overflow the stack, where nothing can be caught. */
const MOST_BRACKETS = 200;
const MOST_MARKS_IN_A_LINE = 64;
const MOST_INDENT = 64;

interface NestingFault {
  readonly line: number;
  readonly column: number;
  readonly what: string;
}

/**
 * The first line that nests too deep. Opening brackets are counted over the whole text and never taken back: a closing one may
 * stand in a comment or in quotes, and no config comes near the limit.
 */
export function nestingFault(text: string): NestingFault | undefined {
  let brackets = 0;
  for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
    if (line.trimStart().startsWith('#')) continue;
    brackets += countOf(/[[{]/g, line);
    const what = excess(line, brackets);
    if (what !== undefined) return { line: index + 1, column: 1, what };
  }
  return undefined;
}

function excess(line: string, brackets: number): string | undefined {
  if (brackets > MOST_BRACKETS) return `nested too deep: more than ${MOST_BRACKETS} opening brackets`;
  if (countOf(/[-?:](?=\s|$)/g, line) > MOST_MARKS_IN_A_LINE) return 'nested too deep within one line';
  const indent = line.length - line.trimStart().length;
  const isBlank = indent === line.length;
  return !isBlank && indent > MOST_INDENT ? `indented by more than ${MOST_INDENT} columns` : undefined;
}

function countOf(pattern: RegExp, line: string): number {
  return line.match(pattern)?.length ?? 0;
}
