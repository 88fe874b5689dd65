// The graph beside an answer in an assistant (MCP Apps): draws the result that the application passes on.
import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps';
import { createLayout, enoughSteps } from '../../picture/layout.ts';
import { PALETTES, type Theme } from '../../picture/palette.ts';
import { seedPlaces } from '../../picture/seed-places.ts';
import { shapeOf } from '../../picture/shape.ts';
import { button, dot, element, part } from '../elements.ts';
import { coloursOfFolders, litNodes, lookOf } from '../graph/look.ts';
import { Scene } from '../graph/scene.ts';
import type { Covered } from '../graph/scene-camera.ts';
import { faultOf } from '../source/graph-source.ts';
import { type Model, modelOf } from '../source/model.ts';
import { unresolvedName } from '../source/unresolved.ts';
import { createViewStore } from '../view-state.ts';
import { type DrawnAnswer, readAnswer } from './answer.ts';
import { connectHost, type Host, type ToolResult } from './host.ts';

/** With at most as many notes, each shows its title if there is room. */
const FEW = 40;
const MAX_LEGEND = 6;
/** On a narrow screen, where the card is at the bottom; as in the style. */
const MAX_CARD_HEIGHT = 0.62;
const [MIN_HEIGHT, MAX_HEIGHT, HEIGHT_OF_WIDTH] = [340, 520, 0.62];

interface Shown {
  readonly answer: DrawnAnswer;
  readonly model: Model;
}

const system = matchMedia('(prefers-color-scheme: dark)');
const view = createViewStore();
let context: McpUiHostContext = {};
let host: Host | undefined;
let shown: Shown | undefined;

part('stage').tabIndex = 0;
const events = {
  choose: (key: string | undefined) => choose(key),
  hover: (key: string | undefined) => {
    part('stage').style.cursor = key === undefined ? '' : 'pointer';
    view.set({ hovered: key });
  },
};
const scene = new Scene(part('stage'), PALETTES[theme()], events, coveredByCard);
setUpTools();
view.listen(dress);
system.addEventListener('change', dressPage);
addEventListener('resize', reportSize);
addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') choose(undefined);
});
dressPage();
void begin();

async function begin(): Promise<void> {
  say('Waiting for the answer…');
  try {
    host = await connectHost({ context: follow, result: show, cancelled: () => say('The call was cancelled.') });
    reportSize();
    part('fullscreen').hidden = !(context.availableDisplayModes ?? []).includes('fullscreen');
  } catch (thrown) {
    say(faultOf(thrown).message);
  }
}

function follow(change: McpUiHostContext): void {
  context = { ...context, ...change };
  dressPage();
  reportSize();
}

function theme(): Theme {
  return context.theme ?? (system.matches ? 'dark' : 'light');
}

function dressPage(): void {
  document.documentElement.dataset.theme = theme();
  const { top = 0, right = 0, bottom = 0, left = 0 } = context.safeAreaInsets ?? {};
  document.body.style.margin = `${top}px ${right}px ${bottom}px ${left}px`;
  dress();
}

/** Asks for a height that suits the width, unless the application has fixed it. */
function reportSize(): void {
  const { containerDimensions = {}, displayMode } = context;
  if (host === undefined || displayMode === 'fullscreen' || 'height' in containerDimensions) return;
  const most = Math.min(
    MAX_HEIGHT,
    ('maxHeight' in containerDimensions && containerDimensions.maxHeight) || MAX_HEIGHT,
  );
  const suited = Math.max(MIN_HEIGHT, Math.round(innerWidth * HEIGHT_OF_WIDTH));
  host.resized(innerWidth, Math.min(most, suited));
}

function show(result: ToolResult): void {
  choose(undefined);
  try {
    const answer = readAnswer(result);
    const model = modelOf(answer.picture);
    shown = { answer, model };
    view.set(FIRST_VIEW(answer));
    scene.load(model, placesOf(answer));
    say(model.shape.count === 0 ? 'The answer names no notes.' : undefined);
  } catch (thrown) {
    const { message, hint } = faultOf(thrown);
    shown = undefined;
    part('legend').replaceChildren();
    say(/[.!?…]$/.test(message) || hint === '' ? `${message} ${hint}` : `${message}. ${hint}`);
  }
  document.body.classList.toggle('drawn', shown !== undefined);
  tell();
  dress();
  document.body.dataset.state = 'ready';
}

const FIRST_VIEW = ({ chains, centre, colourBy }: DrawnAnswer) => ({
  colourBy,
  colour: undefined,
  unresolved: true,
  hovered: undefined,
  selected: centre,
  chain: chains[0],
});

