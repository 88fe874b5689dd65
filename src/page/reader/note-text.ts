// Shows the text of a note: its Markdown, with links, embedded files, formulas and code.
import { element } from '../elements.ts';
import { dressEmbeds } from './embeds.ts';
import { dressLinks } from './links.ts';
import { loadPart } from './parts.ts';
import type { ReaderPage, ShownNote } from './reader-page.ts';

/** @param isNested inside another note, where embeds are links. @throws PageError if a part cannot be loaded */
export async function noteText(note: ShownNote, page: ReaderPage, isNested = false): Promise<HTMLElement> {
  const body = element('div', { class: 'note-body' });
  if (note.text === undefined) return body;
  const render = await loadPart('markdown');
  body.append(render(note.text));
  const first = body.firstElementChild;
  if (first?.tagName === 'H1' && first.textContent?.trim() === note.title) first.remove();
  dressLinks(body, note, page);
  dressTasks(body);
  void dressMath(body, page);
  void dressCode(body, page);
  dressEmbeds(body, note, page, isNested ? undefined : (inner) => noteText(inner, page, true));
  return body;
}

function dressTasks(body: HTMLElement): void {
  for (const box of body.querySelectorAll<HTMLElement>('[data-box]')) {
    const mark = box.dataset.box?.trim() ?? '';
    const isDone = mark !== '';
    const label = isDone ? `done${/^x$/i.test(mark) ? '' : ` (${mark})`}` : 'open';
    const shown = element('input', { type: 'checkbox', disabled: true, 'aria-label': label });
    shown.checked = isDone;
    box.replaceWith(shown);
  }
}

async function dressMath(body: HTMLElement, page: ReaderPage): Promise<void> {
  const formulas = [...body.querySelectorAll<HTMLElement>('[data-tex]')];
  if (formulas.length === 0) return;
  const [math] = await Promise.allSettled([loadPart('math')]);
  if (math.status === 'rejected') return page.say('Formulas are shown as text: the page could not load their part.');
  for (const formula of formulas) {
    const tex = formula.textContent ?? '';
    try {
      formula.innerHTML = math.value(tex, formula.dataset.tex === 'block');
    } catch (thrown) {
      formula.classList.add('bad-formula');
      formula.title = thrown instanceof Error ? thrown.message : String(thrown);
    }
    await letPageDraw();
  }
}

async function dressCode(body: HTMLElement, page: ReaderPage): Promise<void> {
  const blocks = [...body.querySelectorAll<HTMLElement>('pre[data-language]')];
  for (const block of blocks) block.tabIndex = 0;
  if (blocks.every((block) => block.dataset.language === '')) return;
  const [code] = await Promise.allSettled([loadPart('code')]);
  if (code.status === 'rejected') return page.say('Code is shown without colours: the page could not load their part.');
  for (const block of blocks) {
    const html = code.value(block.textContent ?? '', block.dataset.language ?? '');
    if (html !== undefined) block.innerHTML = html;
    await letPageDraw();
  }
}

const letPageDraw = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
