// Errors about the config, the capabilities it turns on, and the files of the vault.
import { getSystemErrorMap } from 'node:util';
import { commandLine, programName } from '../command-line.ts';
import { oneLine } from '../visible-controls.ts';
import { codeList, entry, grouped, plural } from './error-entry.ts';

export interface ConfigFault {
  /** The config file, or the flag or variable the value came from. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly key?: string;
  readonly what: string;
  readonly allowed?: readonly string[];
  readonly did_you_mean?: string;
  /** What to do, where correcting the value is not all. */
  readonly advice?: string;
}

/** `file:line:column: what, allowed: …, did you mean …?`, on one line. */
function faultLine(fault: ConfigFault): string {
  const at = fault.line === undefined ? fault.file : `${fault.file}:${fault.line}:${fault.column ?? 1}`;
  const allowed = fault.allowed?.length ? `, allowed: ${fault.allowed.join(', ')}` : '';
  const nearest = fault.did_you_mean === undefined ? '' : `, did you mean \`${fault.did_you_mean}\`?`;
  return oneLine(`${at}: ${fault.what}${allowed}${nearest}`);
}

/** What a user does about a disk that fails while it is read or written. */
const DISK_REMEDIES: Readonly<Record<string, string>> = {
  EIO: 'check the disk',
  EUCLEAN: 'check the disk',
  ESTALE: 'mount the drive again',
  ENOKEY: 'unlock the encrypted folder',
};
/** @param start of the sentence */
const diskAdvice = (start: string, errno: string): string | undefined =>
  DISK_REMEDIES[errno] && `${start} ask the user to ${DISK_REMEDIES[errno]}.`;

const NO_PERMISSION = 'The server lacks permission to read it; ask the user to change that.';
const UNAVAILABLE_HINTS: Readonly<Record<string, string>> = {
  EMFILE: 'This process may not open more files: raise its limit (ulimit -n)',
  EAGAIN: 'The system starts no more threads for this user: end some programs',
  ENFILE: 'The system has too many open files: end some programs',
};
const UNREADABLE_HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'The file no longer exists; the next scan removes it from the index.',
  EACCES: NO_PERMISSION,
  EPERM: NO_PERMISSION,
  EISDIR: 'This is a folder with the name of a note.',
  EILSEQ: 'It is not UTF-8 text, so writing it would lose data. Ask the user to convert it.',
  EVICTED:
    'The file is not downloaded: it is in the cloud and not on this machine. Open it once in its app to download it.',
};

const NO_SPACE = 'ask the user to free some disk space, then try again.';
const WRITE_ADVICE: Readonly<Record<string, string>> = {
  ENOSPC: NO_SPACE,
  EDQUOT: NO_SPACE,
  EFBIG: 'files may not be that large here: ask the user to raise the limit (ulimit -f).',
  EROFS: 'ask the user to mount the file system for writing.',
  WRITE_CONFLICT: 'another program changed or moved notes meanwhile: read them again.',
  EBUSY: 'another process is writing to this vault: try again later.',
  ETIMEDOUT: 'ask the user to check that the folder responds.',
  ELIBACC: `ask the user to run \`${commandLine('doctor')}\`, which names the native module that does not load, and to reinstall, or to install the program flock.`,
  ENOLCK:
    'this system gives no locks, without which two processes could overwrite each other; ask the user to move the vault.',
};

const FILE_ADVICE = 'ask the user to check the permissions of the file and its folder.';
const LOG_ADVICE = 'ask the user to make that folder writable, or to name another one with --state-dir.';

/** Node has none for these. */
const MEANINGS: Readonly<Record<string, string>> = {
  EDQUOT: 'disk quota exceeded',
  ESTALE: 'stale file handle',
  EUCLEAN: 'damaged file system',
  ENOKEY: 'key not available',
};

/** With the meaning that the system gives it: `ENOSPC: no space left on device`. */
function systemError(errno: string): string {
  const known = [...getSystemErrorMap().values()].find(([name]) => name === errno)?.[1];
  const meaning = known ?? MEANINGS[errno];
  return meaning === undefined ? errno : `${errno}: ${meaning}`;
}