/** Ties and links pull notes together; only links are drawn. */
function placesOf({ picture, ties }: DrawnAnswer): Float32Array {
  const shape = shapeOf({ notes: picture.notes, links: [...picture.links, ...ties] });
  const layout = createLayout(shape, seedPlaces(shape));
  layout.advance(enoughSteps(shape));
  return layout.places();
}

function dress(): void {
  if (shown === undefined) return;
  const { answer, model } = shown;
  const [state, palette] = [view.get(), PALETTES[theme()]];
  // The note that the answer is about is marked, but its own links do not fade the others.
  const isAbout = state.selected === answer.centre && part('card').hidden;
  const lit = litNodes(model, isAbout ? { ...state, selected: undefined } : state);
  const look = lookOf(model, state, palette, lit);
  const isFew = look.isFew || (lit === undefined && model.shape.count <= FEW);
  scene.dress(state, { ...look, isFew }, palette);
  drawLegend(shown);
}

/** Undefined leaves the note. */
function choose(key: string | undefined): void {
  if (shown === undefined || host === undefined || key === undefined) {
    hideCard();
    document.body.classList.remove('with-card');
    view.set({ selected: shown?.answer.centre });
    dress();
    return;
  }
  document.body.classList.add('with-card');
  part('notes').hidden = true;
  showCard({ key, answer: shown.answer, host, close: () => choose(undefined) });
  view.set({ selected: key });
  scene.camera.focus(key);
}

function coveredByCard(): Covered {
  const { offsetWidth } = part('card');
  const isBelow = offsetWidth > innerWidth / 2;
  // The card grows when the text comes.
  return { above: 0, left: 0, right: isBelow ? 0 : offsetWidth, below: isBelow ? innerHeight * MAX_CARD_HEIGHT : 0 };
}

function say(words: string | undefined): void {
  part('notice').hidden = words === undefined;
  part('notice').textContent = words ?? '';
}

/** Says what is drawn and lists it. */
function tell(): void {
  const { summary = '', remarks = [], chains = [], picture } = shown?.answer ?? {};
  const paths = chains.length < 2 ? [] : chains.map((chain, at) => pathButton(chain, at));
  part('summary').replaceChildren(
    element('span', {}, summary),
    ...paths,
    ...remarks.map((remark) => element('span', { class: 'remark' }, remark)),
  );
  const notes = picture?.notes ?? [];
  part('notes').replaceChildren(
    ...notes.map(({ path, title }) => button({ class: 'entry', title: path }, () => choose(path), title)),
  );
}

const pathButton = (chain: readonly string[], at: number): HTMLElement =>
  button({ class: 'plain-button' }, () => view.set({ chain }), `Path ${at + 1}`);

/** Choosing a colour shows its notes alone. */
function drawLegend({ model, answer }: Shown): void {
  const { colour } = view.get();
  const entries =
    answer.colourBy === 'group'
      ? answer.picture.groups.map(({ label, size }, group) => [String(group), label, size] as const)
      : coloursOfFolders(model).map(([folder, count]) => [folder, folder || 'no folder', count] as const);
  const { children } = part('legend');
  const focused = [...children].indexOf(document.activeElement as Element);
  // A single colour distinguishes nothing.
  part('legend').replaceChildren(
    ...entries
      .slice(0, entries.length > 1 ? MAX_LEGEND : 0)
      .map(([value, name, count], place) =>
        button(
          { 'aria-pressed': String(colour === value), title: name },
          () => view.set({ colour: colour === value ? undefined : value, chain: undefined, selected: undefined }),
          dot(place),
          element('span', { class: 'name' }, name),
          element('span', { class: 'count' }, String(count)),
        ),
      ),
  );
  (children[focused] as HTMLElement | undefined)?.focus();
}

function setUpTools(): void {
  const on = (id: string, act: () => void): void => part(id).addEventListener('click', act);
  on('zoom-in', () => scene.camera.zoom(1.5));
  on('zoom-out', () => scene.camera.zoom(1 / 1.5));
  on('fit', () => scene.camera.fit());
  on('list-button', () => {
    choose(undefined);
    part('notes').hidden = !part('notes').hidden;
  });
  on('fullscreen', () => {
    const mode = context.displayMode === 'fullscreen' ? 'inline' : 'fullscreen';
    host?.display(mode).catch((thrown: unknown) => say(faultOf(thrown).message));
  });
}

// The card of a chosen note: what the answer says about it, its text, and a message to the chat.

interface Chosen {
  readonly key: string;
  readonly answer: DrawnAnswer;
  readonly host: Host;
  close(): void;
}

/** Shows the card; the text of the note follows if the application lets the page call tools. */
function showCard({ key, answer, host, close }: Chosen): void {
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

function hideCard(): void {
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
