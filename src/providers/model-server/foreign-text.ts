// Finds the one sentence in what a server of models answered to an error. Never hands on what was sent to it.

/** What stands in an error where the server's own words would repeat a note, a query or a key. */
const WITHHELD = 'the answer repeats what was sent';
/** Shorter texts and lines occur in any sentence and give nothing away. */
const TELLING_TEXT = 4;
const TELLING_LINE = 12;
/** Servers quote the beginning of what they refuse, some its end as well; both may be cut to little. */
const QUOTED = 12;

/** The server's words in any of the shapes known, one line; empty where it said nothing that is meant for people. */
export function saidIn(body: string): string {
  const answer = parsed(body);
  return typeof answer === 'object' && answer !== null ? wordsOf(answer as Record<string, unknown>) : '';
}

/** Ollama and LM Studio: `error`; llama.cpp, vLLM: `error.message`; TEI, older vLLM: `message`; FastAPI: `detail`. */
function wordsOf({ error, message, detail }: Record<string, unknown>): string {
  const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  const said = [inner.message, error, message, detail, inner.type].find((each) => typeof each === 'string');
  return typeof said === 'string' ? oneLine(said) : '';
}

/** Undefined for what is no JSON. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The same words, unless they repeat one of the texts or keys. */
export function speakable(said: string, unspeakable: readonly string[]): string {
  return unspeakable.flatMap(traces).some((trace) => said.includes(trace)) ? WITHHELD : said;
}

/** What gives a text away wherever it stands, with its line breaks or with something else in their place. */
function traces(text: string): string[] {
  const whole = oneLine(text);
  const lines = text.split('\n').map(oneLine);
  const telling = [
    ...(whole.length < TELLING_TEXT ? [] : [whole]),
    ...lines.filter(({ length }) => length >= TELLING_LINE),
  ];
  return telling.flatMap((each) => [each.slice(0, QUOTED), each.slice(-QUOTED)]);
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
