// The settings that belong to no provider, with their defaults and bounds.
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import { type ConfigFault, quoted } from '../base/errors.ts';
import { liesInside } from '../base/local-path.ts';
import { LOG_LEVELS } from '../base/log.ts';
import { didYouMean } from '../base/nearest.ts';
import { isObject } from '../base/plain-object.ts';
import { CHECK_DEFAULTS, CHECK_RULES } from '../contracts/settings/check-settings.ts';
import type { ConfigDocument, KeyPath, Place } from './config-document.ts';
import { absolutePath, type ConfigSources } from './config-sources.ts';

const MAX_DAYS = 36_500;
const MAX_NAMES = 1_000;

const days = z.int().min(0).max(MAX_DAYS);
const names = z.array(z.string().trim().min(1)).max(MAX_NAMES);

const accepted = Object.fromEntries(CHECK_RULES.map((rule) => [rule, names.optional()])) as Record<
  (typeof CHECK_RULES)[number],
  z.ZodOptional<typeof names>
>;
const { inbox_folders, inbox_tags, source_folders, outdated_days, overdue_days } = CHECK_DEFAULTS;

/** The section `checks`: the thresholds of check_vault and the findings that are accepted for good. */
const CHECK_SETTINGS = z
  .strictObject({
    /** Names of folders, at any depth, with what is not processed yet. */
    inbox_folders: names.default([...inbox_folders]),
    inbox_tags: names.default([...inbox_tags]),
    /** Names of folders with the sources of pages. */
    source_folders: names.default([...source_folders]),
    /** A page is outdated if its source changed so many days after it. */
    outdated_days: days.default(outdated_days),
    overdue_days: days.default(overdue_days),
    /** By rule: paths, folders that end in `/`, names, tags or properties. */
    accept: z.strictObject(accepted).prefault({}),
  })
  .prefault({});

/** `true` and `false` are what the setting was before it had names. */
const answerForm = z.preprocess(
  (value) => (typeof value === 'boolean' ? (value ? 'both' : 'text') : value),
  z.enum(['auto', 'both', 'text', 'structured']),
);
/** Clients give up at 60 s, and the answer has to be on its way before that. */
const MAX_CALL_MS = 59_000;
const MAX_FEED_DAYS = 3_650;
const MIN_FEED_MIB = 4;
const MAX_FEED_MIB = 4_096;
const MAX_HISTORY_DAYS = 36_500;
const MIN_HISTORY_MIB = 4;
const MAX_HISTORY_MIB = 65_536;
const MAX_CONSENT_MS = 290_000;
const MAX_BATCH_ITEMS = 1_000;
const MAX_TEXT_CHARACTERS = 10_000_000;
/** The longest escape of JSON, such as \u0000. */
const MAX_CHARACTER_BYTES = 6;
const MIN_DEFAULT_MESSAGE_BYTES = 10 * 1024 * 1024;
const MAX_MESSAGE_BYTES = 100 * 1024 * 1024;
const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
const MAX_ATTEMPTS = 10;
const MAX_JOB_ATTEMPTS = 100;
const MAX_FAILURES_IN_A_ROW = 1_000;
const MAX_COOLDOWN_MS = 3_600_000;
const MAX_PORT = 65_535;
const MAX_SESSIONS = 10_000;
const MAX_SESSION_IDLE_MS = 86_400_000;
const MAX_REQUEST_RATE = 100_000;

/** Written by every server, wherever it was started; null for none. */
const outputFile = z
  .string()
  .refine((path) => isAbsolute(path) || /^~[\\/]./.test(path), 'an absolute path, or one that begins with ~/')
  .nullable()
  .default(null);

function isAddressRange(entry: string): boolean {
  const [address = '', prefix, ...rest] = entry.split('/');
  const longest = isIP(address) === 6 ? 128 : 32;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= longest);
  return isIP(address) !== 0 && isPrefix && rest.length === 0;
}

