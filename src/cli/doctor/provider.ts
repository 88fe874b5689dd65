// Doctor check for a model provider, level by level; it loads the model, so it takes longer than a probe.
import type { VaultgraphError } from '../../base/errors.ts';
import { errorOf } from '../../base/outcome.ts';
import { isObject } from '../../base/plain-object.ts';
import { NEVER } from '../../base/until-aborted.ts';
import type { ProbeLevel } from '../../contracts/provider.ts';
import type { LoadedProvider } from '../../lifecycle/provider-health.ts';
import { type Finding, failing, ok } from './finding.ts';
import { hintWithinDoctor } from './hint-within-doctor.ts';

/** Longer than that of `status`, because a person waits for the whole list. */
export const PROBE_LIMIT_MS = 10_000;

type LevelWords = Readonly<Record<ProbeLevel['level'], string>>;

/** The words for each probe level of a capability, passed and failed. */
export interface Wording {
  readonly met: LevelWords;
  readonly unmet: LevelWords;
}

/** @param answer uses the model once and throws if it fails */
export async function providerFinding(
  row: LoadedProvider,
  wording: Wording,
  answer: () => Promise<void>,
): Promise<Finding> {
  const { ok: isOk, detail, levels = [], failure } = await row.probe(NEVER, PROBE_LIMIT_MS);
  const inspection: Inspection = { row, wording, passed: passedLines(levels, wording) };
  if (!isOk) return failedLevel(inspection, levels.at(-1)?.level ?? 'reachable', failure, detail);
  if (levels.length === 0) return ok(describe(inspection, [detail]));
  const refused = await errorOf(answer());
  if (refused !== undefined) return failedLevel(inspection, 'answers', refused, refused.message);
  // More is known about the model once it has answered.
  const { levels: known = [] } = await row.probe(NEVER, PROBE_LIMIT_MS);
  const hadAnswered = levels.every((level) => level.ok === true);
  const shown = known.filter(({ level }) => hadAnswered || level !== 'answers');
  const more = hadAnswered ? [] : [`${wording.met.answers}, once the model was loaded`];
  return ok(describe({ ...inspection, passed: passedLines(shown, wording) }, more));
}

const passedLines = (levels: readonly ProbeLevel[], { met }: Wording): string[] =>
  levels.filter((level) => level.ok === true).map(({ level, detail }) => `${met[level]}, ${detail}`);

interface Inspection {
  readonly row: LoadedProvider;
  readonly wording: Wording;
  readonly passed: readonly string[];
}

const keyOf = ({ section }: LoadedProvider): string => section.path.join('.');
const describe = ({ row, passed }: Inspection, more: readonly string[]): string =>
  `${keyOf(row)} ${row.type} ${row.model}: ${[...passed, ...more].join('; ')}`;

function failedLevel(
  inspection: Inspection,
  level: ProbeLevel['level'],
  failure: VaultgraphError | undefined,
  detail: string,
): Finding {
  const code = failure === undefined ? '' : `[${failure.code}] `;
  return failing(
    describe(inspection, [`${inspection.wording.unmet[level]}: ${code}${detail}`]),
    hintFor(inspection.row, failure),
  );
}

/** The hints of errors address an assistant; the user who runs the doctor can act on more. */
function hintFor({ type, model, endpoint, section }: LoadedProvider, failure: VaultgraphError | undefined): string {
  const key = section.path.join('.');
  const loadHint =
    isObject(section.config) && 'load_timeout' in section.config ? `, for loading ${key}.load_timeout` : '';
  const another = `or name another model in ${key}.model`;
  switch (failure?.code) {
    case 'PROVIDER_UNAVAILABLE':
      return endpoint === undefined ? `check ${key}.model` : `start ${type} there, or correct ${key}.endpoint`;
    case 'PROVIDER_TIMEOUT':
      return `look whether it is busy or hangs, or give it more time: ${key}.timeout${loadHint}`;
    case 'PROVIDER_AUTH_FAILED':
      return `check the key in ${key}.api_key or ${key}.headers, and the environment variable it comes from`;
    case 'PROVIDER_MODEL_MISSING':
      if (endpoint === undefined) return `put the model's folder there, ${another}`;
      return type === 'ollama' ? `run \`ollama pull ${model}\`, ${another}` : `load it in the server, ${another}`;
    default:
      return failure === undefined ? `look in the log of ${type}, and check ${key}` : hintWithinDoctor(failure);
  }
}
