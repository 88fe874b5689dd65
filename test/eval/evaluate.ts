// Runs both tasks on a vault and measures every method. Prints only its progress.
import { type Manner, showProgress } from '../../src/cli/screen/show-progress.ts';
import {
  type Answer,
  betterReference,
  type Figures,
  figuresOf,
  groupsOf,
  measuresOf,
  type Requested,
} from './figures.ts';
import { linkedNotes, withoutItsLinks } from './held-out-links.ts';
import { type Judged, judgedVault } from './judgements.ts';
import { languagesOf } from './languages-of-set.ts';
import { type Methods, noteMethods, queryMethods } from './methods.ts';
import { withVault } from './opened-vault.ts';
import { notesIn, titledTexts } from './vault-texts.ts';

export interface Row {
  readonly vault: string;
  readonly notes: number;
  /** Of the notes, and of the queries where it is another one. */
  readonly languages: string;
  readonly task: 'known item' | 'held-out links';
  readonly method: string;
  /** `all`, `even`, `odd`, or a kind of query. */
  readonly queries: string;
  readonly n: number;
  /** Undefined if no provider is configured for it. */
  readonly figures: Figures | undefined;
}

export interface Setting {
  /** A config file with `providers.embedding`. */
  readonly embedding?: string;
  readonly manner: Manner;
  /** If a vault has more notes with links than this, a regular sample is used. */
  readonly mostNotes?: number;
  /** The same for queries. */
  readonly mostQueries?: number;
}

const MAX_NOTES = 300;

/** @param given a vault, or a folder with `notes/` and `queries.json` */
export async function evaluate(given: string, setting: Setting): Promise<Row[]> {
  const { name, folder, judged } = judgedVault(given);
  const notes = notesIn(folder);
  const { known, links } = await withVault(folder, setting.embedding, setting.manner, async (vault) => {
    const texts = { notes, titled: await titledTexts(notes, vault.core.store) };
    const queries = spread(judged, setting.mostQueries ?? judged.length).map(asRequested);
    const known = await ranked(queries, queryMethods(vault, texts), `${name}, known items`, setting);
    return { known, links: await linkedNotes(notes, vault.core.store) };
  });
  const requested = spread([...links], setting.mostNotes ?? MAX_NOTES).map(([text, right]) => ({ text, right }));
  const held = requested.length === 0 ? [] : await heldOutLinks(name, notes, requested, setting);
  const questions = judged.map(({ query }) => query);
  const head = { vault: name, notes: notes.size, languages: languagesOf(notes.values(), questions) };
  return [
    ...known.map((row) => ({ ...head, task: 'known item' as const, ...row })),
    ...held.map((row) => ({ ...head, task: 'held-out links' as const, ...row })),
  ];
}

const asRequested = ({ query, answers, ...judged }: Judged) => ({
  ...judged,
  text: query,
  ...(answers && { answers }),
});

function heldOutLinks(
  name: string,
  notes: ReadonlyMap<string, string>,
  requested: readonly Requested[],
  setting: Setting,
): Promise<Measured[]> {
  return withoutItsLinks(notes, (folder, bare) =>
    withVault(folder, setting.embedding, setting.manner, async (vault) => {
      const texts = { notes: bare, titled: await titledTexts(bare, vault.core.store) };
      return ranked(requested, noteMethods(vault, texts), `${name}, held-out links`, setting);
    }),
  );
}

function spread<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, at) => at % step === 0);
}

type Measured = Pick<Row, 'method' | 'queries' | 'n' | 'figures'>;

async function ranked(
  requested: readonly Requested[],
  methods: Methods,
  label: string,
  { manner }: Setting,
): Promise<Measured[]> {
  if (requested.length === 0) return [];
  const answers = await answersOf(requested, methods, label, manner);
  const measured = new Map([...answers].map(([method, given]) => [method, measuresOf(requested, given)]));
  const reference = betterReference(measured);
  return Object.keys(methods).flatMap((method) =>
    groupsOf(requested).map((group) => {
      const [given, measures] = [answers.get(method), measured.get(method)];
      const figures = given && measures && figuresOf(group, requested, given, measures, reference);
      return { method, queries: group.name, n: group.places.length, figures };
    }),
  );
}

/** By method, without those that no provider is configured for. */
async function answersOf(
  requested: readonly Requested[],
  methods: Methods,
  label: string,
  manner: Manner,
): Promise<ReadonlyMap<string, readonly Answer[]>> {
  const working = Object.entries(methods).flatMap(([name, method]) => (method ? [[name, method] as const] : []));
  const progress = showProgress(label, manner);
  const found = new Map<string, Answer[]>(working.map(([name]) => [name, []]));
  let done = 0;
  for (const [name, method] of working) {
    for (const { text } of requested) {
      const startedAt = performance.now();
      const answer = await method(text);
      found.get(name)?.push({ ...answer, ms: performance.now() - startedAt });
      progress.show(++done, requested.length * working.length);
    }
  }
  progress.end();
  return found;
}