/** Which tools are listed, of those whose requirements are configured. */
export const TOOL_SWITCHES = z
  .strictObject({ only: z.array(z.string()).min(1).optional(), except: z.array(z.string()).default([]) })
  .refine(({ only, except }) => only === undefined || except.length === 0, {
    path: ['except'],
    message: '`tools.only` already says which tools are listed; use one of the two',
  })
  .prefault({});
export type ToolSwitches = z.infer<typeof TOOL_SWITCHES>;

const PROTECTED_URL = 'an address with https, or with http on this machine';

/** What is sent to it cannot be read or changed on the way. */
function isProtectedUrl(value: string): boolean {
  const { protocol = '', hostname = '' } = URL.canParse(value) ? new URL(value) : {};
  return protocol === 'https:' || (protocol === 'http:' && /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname));
}

/** What is known of the authorization server whose access tokens are accepted. */
const OAUTH = z.strictObject({
  /** The name of the server in its metadata and in `iss`. */
  issuer: z.string().refine(isProtectedUrl, PROTECTED_URL),
  /** The address of the MCP endpoint for clients, which tokens must name in `aud`. */
  audience: z.string().refine(isProtectedUrl, PROTECTED_URL),
  /** What a token needs in `scope`. */
  scope: z
    .string()
    .regex(/^[\w.:/-]+$/)
    .default('vaultgraph'),
  /** The view that a token with a scope sees, by scope. */
  views: z.record(z.string(), z.string()).default({}),
  /** The address of the public keys; by default from the metadata of the issuer. */
  jwks_url: z.string().refine(isProtectedUrl, PROTECTED_URL).nullable().default(null),
});

