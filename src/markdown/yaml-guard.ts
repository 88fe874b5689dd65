// Refuses front matter that would drive a YAML parser too deep or too far. Knows nothing of what it says.

/** Real notes reach 7.5 kB, 5 open brackets and 20 columns of indent. */
const MOST_CHARACTERS = 64 * 1024;
const MOST_OPEN = 64;
const MOST_INDENT = 256;

export interface YamlFault {
  /** Where in the source. */
  readonly offset: number;
  readonly reason: string;
}

/** The first thing in `source` that is beyond what is parsed. Brackets inside quotes count too: the check stays one plain pass. */
export function yamlExcess(source: string): YamlFault | undefined {
  if (source.length > MOST_CHARACTERS) return { offset: 0, reason: `longer than ${MOST_CHARACTERS} characters` };
  return bracketExcess(source) ?? indentExcess(source);
}

function bracketExcess(source: string): YamlFault | undefined {
  let open = 0;
  for (let at = 0; at < source.length; at += 1) {
    const sign = source.charAt(at);
    if (sign === '[' || sign === '{') open += 1;
    else if ((sign === ']' || sign === '}') && open > 0) open -= 1;
    if (open > MOST_OPEN) return { offset: at, reason: `more than ${MOST_OPEN} brackets open at once` };
  }
  return undefined;
}

function indentExcess(source: string): YamlFault | undefined {
  for (const { index, 0: marks } of source.matchAll(/^(?:[ \t]|[-?:][ \t])+/gm)) {
    const openings = marks.length - marks.replace(/[-?:]/g, '').length;
    if (openings > MOST_OPEN) return { offset: index, reason: `more than ${MOST_OPEN} lists opened on one line` };
    if (marks.length > MOST_INDENT) return { offset: index, reason: `indented by more than ${MOST_INDENT} columns` };
  }
  return undefined;
}
