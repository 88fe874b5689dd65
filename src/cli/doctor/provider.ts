// What `vaultgraph doctor` finds of a provider that a model works for, level by level. Takes longer than a probe: it has the model loaded.
import { toVaultgraphError, type VaultgraphError } from '../../base/errors.ts';
import type { ProbeLevel } from '../../contracts/provider.ts';
import type { LoadedProvider } from '../../lifecycle/provider-health.ts';
import { type Finding, failing, NEVER, ok } from './finding.ts';

const PROBE_LIMIT_MS = 10_000;

type LevelWords = Readonly<Record<ProbeLevel['level'], string>>;

/** How the levels of one capability are told, met and unmet. */
export interface Wording {
  readonly met: LevelWords;
  readonly unmet: LevelWords;
}

/** @param answer has the model do its work once; throws what is wrong with it */
export async function providerFinding(
  row: LoadedProvider,
  wording: Wording,
  answer: () => Promise<void>,
): Promise<Finding> {
  const { ok: isOk, detail, levels = [], failure } = await row.probe(NEVER, PROBE_LIMIT_MS);
  const passed = levels
    .filter((level) => level.ok === true)
    .map((level) => `${wording.met[level.level]}, ${level.detail}`);
  const look: Look = { row, wording, passed };
  if (!isOk) return failedLevel(look, levels.at(-1)?.level ?? 'reachable', failure, detail);
  if (levels.every((level) => level.ok === true)) return ok(told(look, passed.length > 0 ? [] : [detail]));
  const refused = await failureOf(answer);
  if (refused !== undefined) return failedLevel(look, 'answers', refused, refused.message);
  return ok(told(look, [`${wording.met.answers}, once the model was loaded`]));
}

interface Look {
  readonly row: LoadedProvider;
  readonly wording: Wording;
  readonly passed: readonly string[];
}

const keyOf = ({ section }: LoadedProvider): string => section.path.join('.');
const told = ({ row, passed }: Look, more: readonly string[]): string =>
  `${keyOf(row)} ${row.type} ${row.model}: ${[...passed, ...more].join('; ')}`;

function failedLevel(
  look: Look,
  level: ProbeLevel['level'],
  failure: VaultgraphError | undefined,
  said: string,
): Finding {
  const code = failure === undefined ? '' : `[${failure.code}] `;
  return failing(told(look, [`${look.wording.unmet[level]}: ${code}${said}`]), hintFor(look.row, failure));
}

/** The errors' own hints speak to a model that called a tool; whoever runs the doctor is the one who can act. */
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
