// Doctor check for a model provider, level by level; it loads the model, so it takes longer than a probe.
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import type { ProbeLevel } from '../../contracts/provider.ts';
import type { LoadedProvider } from '../../lifecycle/provider-health.ts';
import { type Finding, failing, NEVER, ok } from './finding.ts';

const PROBE_LIMIT_MS = 10_000;

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
  const passed = levels
    .filter((level) => level.ok === true)
    .map((level) => `${wording.met[level.level]}, ${level.detail}`);
  const inspection: Inspection = { row, wording, passed };
  if (!isOk) return failedLevel(inspection, levels.at(-1)?.level ?? 'reachable', failure, detail);
  if (levels.every((level) => level.ok === true)) return ok(describe(inspection, passed.length > 0 ? [] : [detail]));
  const refused = await failureOf(answer);
  if (refused !== undefined) return failedLevel(inspection, 'answers', refused, refused.message);
  return ok(describe(inspection, [`${wording.met.answers}, once the model was loaded`]));
}

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
  const another = `or name another model in ${key}.model`;
  switch (failure?.code) {
    case 'PROVIDER_UNAVAILABLE':
      return endpoint === undefined ? `check ${key}.model` : `start ${type} there, or correct ${key}.endpoint`;
    case 'PROVIDER_TIMEOUT':
      return `look whether it is busy or hangs, or give it more time: ${key}.timeout, for loading ${key}.load_timeout`;
    case 'PROVIDER_AUTH_FAILED':
      return `check the key in ${key}.api_key or ${key}.headers, and the environment variable it comes from`;
    case 'PROVIDER_MODEL_MISSING':
      if (endpoint === undefined) return `put the model's folder there, ${another}`;
      return type === 'ollama' ? `run \`ollama pull ${model}\`, ${another}` : `load it in the server, ${another}`;
    default:
      return failure?.hint ?? `look in the log of ${type}, and check ${key}`;
  }
}

async function failureOf(answer: () => Promise<void>): Promise<VaultgraphError | undefined> {
  try {
    await answer();
    return undefined;
  } catch (thrown) {
    return toVaultgraphError(thrown);
  }
}
