// Extracts the message from a model server's error, and withholds one that repeats what was sent.

/** Replaces a server's message that would repeat a note, a query or a key. */
const WITHHELD = 'the answer repeats what was sent';
/** Shorter texts and lines occur in any sentence and reveal nothing. */
const MIN_TEXT_LENGTH = 4;
const MIN_LINE_LENGTH = 12;
/** Servers quote the beginning or the end of what they refuse, possibly no more than this. */
const QUOTE_LENGTH = 12;

/** The server's message in any known format, as one line; empty where there is none. */
export function serverMessage(body: string): string {
  const answer = parsed(body);
  return typeof answer === 'object' && answer !== null ? messageIn(answer as Record<string, unknown>) : '';
}

/** Ollama and LM Studio: `error`; llama.cpp, vLLM: `error.message`; TEI, older vLLM: `message`; FastAPI: `detail`. */
function messageIn({ error, message, detail }: Record<string, unknown>): string {
  const inner = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  const found = [inner.message, error, message, detail, inner.type].find((each) => typeof each === 'string');
  return typeof found === 'string' ? oneLine(found) : '';
}

/** Undefined for text that is not JSON. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** The same text, unless it repeats one of the secrets. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.flatMap(fragments).some((fragment) => text.includes(fragment)) ? WITHHELD : text;
}

/** The fragments that reveal a text, also if its line breaks were replaced. */
function fragments(text: string): string[] {
  const whole = oneLine(text);
  const lines = text.split('\n').map(oneLine);
  const revealing = [
    ...(whole.length < MIN_TEXT_LENGTH ? [] : [whole]),
    ...lines.filter(({ length }) => length >= MIN_LINE_LENGTH),
  ];
  return revealing.flatMap((each) => [each.slice(0, QUOTE_LENGTH), each.slice(-QUOTE_LENGTH)]);
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
