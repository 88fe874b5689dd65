// Runs both tasks on a vault and measures every method. Prints only its progress.
import { basename } from 'node:path';
import { type Manner, showProgress } from '../../src/cli/show-progress.ts';
import { createBm25 } from './bm25.ts';
import { linkedNotes, withoutItsLinks } from './held-out-links.ts';
import { type Judged, judgementsFor } from './judgements.ts';
import { type Methods, noteMethods, queryMethods, type Ranked } from './methods.ts';
import { withVault } from './opened-vault.ts';
import { type Grades, type Measures, meanOf, measure } from './ranking-measures.ts';
import { notesIn, titledTexts } from './vault-texts.ts';

export interface Row {
  readonly vault: string;
  readonly notes: number;
  readonly task: 'known item' | 'held-out links';
  readonly method: string;
  readonly n: number;
  /** Undefined if no provider is configured for it. */
  readonly figures: Figures | undefined;
}

export interface Figures extends Measures {
  /** Queries for which the provider failed; they count as no results. */
  readonly failed: number;
  /** The mean number of tokens, for methods that report it. */
  readonly tokens?: number;
  /** nDCG@10 by the kind of query. */
  readonly kinds?: Readonly<Record<string, number>>;
}

interface Asked {
  readonly text: string;
  readonly right: Grades;
  readonly kind?: string;
}

export interface Setting {
  /** A config file with `providers.embedding`. */
  readonly embedding?: string;
  readonly manner: Manner;
  /** If a vault has more notes with links than this, a regular sample is used. */
  readonly mostNotes?: number;
}

const MAX_NOTES = 300;

export async function evaluate(folder: string, setting: Setting): Promise<Row[]> {
  const notes = notesIn(folder);
  const { known, links } = await withVault(folder, setting.embedding, setting.manner, async (vault) => {
    const bm25 = createBm25(await titledTexts(notes, vault.core.store));
    const judged = judgementsFor(folder).map(({ query, right, kind }: Judged) => ({ text: query, right, kind }));
    const known = await ranked(judged, queryMethods(vault, bm25), `${basename(folder)}, known items`, setting);
    return { known, links: await linkedNotes(notes, vault.core.store) };
  });
  const asked = spread([...links], setting.mostNotes ?? MAX_NOTES).map(([text, right]) => ({ text, right }));
  const held = await withoutItsLinks(notes, (bareFolder, bare) =>
    withVault(bareFolder, setting.embedding, setting.manner, async (vault) => {
      const bm25 = createBm25(await titledTexts(bare, vault.core.store));
      return ranked(asked, noteMethods(vault, bm25), `${basename(folder)}, held-out links`, setting);
    }),
  );
  const head = { vault: basename(folder), notes: notes.size };
  return [
    ...known.map((row) => ({ ...head, task: 'known item' as const, ...row })),
    ...held.map((row) => ({ ...head, task: 'held-out links' as const, ...row })),
  ];
}

function spread<T>(all: readonly T[], most: number): T[] {
  const step = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, at) => at % step === 0);
}

async function ranked(
  asked: readonly Asked[],
  methods: Methods,
  label: string,
  { manner }: Setting,
): Promise<Pick<Row, 'method' | 'n' | 'figures'>[]> {
  if (asked.length === 0) return [];
  const working = Object.values(methods).filter((method) => method !== undefined);
  const progress = showProgress(label, manner);
  const rows: Pick<Row, 'method' | 'n' | 'figures'>[] = [];
  let done = 0;
  for (const [name, method] of Object.entries(methods)) {
    const answers: Ranked[] = [];
    for (const { text } of method === undefined ? [] : asked) {
      answers.push(await (method as NonNullable<typeof method>)(text));
      progress.show(++done, asked.length * working.length);
    }
    rows.push({ method: name, n: asked.length, figures: method === undefined ? undefined : figuresOf(asked, answers) });
  }
  progress.end();
  return rows;
}

function figuresOf(asked: readonly Asked[], answers: readonly Ranked[]): Figures {
  const measured = asked.map(({ right }, at) => measure(answers[at]?.paths ?? [], right));
  const tokens = answers.flatMap((answer) => answer.tokens ?? []);
  const byKind = Map.groupBy(asked.keys(), (at) => asked[at]?.kind);
  const kinds = [...byKind].map(([kind, places]) => [
    kind,
    meanOf(places.map((at) => measured[at] as Measures)).ndcg10,
  ]);
  return {
    ...meanOf(measured),
    failed: answers.filter(({ hasFailed }) => hasFailed).length,
    ...(tokens.length === 0 ? {} : { tokens: tokens.reduce((sum, one) => sum + one, 0) / tokens.length }),
    ...(asked[0]?.kind === undefined ? {} : { kinds: Object.fromEntries(kinds) }),
  };
}
