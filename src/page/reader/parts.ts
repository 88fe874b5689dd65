// Loads the large parts of the reader when a note first needs them: Markdown, formulas and code.
import type { createRenderer } from '../../reader/render.ts';
import { element } from '../elements.ts';
import { PageError } from '../source/graph-source.ts';

export interface ReaderParts {
  /** Safe to show: nothing in it runs or loads. */
  readonly markdown: (text: string) => DocumentFragment;
  /** @throws an error that says what is wrong with the formula */
  readonly math: (tex: string, isBlock: boolean) => string;
  /** HTML of the highlighted code; undefined for an unknown language. */
  readonly code: (text: string, language: string) => string | undefined;
}

/** What a part adds. */
interface AddedPart extends Partial<ReaderParts> {
  /** For the program, which loads the part to write a site. */
  readonly createRenderer?: typeof createRenderer;
}

declare global {
  /** Each part adds itself. */
  var vaultgraphReader: AddedPart | undefined;
}

export function addPart(part: AddedPart): void {
  globalThis.vaultgraphReader = { ...globalThis.vaultgraphReader, ...part };
}

const loading = new Map<keyof ReaderParts, Promise<void>>();

/** @throws PageError if the part cannot be loaded */
export async function loadPart<K extends keyof ReaderParts>(name: K): Promise<ReaderParts[K]> {
  const run = loading.get(name) ?? loadScript(name);
  loading.set(name, run);
  await run;
  const part = globalThis.vaultgraphReader?.[name];
  if (part !== undefined) return part as ReaderParts[K];
  loading.delete(name);
  throw new PageError({ code: 'PART_MISSING', message: `${name}.js could not be loaded`, hint: 'Reload the page.' });
}

/** An exported page already contains the parts that it needs. */
function loadScript(name: string): Promise<void> {
  if (globalThis.vaultgraphReader?.[name as keyof ReaderParts] !== undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const script = element('script', { src: `${name}.js` });
    script.addEventListener('load', () => resolve());
    script.addEventListener('error', () => {
      script.remove();
      resolve();
    });
    document.head.append(script);
  });
}
