// Errors about the config, the capabilities it turns on, and the files of the vault.
import { codeList, cut, entry } from './error-entry.ts';

export interface ConfigFault {
  /** The config file, or the flag or variable the value came from. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
  readonly what: string;
  readonly allowed?: readonly string[];
  readonly did_you_mean?: string;
}

/** `file:line:column: what, allowed: …, did you mean …?`, on one line. */
function faultLine(fault: ConfigFault): string {
  const at = fault.line === undefined ? fault.file : `${fault.file}:${fault.line}:${fault.column ?? 1}`;
  const allowed = fault.allowed?.length ? `, allowed: ${fault.allowed.join(', ')}` : '';
  const nearest = fault.did_you_mean === undefined ? '' : `, did you mean \`${fault.did_you_mean}\`?`;
  return `${at}: ${fault.what}${allowed}${nearest}`;
}

const NO_PERMISSION = 'The server lacks permission to read it; ask the user to change that.';
const UNREADABLE_HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'The file no longer exists; the next scan removes it from the index.',
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EISDIR: 'This is a folder with the name of a note.',
  EILSEQ: 'It is not UTF-8 text, so writing it would lose data. Ask the user to convert it.',
  EVICTED: 'The file is in the cloud and not on this machine; open it once in its app to download it.',
};

const NO_SPACE = 'ask the user to free some disk space.';
const WRITE_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EBUSY: 'another process is writing to this vault: call again later.',
  ETIMEDOUT: 'ask the user to check that the folder responds.',
};

export const VAULT_ERRORS = {
  CAPABILITY_NOT_CONFIGURED: entry<{
    tool: string;
    capability: string;
    config_key: string;
    alternatives: readonly string[];
  }>({
    category: 'capability',
    retry: 'U',
    http: 501,
    message: ({ tool, capability }) => `${tool} needs the capability ${capability}, which is not configured`,
    hint: ({ config_key, alternatives }) =>
      `The user can turn it on with ${config_key} in the config and a restart.${
        alternatives.length > 0 ? ` Tools that work without it: ${codeList(alternatives)}.` : ''
      }`,
    actions: ({ config_key }) => [{ kind: 'config', key: config_key, why: 'adds the capability' }],
  }),
  READ_ONLY: entry<{ tool: string; config_key: string }>({
    category: 'capability',
    retry: 'U',
    http: 403,
    message: ({ tool }) => `${tool} writes to the vault, which is read-only`,
    hint: ({ config_key }) => `The user can allow it with ${config_key}: read-write in the config and a restart.`,
    actions: ({ config_key }) => [{ kind: 'config', key: config_key, why: 'lets tools write to the vault' }],
  }),
  CONFIG_INVALID: entry<{ faults: readonly ConfigFault[] }>({
    category: 'capability',
    retry: 'U',
    http: 500,
    message: ({ faults }) => faults.map(faultLine).join('\n'),
    hint: () => 'Correct this and start again; `vaultgraph config` shows every value and where it comes from.',
  }),
  CONFIG_MISSING: entry<{ key: string; looked_in: readonly string[] }>({
    category: 'capability',
    retry: 'U',
    http: 500,
    message: ({ key, looked_in }) => `${key} is not set; looked in ${looked_in.join(', ')}`,
    hint: () => 'Set it with --vault DIR, $OBSIDIAN_VAULT_PATH, or `vault: { path: ~/Notes }` in the config file.',
  }),
  EGRESS_BLOCKED: entry<{ capability: 'embedding' | 'llm'; endpoint: string; host: string; model: string }>({
    category: 'capability',
    retry: 'U',
    http: 403,
    message: ({ model, endpoint, host }) =>
      `the model ${cut(model)} at ${endpoint} runs on another machine (${cut(host)}); no text was sent`,
    hint: ({ capability }) =>
      `Choose a model that runs on this machine, or allow text to leave it with providers.${capability}.allow_remote: true and a restart.`,
    actions: ({ capability }) => [
      { kind: 'config', key: `providers.${capability}.allow_remote`, why: 'lets text from notes leave the machine' },
    ],
  }),
  VAULT_UNAVAILABLE: entry<{ errno: string; last_seen?: string }>({
    category: 'vault',
    retry: 'D*',
    http: 503,
    retryAfterMs: 5_000,
    message: ({ errno }) => `the vault folder is not available (${errno})`,
    hint: () => 'Check that the folder is mounted and readable, then call again. The index is kept.',
  }),
  FILE_UNREADABLE: entry<{ path: string; errno: string }>({
    category: 'vault',
    retry: 'D*',
    http: 500,
    retryAfterMs: 5_000,
    message: ({ path, errno }) => `${path} cannot be read (${errno})`,
    hint: ({ errno }) => UNREADABLE_HINTS[errno] ?? 'Check the file and its permissions, then call again.',
  }),
  PROPERTIES_INVALID: entry<{ path: string; line: number; column: number; reason: string }>({
    category: 'vault',
    retry: 'U',
    http: 422,
    message: ({ path, line, column, reason }) =>
      `${path}:${line}:${column}: the front matter is not valid YAML: ${cut(reason)}`,
    hint: () => 'The text of the note is indexed, its properties are not. Fix the front matter in an editor.',
  }),
  CANVAS_INVALID: entry<{ path: string; reason: string }>({
    category: 'vault',
    retry: 'U',
    http: 422,
    message: ({ path, reason }) => `${path} is not a valid canvas: ${cut(reason)}`,
    hint: () => 'The canvas is listed without its links. Open it in Obsidian to fix it.',
  }),
  FILE_WRITE_FAILED: entry<{ path: string; errno: string; step: string; original_intact: boolean }>({
    category: 'vault',
    retry: 'U',
    http: 507,
    message: ({ path, errno, step }) => `${path} was not written: ${step} failed (${errno})`,
    hint: ({ errno, original_intact }) =>
      `${original_intact ? 'The original is intact' : 'The change may be half written; the next write or start completes it or rolls it back'}; ${
        WRITE_ADVICE[errno] ?? 'ask the user to check the permissions of the file and its folder.'
      }`,
  }),
};
