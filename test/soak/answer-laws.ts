// Checks the rules that every answer must follow, whatever the call and the failure.
import { ERRORS } from '../../src/base/errors.ts';

export interface Laws {
  /** Names of the listed tools. */
  readonly listed: ReadonlySet<string>;
  /** Absolute paths that no answer may contain. */
  readonly secret: readonly string[];
}

const MAX_TEXT = 4_096;
const MAX_DETAILS = 2_048;
const MAX_LONG_DETAILS = 16_384;
/** Each item of a batch, or the diff of a conflict. */
const LONG_DETAILS: ReadonlySet<string> = new Set(['BATCH_FAILED', 'WRITE_CONFLICT']);

/** The broken rules, one line each; empty for a valid answer. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads the answer as its client does, without types.
export function brokenLaws(result: any, { listed, secret }: Laws): string[] {
  const broken: string[] = [];
  const law = (holds: boolean, what: string): void => {
    if (!holds) broken.push(what);
  };
  const { content, structuredContent: answer, isError } = result;
  const [first, ...others] = content ?? [];
  law(first?.type === 'text' && first.text.trim() !== '', 'I2 a text block that is not empty');
  law(others.every(isFile), 'I2 nothing but links to files and images after the text');
  law(answer?.ok === !isError, 'I1 ok and isError');
  law((answer?.error !== undefined) === isError && (answer?.data !== undefined) === !isError, 'I1 data or error');
  const whole = JSON.stringify(result);
  law(!whole.includes('"code":"INTERNAL"'), 'no INTERNAL');
  law(!secret.some((path) => whole.includes(path)), 'I7 no absolute path');
  law(!/\\n\s+at .+:\d+:\d+/.test(whole), 'I7 no stack');
  law(answer?.meta?.degraded === undefined, 'I13 nothing degraded that was not asked for');
  if (isError && answer?.error !== undefined) broken.push(...brokenOfError(answer.error, content[0].text, listed));
  return broken;
}

// biome-ignore lint/suspicious/noExplicitAny: as above.
const isFile = ({ type, uri, name, mimeType, data }: any): boolean =>
  mimeType !== '' && (type === 'resource_link' ? Boolean(uri && name) : type === 'image' && Boolean(data));

// biome-ignore lint/suspicious/noExplicitAny: as above.
function brokenOfError(error: any, text: string, listed: ReadonlySet<string>): string[] {
  const { code, message, hint, retryable, retry_after_ms, error_id, details, choices = [], actions = [] } = error;
  const mostDetails = LONG_DETAILS.has(code) ? MAX_LONG_DETAILS : MAX_DETAILS;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const isListed = (action: any): boolean => action.kind !== 'tool_call' || listed.has(action.tool);
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const isUsers = (action: any): boolean => action.kind !== 'command' || action.run_by === 'user';
  const laws: readonly (readonly [holds: boolean, what: string])[] = [
    [code in ERRORS, `I3 ${code} is in the table`],
    [message !== '' && hint !== '', 'I4 message and hint'],
    [
      text.includes(`[${code}]`) && text.includes('Hint: ') && text.includes(error_id),
      'I4 code, hint and id in the text',
    ],
    [/^e_/.test(error_id), 'I4 an error id'],
    [choices.length <= 10, 'at most ten choices'],
    [retryable === (retry_after_ms !== undefined), 'I9 a wait where it is retryable, and only there'],
    [Buffer.byteLength(text) <= MAX_TEXT, 'I10 the text is short'],
    [Buffer.byteLength(JSON.stringify(details)) <= mostDetails, 'I10 the details are short'],
    [actions.every(isListed), 'I14 actions name listed tools'],
    [actions.every(isUsers), 'I8 commands are for the user'],
  ];
  return laws.flatMap(([holds, what]) => (holds ? [] : [what]));
}
