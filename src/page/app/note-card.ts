// The card of a chosen note: what the answer says about it, its text, and a message to the chat.
import { button, element, part } from '../elements.ts';
import { faultOf } from '../source/graph-source.ts';
import { unresolvedName } from '../source/unresolved.ts';
import type { DrawnAnswer } from './answer.ts';
import type { Host, ToolResult } from './host.ts';

interface Chosen {
  readonly key: string;
  readonly answer: DrawnAnswer;
  readonly host: Host;
  close(): void;
}

/** Shows the card; the text of the note follows if the application lets the page call tools. */
export function showCard({ key, answer, host, close }: Chosen): void {
  const name = unresolvedName(key);
  const title = name ?? answer.picture.notes.find(({ path }) => path === key)?.title ?? key;
  const facts = name === undefined ? (answer.facts.get(key) ?? []) : ['No note has this name yet.'];
  const card = part('card');
  const heading = element('h2', { tabindex: '-1' }, title);
  card.replaceChildren(
    button({ class: 'icon-button', id: 'close', 'aria-label': 'Close' }, close, '×'),
    heading,
    ...(name === undefined ? [element('p', { class: 'where' }, key)] : []),
    ...facts.map((fact) => element('p', { class: 'fact' }, fact)),
    ...(name === undefined ? noteParts(key, answer, host) : []),
  );
  card.hidden = false;
  card.scrollTop = 0;
  heading.focus({ preventScroll: true });
}

export function hideCard(): void {
  part('card').hidden = true;
}

function noteParts(path: string, { vault }: DrawnAnswer, host: Host): HTMLElement[] {
  const { message, serverTools } = host.capabilities;
  const parts: HTMLElement[] = [];
  if (message !== undefined) parts.push(askButton(path, vault, host));
  if (serverTools !== undefined) parts.push(noteText(path, vault, host));
  if (parts.length === 0) parts.push(element('p', { class: 'quiet' }, 'Ask the assistant to read this note.'));
  return parts;
}

function askButton(path: string, vault: string | undefined, host: Host): HTMLElement {
  const words = `Read the note ${JSON.stringify(path)}${vault === undefined ? '' : ` of the vault ${vault}`}.`;
  const ask = async (): Promise<void> => {
    const refusal = await host.say(words).then(
      ({ isError = false }) => (isError ? 'The application did not take the message.' : undefined),
      (thrown: unknown) => faultOf(thrown).message,
    );
    made.textContent = refusal ?? 'Asked in the chat';
  };
  const made = button({ class: 'plain-button' }, () => void ask(), 'Ask in the chat to read it');
  return made;
}

function noteText(path: string, vault: string | undefined, host: Host): HTMLElement {
  const shown = element('div', { class: 'text', 'aria-live': 'polite' }, 'Reading…');
  const args = { notes: [path], ...(vault === undefined ? {} : { vault }) };
  host.callTool('read_notes', args).then(
    (result) => shown.replaceChildren(textIn(result)),
    (thrown: unknown) => shown.replaceChildren(faultOf(thrown).message),
  );
  return shown;
}

interface ReadNotes {
  readonly data?: { readonly succeeded?: readonly { readonly result: { readonly content: string } }[] };
}

/** Without the structured half, the text of the answer. */
function textIn({ structuredContent, content = [] }: ToolResult): string {
  const [read] = (structuredContent as ReadNotes | undefined)?.data?.succeeded ?? [];
  return read?.result.content ?? content.map(({ text = '' }) => text).join('\n');
}