interface WriteFailure {
  readonly path: string;
  readonly errno: string;
  readonly step: string;
  readonly original_intact: boolean;
  /** For a change that may be half written: by this id it can be undone if it is completed. */
  readonly change_id?: string;
  /** For a full disk: the bytes that are free on it now, and how many the change needs where that is known. */
  readonly free_bytes?: number;
  readonly needed_bytes?: number;
  /** How many files fit on it, where its file system has such a limit. */
  readonly free_files?: number;
  /** For a change that cannot be read back: its id, its file in the change log, and the notes by the state of their kept texts. */
  readonly change?: string;
  readonly file?: string;
  readonly damaged?: readonly string[];
  readonly intact?: readonly string[];
  /** Whether a crash interrupted it. */
  readonly unfinished?: true;
  readonly other_version?: true;
}

function writeAdvice({ path, errno, free_files }: WriteFailure): string {
  // A disk may have room for bytes, but not for another file.
  if (free_files !== undefined) return 'ask the user to remove files from that disk, then try again.';
  return WRITE_ADVICE[errno] ?? (path.startsWith('the change log in ') ? LOG_ADVICE : FILE_ADVICE);
}

const MAX_SHOWN_PATHS = 10;

function pathList(paths: readonly string[]): string {
  const more = paths.length > MAX_SHOWN_PATHS ? ` and ${paths.length - MAX_SHOWN_PATHS} more` : '';
  return `${codeList(paths.slice(0, MAX_SHOWN_PATHS))}${more}`;
}

/** Empty for a failure of the system. */
function damageMessage({ change, file, errno, damaged = [], other_version: isOther }: WriteFailure): string {
  if (change === undefined) return '';
  const notes = damaged.length > 0 ? `: what it keeps of ${pathList(damaged)} is not as it was written` : '';
  return `the change ${change} cannot be read back, because its file ${file} in the change log is ${isOther ? 'of another version of vaultgraph, or ' : ''}damaged (${errno})${notes}`;
}

function damageHint({ damaged = [], intact = [], unfinished, other_version: isOther }: WriteFailure): string {
  const notes = [...damaged, ...intact];
  if (unfinished)
    return `Nothing was written, and no tool can write before this is resolved: a crash interrupted the change. ${
      notes.length > 0
        ? `Each of these notes may have its old or its new text: ${pathList(notes)}.`
        : 'Which notes it was changing is unknown.'
    } Ask the user to compare them with a copy, then to run \`${commandLine('doctor --set-aside-changes')}\`.`;
  if (isOther)
    return 'Nothing was written, and the file stays as it is. Only the version that made the change can undo it; the changes of this version can be undone.';
  if (intact.length === 0)
    return 'Nothing was written. No text that this change replaced can be restored from the log; ask the user for a copy of the notes.';
  return `Nothing was written. The change cannot be undone as a whole; the kept texts of ${pathList(intact)} are intact: \`${commandLine('changes --diff')}\` shows them, and edit_note can restore each of these notes.`;
}