/** Everything but the vaults and `providers`; names as in the YAML. */
export const SERVER_SETTINGS = z.strictObject({
  /** Whether `serve` starts only if every provider passes its probe. */
  startup: z.strictObject({ verify: z.boolean().default(false) }).prefault({}),
  /** The tools that are listed; by default all whose requirements are configured. */
  tools: TOOL_SWITCHES,
  limits: z
    .strictObject({
      /** Milliseconds for a whole call over MCP. */
      call: z.int().min(1).max(MAX_CALL_MS).default(55_000),
      /** Items one call may name. */
      batch: z.int().min(1).max(MAX_BATCH_ITEMS).default(50),
      /** Characters one text argument may have. */
      text: z.int().min(1).max(MAX_TEXT_CHARACTERS).default(1_000_000),
      /** Bytes the images of one answer may have. */
      image: z.int().min(1).max(MAX_IMAGE_BYTES).default(5_000_000),
      /** Bytes one message of the client may have; by default enough for a text argument. */
      message: z.int().min(1).max(MAX_MESSAGE_BYTES).optional(),
    })
    .superRefine(({ text, message }, context) => {
      if (message === undefined || message >= text * MAX_CHARACTER_BYTES) return;
      const needed = `${text * MAX_CHARACTER_BYTES}, ${MAX_CHARACTER_BYTES} bytes for each character of \`limits.text\``;
      context.addIssue({ code: 'custom', path: ['message'], message: `it must be at least ${needed}` });
    })
    .transform(({ message, ...limits }) => ({
      ...limits,
      message: message ?? Math.max(MIN_DEFAULT_MESSAGE_BYTES, limits.text * MAX_CHARACTER_BYTES),
    }))
    .prefault({}),
  /** Milliseconds that a question to the user may wait; they do not count as time of the call. */
  consent: z.strictObject({ timeout: z.int().min(1).max(MAX_CONSENT_MS).default(40_000) }).prefault({}),
  /** How often a provider is tried for one call or for one request of a job; 1 is never again. */
  retry: z
    .strictObject({
      attempts: z.int().min(1).max(MAX_ATTEMPTS).default(2),
      job_attempts: z.int().min(1).max(MAX_JOB_ATTEMPTS).default(5),
    })
    .prefault({}),
  breaker: z
    .strictObject({
      enabled: z.boolean().default(false),
      /** In a row. */
      failures: z.int().min(1).max(MAX_FAILURES_IN_A_ROW).default(5),
      /** Milliseconds until the provider is tried again. */
      cooldown: z.int().min(1).max(MAX_COOLDOWN_MS).default(15_000),
    })
    .prefault({}),
  /** What an argument of `search` may ask for; by itself it changes nothing. */
  search: z
    .strictObject({
      on_embedding_failure: z.enum(['fail', 'text_only']).default('fail'),
      /** `require`: every answer from the index waits for a comparison with the vault; `show`: the caller decides. */
      freshness: z.enum(['show', 'require']).default('show'),
    })
    .prefault({}),
  index: z
    .strictObject({
      /** What an argument of `search` may ask for; by itself it changes nothing. */
      allow_mismatched_query: z.boolean().default(false),
      /** Milliseconds that the first calls wait for a first index. */
      first_wait: z.int().min(0).max(MAX_CALL_MS).default(3_000),
      /** The types of attachments whose text is indexed. */
      attachments: z.array(z.enum(['pdf'])).default([]),
      /** How long the feed of changes keeps each, and how large its file may be. */
      changes: z
        .strictObject({
          days: z.int().min(1).max(MAX_FEED_DAYS).default(90),
          mib: z.int().min(MIN_FEED_MIB).max(MAX_FEED_MIB).default(64),
        })
        .prefault({}),
      /** A scan that would drop more than this share of at least `min_notes` known notes is stopped. */
      mass_delete_guard: z
        .strictObject({
          ratio: z.number().gt(0).max(1).default(0.5),
          min_notes: z.int().min(0).default(20),
        })
        .prefault({}),
    })
    .prefault({}),
  /** Whether earlier texts of notes are kept, how long after another one replaced them, and how large their file may be. */
  history: z
    .preprocess(
      (value, { addIssue }) => {
        if (value === 'keep' || value === 'off') return { keep: value === 'keep' };
        if (!isObject(value) && value !== undefined) addIssue('it must be keep, off, or a map with keep, days and mib');
        return value;
      },
      z.strictObject({
        keep: z.boolean().default(false),
        days: z.int().min(1).max(MAX_HISTORY_DAYS).default(365),
        mib: z.int().min(MIN_HISTORY_MIB).max(MAX_HISTORY_MIB).default(512),
      }),
    )
    .prefault({}),
  checks: CHECK_SETTINGS,
  /** Whether a failure of one service includes the health of the others. */
  errors: z.strictObject({ include_health: z.boolean().default(false) }).prefault({}),
  mcp: z
    .strictObject({
      structured_content: answerForm.default('auto'),
      output_schemas: z.union([z.boolean(), z.literal('auto')], 'it must be auto, true or false').default('auto'),
      /** The tools that clients which defer tools load at once; `search` also means search_text without an embedding model. */
      always_load: z.array(z.string()).default(['get_context', 'search', 'read_notes', 'edit_note']),
    })
    // A client refuses every answer without the half that its schema is about.
    .refine((mcp) => mcp.structured_content !== 'text' || mcp.output_schemas !== true, {
      path: ['output_schemas'],
      message: 'an output schema describes the structured half, which `mcp.structured_content: text` leaves out',
    })
    .prefault({}),
  /** What `serve --http` listens to, and whom it answers. */
  http: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      port: z.int().min(0).max(MAX_PORT).default(7332),
      /** Files with the certificate chain and the private key, in PEM. */
      tls: z
        .strictObject({ cert: z.string().min(1), key: z.string().min(1) })
        .nullable()
        .default(null),
      /** Addresses or CIDR ranges of proxies that handle TLS; only they are answered then. */
      trusted_proxies: z
        .array(z.string().refine(isAddressRange, 'an IP address, or a range such as 10.0.0.0/8'))
        .default([]),
      /** Host names that clients use; by default those of this machine and addresses. */
      allowed_hosts: z.array(z.string()).default([]),
      /** Origins of web pages that may send requests. */
      allowed_origins: z.array(z.string()).default([]),
      /** Tokens of an authorization server, beside those of `vaultgraph tokens`. */
      oauth: OAUTH.nullable().default(null),
      sessions: z.int().min(1).max(MAX_SESSIONS).default(1_000),
      /** Milliseconds without a request or an open stream until a session ends. */
      session_idle: z.int().min(1_000).max(MAX_SESSION_IDLE_MS).default(1_800_000),
      /** For each token. */
      requests_per_second: z.int().min(1).max(MAX_REQUEST_RATE).default(1_000),
    })
    .prefault({}),
  log: z.strictObject({ level: z.enum(LOG_LEVELS).default('info'), file: outputFile }).prefault({}),
  metrics: z.strictObject({ file: outputFile }).prefault({}),
});

