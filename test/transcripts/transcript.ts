// Reads a transcript: the steps of a session, and what each of them is expected to show.
import assert from 'node:assert/strict';

/** A line of the file, without its mark. */
export interface Line {
  readonly at: number;
  readonly text: string;
}

export interface Expectation extends Line {
  /** `value` is `PATH: JSON`, `keep` is `NAME = PATH`, `none` is what is empty, the others are a line with wildcards; texts follow each other unless `...` is between. */
  readonly kind: 'text' | 'no text' | 'none' | 'stderr' | 'log' | 'value' | 'error' | 'exit' | 'keep';
}

export type Step =
  /** Calls of a tool and command lines; what is expected holds for each of them. */
  | { readonly kind: 'ask'; readonly asked: readonly Asked[]; readonly expected: readonly Expectation[] }
  /** Anything else: a word, its argument, and the lines of a text. */
  | {
      readonly kind: 'do';
      readonly at: number;
      readonly verb: string;
      readonly what: string;
      readonly body: readonly Line[];
    };

export interface Asked extends Line {
  /** Of `again`, the answer is awaited that shows what is expected. */
  readonly form: 'call' | 'again' | 'command';
}

const VERB =
  /^(vault|config|write|append|delete|move|time|restart|stop|kill|mark files|same files|file|gone|wish)(?: (.*))?$/;
const ASKED = [
  [/^> (.*)$/, 'call'],
  [/^>~ (.*)$/, 'again'],
  [/^\$ vaultgraph (.*)$/, 'command'],
] as const;
const EXPECTED = [
  [/^\|(?: (.*))?$/, 'text'],
  [/^!\| (.*)$/, 'no text'],
  [/^no (output|errors)$/, 'none'],
  [/^2\| (.*)$/, 'stderr'],
  [/^log\| (.*)$/, 'log'],
  [/^error (\w+)$/, 'error'],
  [/^exit (\d+)$/, 'exit'],
  [/^keep (\w+ = .*)$/, 'keep'],
  [/^([\w.[\]=]+: .*)$/, 'value'],
] as const;

export function parseTranscript(text: string): readonly Step[] {
  const steps: Step[] = [];
  let asked: Asked[] = [];
  let expected: Expectation[] = [];
  let body: Line[] | undefined;
  const end = (): void => {
    if (asked.length > 0) steps.push({ kind: 'ask', asked, expected });
    [asked, expected, body] = [[], [], undefined];
  };
  for (const [index, line] of text.split('\n').entries()) {
    const at = index + 1;
    if (line === '' || line.startsWith('#')) {
      end();
      continue;
    }
    const [question, verb] = [marked(ASKED, line), VERB.exec(line)];
    if (question !== undefined) {
      if (expected.length > 0 || body !== undefined) end();
      asked.push({ at, form: question[0], text: question[1] });
    } else if (body === undefined && asked.length === 0 && verb === null) {
      assert.fail(`transcript line ${at}: ${line}`);
    } else if (verb !== null) {
      end();
      body = [];
      steps.push({ kind: 'do', at, verb: verb[1] ?? '', what: verb[2] ?? '', body });
    } else {
      const [kind, rest] = marked(EXPECTED, line) ?? [];
      if (kind === undefined) assert.fail(`transcript line ${at}: ${line}`);
      if (body === undefined) expected.push({ at, kind, text: rest ?? '' });
      else body.push({ at, text: rest ?? '' });
    }
  }
  end();
  return steps;
}

function marked<Kind extends string>(
  marks: readonly (readonly [pattern: RegExp, kind: Kind])[],
  line: string,
): readonly [Kind, string] | undefined {
  for (const [pattern, kind] of marks) {
    const match = pattern.exec(line);
    if (match !== null) return [kind, match[1] ?? ''];
  }
  return undefined;
}