function spaceFacts({ free_bytes: free, needed_bytes: needed, free_files: files }: WriteFailure): string {
  const facts = [
    ...(needed === undefined ? [] : [`the change needs ${grouped(needed)} bytes`]),
    ...(free === undefined ? [] : [`${grouped(free)} bytes are free`]),
    ...(files === undefined ? [] : [`the disk takes ${plural(files, 'more file')}`]),
  ];
  return facts.length === 0 ? '' : `; ${facts.join(', ')}`;
}

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
  CONFIG_INVALID: entry<{
    faults: readonly ConfigFault[];
    /** Replaces the hint, where the fault is not one of the config file. */
    advice?: string;
  }>({
    category: 'capability',
    retry: 'U',
    http: 500,
    message: ({ faults }) => faults.map(faultLine).join('\n'),
    hint: ({ faults, advice }) => {
      const [firstAdvice = advice] = faults.flatMap((fault) => fault.advice ?? []);
      if (firstAdvice !== undefined) return firstAdvice;
      const isInFile = faults.some(
        ({ file, key, line }) => (key !== undefined || line !== undefined) && !/^(?:--|\$)/.test(file),
      );
      return `Correct this and try again.${isInFile ? ' config.example.yaml in the package explains every key.' : ''}`;
    },
  }),
  CONFIG_MISSING: entry<{
    key: string;
    looked_in: readonly string[] /** In `init`, which would write it. */;
    is_init?: true;
  }>({
    category: 'capability',
    retry: 'U',
    http: 500,
    message: ({ key, looked_in }) => `${key} is not set; looked in ${looked_in.join(', ')}`,
    hint: ({ is_init: isInit }) =>
      isInit
        ? 'Name the folder with --vault DIR or $OBSIDIAN_VAULT_PATH.'
        : `Run \`${programName()} init\` to write a config file, or name the folder with --vault DIR or $OBSIDIAN_VAULT_PATH.`,
  }),
  /** `name` is set if the endpoint's name, and not its model, leads to another machine. */
  EGRESS_BLOCKED: entry<{
    capability: 'embedding' | 'llm' | 'rerank';
    endpoint: string;
    host: string;
    model: string;
    name?: string;
  }>({
    category: 'capability',
    retry: 'U',
    http: 403,
    message: ({ model, endpoint, host, name }) =>
      name === undefined
        ? `the model ${model} at ${endpoint} runs on another machine (${host}); no text was sent`
        : `${name} has the address of another machine (${host}); nothing was sent to ${endpoint}`,
    hint: ({ capability, name }) =>
      `${
        name === undefined
          ? 'Choose a model that runs on this machine'
          : `Correct the address of ${name} in the hosts file or use 127.0.0.1 in providers.${capability}.endpoint`
      }, or allow text to leave it with providers.${capability}.allow_remote: true and a restart.`,
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
    hint: ({ errno }) =>
      `${UNAVAILABLE_HINTS[errno] ?? 'Check that the folder is mounted and readable'}, then try again. The index is kept.`,
  }),
  FILE_UNREADABLE: entry<{ path: string; errno: string; differs_here?: true }>({
    category: 'vault',
    retry: 'D*',
    http: 500,
    retryAfterMs: 5_000,
    message: ({ path, errno }) => `${path} cannot be read (${errno})`,
    hint: ({ errno, differs_here }) =>
      differs_here
        ? 'Another machine indexed the note, and its file is not in the copy of the vault on this machine. Ask the user to sync the copies.'
        : (UNREADABLE_HINTS[errno] ??
          diskAdvice('The disk does not give it:', errno) ??
          'Check the file and its permissions, then try again.'),
  }),
  PROPERTIES_INVALID: entry<{ path: string; line: number; column: number; reason: string; of?: 'edit' }>({
    category: 'vault',
    retry: 'U',
    http: 422,
    message: ({ path, line, column, reason, of }) =>
      `${path}:${line}:${column}: the front matter ${of === 'edit' ? 'cannot be changed there' : 'is not valid YAML'}: ${reason}`,
    hint: ({ of }) =>
      of === 'edit'
        ? 'Write the other property out first, with `set_properties`, so that it does not refer to this one.'
        : 'The text of the note is indexed, its properties are not. Fix the front matter in an editor.',
  }),
  ATTACHMENT_INVALID: entry<{ path: string; expected: string; of?: 'image' | 'pdf' }>({
    category: 'vault',
    retry: 'U',
    http: 422,
    message: ({ path, expected }) => `${path} is not ${expected}`,
    hint: ({ of = 'image' }) =>
      of === 'pdf'
        ? 'The PDF is listed, but its text cannot be searched or read. Open it in another program to check it.'
        : 'The file has the extension of such a file, but not its content. Check the file in the vault.',
  }),
  CANVAS_INVALID: entry<{ path: string; reason: string }>({
    category: 'vault',
    retry: 'U',
    http: 422,
    message: ({ path, reason }) => `${path} is not a valid canvas: ${reason}`,
    hint: () => 'The canvas is listed without its links. Open it in Obsidian to fix it.',
  }),
  SETTINGS_INVALID: entry<{ path: string; reasons: readonly string[] }>({
    category: 'vault',
    retry: 'U',
    http: 422,
    message: ({ path, reasons }) => `not all excluded files of ${path} are hidden: ${reasons.join('; ')}`,
    hint: () => 'Correct the excluded files in the settings of Obsidian (Files and links). The other ones are hidden.',
  }),
  FILE_WRITE_FAILED: entry<WriteFailure>({
    category: 'vault',
    retry: 'U',
    http: 507,
    message: (details) =>
      damageMessage(details) ||
      `${details.path} was not written: ${details.step} failed (${systemError(details.errno)})${spaceFacts(details)}`,
    hint: (details) => {
      if (details.change !== undefined) return damageHint(details);
      const { errno, original_intact } = details;
      const outcome = original_intact
        ? 'The original is intact;'
        : 'The change may be half written; the next write or start completes it or rolls it back;';
      return diskAdvice(outcome, errno) ?? `${outcome} ${writeAdvice(details)}`;
    },
  }),
};