export type ServerSettings = z.infer<typeof SERVER_SETTINGS>;

/** @param toolNames the names of all tools @returns a fault for each name in the lists at `path` that is none of them */
export function toolFaults(
  lists: Readonly<Record<string, readonly string[] | undefined>>,
  toolNames: readonly string[],
  document: ConfigDocument,
  path: KeyPath = ['tools'],
): readonly ConfigFault[] {
  return Object.entries(lists).flatMap(([list, names = []]) =>
    names.flatMap((name, index) => {
      if (toolNames.includes(name)) return [];
      const place = document.placeOf([...path, list, index], 'value');
      return {
        ...place,
        key: [...path, list].join('.'),
        what: `there is no tool ${quoted(name)}`,
        ...nearOrAll(name, toolNames),
      };
    }),
  );
}

function nearOrAll(name: string, names: readonly string[]): Pick<ConfigFault, 'allowed' | 'did_you_mean'> {
  const near = didYouMean(name, names);
  return near.did_you_mean === undefined ? { allowed: names } : near;
}

export const isSwitchedOn =
  (...switches: readonly ToolSwitches[]) =>
  ({ name }: { readonly name: string }): boolean =>
    switches.every(({ only, except }) => (only?.includes(name) ?? true) && !except.includes(name));

export interface OutputFile {
  readonly key: 'log.file' | 'metrics.file';
  /** Absolute. */
  readonly path: string;
  /** The place of the value in the config. */
  readonly place: Place;
}

export interface OutputFiles {
  readonly log?: OutputFile;
  readonly metrics?: OutputFile;
}

/** The placeholder for the process id in a path, so that several servers do not overwrite each other's file. */
export const PROCESS_MARK = '{pid}';

/** @param settings undefined if they are not valid */
export function outputFiles(
  settings: Pick<ServerSettings, 'log' | 'metrics'> | undefined,
  document: ConfigDocument,
  { cwd, home }: Pick<ConfigSources, 'cwd' | 'home'>,
): OutputFiles {
  const fileOf = (section: 'log' | 'metrics'): OutputFiles => {
    const rawPath = settings?.[section].file ?? null;
    if (rawPath === null) return {};
    const place = document.placeOf([section, 'file'], 'value');
    return { [section]: { key: `${section}.file`, path: absolutePath(rawPath, cwd, home), place } };
  };
  return Object.freeze({ ...fileOf('log'), ...fileOf('metrics') });
}

/**
 * The vault is never written to, and two files are two files.
 * @param others paths of files that have another use, by what they are
 */
export async function outputFaults(
  files: OutputFiles,
  vaultRoot: string,
  others: Readonly<Record<string, string | null | undefined>>,
): Promise<readonly ConfigFault[]> {
  const { log, metrics } = files;
  const faults: ConfigFault[] = [];
  for (const file of [log, metrics]) {
    if (file === undefined) continue;
    if (await liesInside(vaultRoot, file.path))
      faults.push(faultOf(file, `\`${file.key}\` is inside the vault, which is never written to`));
    const [use] = Object.entries(others).find(([, path]) => path === file.path) ?? [];
    if (use !== undefined) faults.push(faultOf(file, `\`${file.key}\` is the same file as ${use}`));
  }
  if (metrics !== undefined && log?.path === metrics.path)
    faults.push(faultOf(metrics, '`metrics.file` is the same file as `log.file`'));
  return faults;
}

export function faultOf({ key, place }: OutputFile, what: string): ConfigFault {
  return { ...place, key, what };
}
