// Reads earlier texts of files from the git repository that the vault is in. Writes nothing, and runs no program but git.
import { type ExecFileException, execFile } from 'node:child_process';
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { contentHash } from '../../base/content-hash.ts';
import { VaultgraphError } from '../../base/errors.ts';
import { foldersAbove, type NotePath } from '../../base/note.ts';
import { mayExist } from '../../base/system/presence.ts';
import type { EarlierText, Moment } from '../../contracts/vault.ts';
import { brokenPathRule, type Exclusion } from './path-rules.ts';

/** The same limit as for a file that is read. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024;
const MAX_GIT_MS = 10_000;
/** A note that was committed more often under other names is not followed further. */
const MAX_COMMITS = 10_000;
/** Commits among which a text is looked for by its hash. */
const MAX_TRIED = 8;

/**
 * Against settings of a repository that is not trusted: none of them starts a program or a transfer.
 * `cat-file`, `ls-tree` and `log --name-status` use no filter and no hook.
 */
const OPTIONS = [
  '--no-pager',
  '--literal-pathspecs',
  ...['core.fsmonitor=false', 'log.showSignature=false', 'protocol.allow=never'].flatMap((set) => ['-c', set]),
];
const KEPT_VARIABLES = ['PATH', 'HOME', 'XDG_CONFIG_HOME', 'USERPROFILE', 'SystemRoot'];

type Missing = Pick<VaultgraphError<'EARLIER_TEXT_MISSING'>['details'], 'reason' | 'said'>;
type GitAnswer = { readonly output: Buffer } | { readonly fault: Missing };

const NOT_COMMITTED: Missing = { reason: 'not_committed' };

/** A commit that changed a file: whether the file is gone with it, and its path in the repository. */
interface Commit {
  readonly id: string;
  readonly committedMs: number;
  readonly removes: boolean;
  readonly path: string;
}

/** @param root the vault's real path */
export function createGitTexts(root: string, { hides, ruleAgainst }: Pick<Exclusion, 'hides' | 'ruleAgainst'>) {
  return Object.freeze({
    /** @throws EARLIER_TEXT_MISSING, PATH_NOT_ALLOWED, LIMIT_EXCEEDED, VAULT_UNAVAILABLE */
    earlier: async (path: NotePath, at: Moment, signal: AbortSignal): Promise<EarlierText> => {
      const rule = brokenPathRule(path) ?? ruleAgainst(path);
      if (rule !== undefined) throw new VaultgraphError('PATH_NOT_ALLOWED', { path, rule });
      // The nearest folder may be in a repository of its own, as a submodule is.
      const folder = nearestFolder(root, path);
      const output = async (...args: readonly string[]): Promise<Buffer> => {
        const answer = await runGit(join(root, folder), args, signal);
        if ('output' in answer) return answer.output;
        throw missing(path, at, answer.fault);
      };
      const prefix = (await output('rev-parse', '--show-prefix')).toString().replace(/\n$/, '');
      const inVault = placesIn(folder, prefix);
      const until = await dateOf(at, output, path);
      // What is hidden is answered as what never was.
      const hash = 'hash' in at ? at.hash : undefined;
      const name = path.slice(folder.length);
      const commits = hides(path) ? [] : await commitsBefore(name, until, output, hash === undefined ? 1 : MAX_TRIED);
      for (const commit of commits) {
        const wasPath = inVault(commit.path);
        // A file that was outside the vault, or is hidden by the config, is not shown by its later name either.
        if (wasPath === undefined || hides(wasPath)) throw missing(path, at, NOT_COMMITTED);
        if (commit.removes && hash === undefined) throw missing(path, at, { reason: 'deleted' }, commit);
        const bytes = await textOf(commit, output);
        if (bytes === undefined || (hash !== undefined && contentHash(bytes) !== hash)) continue;
        if (isLfsPointer(bytes)) throw missing(path, at, { reason: 'lfs_pointer' });
        return {
          path: wasPath.normalize('NFC') as NotePath,
          bytes,
          revision: commit.id,
          writtenMs: commit.committedMs,
          keptBy: 'git',
        };
      }
      const isShallow = (await output('rev-parse', '--is-shallow-repository')).toString().startsWith('true');
      throw missing(path, at, isShallow ? { reason: 'not_cloned' } : NOT_COMMITTED);
    },
  });
}

/** The last folder of the path that exists, with a closing `/`; empty for the vault. Links are not followed. */
function nearestFolder(root: string, path: string): string {
  const isFolder = (folder: string): boolean =>
    lstatSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory() === true;
  const above = foldersAbove(path);
  const missing = above.findIndex((folder) => !isFolder(folder));
  const nearest = missing < 0 ? above.at(-1) : above[missing - 1];
  return nearest === undefined ? '' : `${nearest}/`;
}

/**
 * Makes paths in the repository into paths in the vault; undefined for what is outside it.
 * @param folder in the vault, and its `prefix` in the repository
 */
function placesIn(folder: string, prefix: string): (path: string) => string | undefined {
  if (folder.endsWith(prefix)) return (path) => folder.slice(0, folder.length - prefix.length) + path;
  const vault = prefix.slice(0, prefix.length - folder.length);
  return (path) => (path.startsWith(vault) ? path.slice(vault.length) : undefined);
}

/** Git LFS keeps the text elsewhere. To fetch it would start a program that the repository names. */
const isLfsPointer = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.subarray(0, LFS.length)).toString('latin1') === LFS;
const LFS = 'version https://git-lfs.github.com/spec/v1\n';

type Output = (...args: readonly string[]) => Promise<Buffer>;

/** Seconds since 1970. */
async function dateOf(at: Moment, output: Output, path: NotePath): Promise<number> {
  if ('beforeMs' in at) return Math.ceil(at.beforeMs / 1_000) - 1;
  const revision = `${at.revision}^{commit}`;
  const [shown] = await Promise.allSettled([output('log', '-1', '--format=%ct', '--end-of-options', revision)]);
  if (shown.status === 'rejected') {
    const { details } = shown.reason as VaultgraphError<'EARLIER_TEXT_MISSING'>;
    if (details.reason !== 'git_failed') throw shown.reason;
    throw missing(path, at, { reason: 'unknown_revision' });
  }
  return Number(shown.value.toString());
}

/** Undefined for what is not a file. */
async function textOf({ id, path, removes }: Commit, output: Output): Promise<Buffer | undefined> {
  if (removes) return undefined;
  const entry = (await output('ls-tree', '-z', '--full-tree', id, '--', path)).toString();
  const [, blob] = /^100\d{3} blob ([0-9a-f]+)\t/.exec(entry) ?? [];
  return blob === undefined ? undefined : output('cat-file', 'blob', blob);
}

/** The last commits up to the second that changed the file, newest first, by its name then; only where there is none, by earlier names. */
async function commitsBefore(path: string, until: number, output: Output, most: number): Promise<readonly Commit[]> {
  // No commit of git is from before 1970. A small number without a time zone is not read as seconds.
  if (until < 0) return [];
  const log = ['log', '--format=%x01%H %ct', '--name-status', '-z'];
  const direct = commitsIn(await output(...log, `-${most}`, `--until=@${until} +0000`, '--', path));
  if (direct.length > 0) return direct;
  const followed = commitsIn(await output(...log, `-${MAX_COMMITS}`, '--follow', '--', path));
  return followed.filter(({ committedMs }) => committedMs <= until * 1_000).slice(0, most);
}

/** @param log such as `\x01<id> <seconds>\0\nM\0<path>\0`, of renames `R087\0<old path>\0<path>\0` */
function commitsIn(log: Buffer): readonly Commit[] {
  return log
    .toString()
    .split('\x01')
    .flatMap((entry) => {
      const [head = '', status = '', first = '', second] = entry.split('\0').map((part) => part.replace(/^\n/, ''));
      const [id = '', seconds = ''] = head.split(' ');
      if (id === '' || status === '') return [];
      const path = /^[RC]/.test(status) ? (second ?? first) : first;
      return [{ id, committedMs: Number(seconds) * 1_000, removes: status === 'D', path }];
    });
}

function missing(path: NotePath, at: Moment, why: Missing, last?: Commit): VaultgraphError<'EARLIER_TEXT_MISSING'> {
  const asked = 'revision' in at ? at.revision : new Date(at.beforeMs - 1).toISOString();
  const deleted = last && { deleted_at: new Date(last.committedMs).toISOString() };
  return new VaultgraphError('EARLIER_TEXT_MISSING', { path, at: asked, ...why, ...deleted });
}

/** @throws the signal's reason; LIMIT_EXCEEDED for a longer output */
function runGit(root: string, args: readonly string[], signal: AbortSignal): Promise<GitAnswer> {
  const variables = KEPT_VARIABLES.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  const env = {
    ...Object.fromEntries(variables),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };
  const options = {
    cwd: root,
    env,
    signal,
    timeout: MAX_GIT_MS,
    maxBuffer: MAX_TEXT_BYTES,
    encoding: 'buffer',
    windowsHide: true,
    killSignal: 'SIGKILL',
  } as const;
  return new Promise((resolve, reject) => {
    execFile('git', [...OPTIONS, ...args], options, (error, stdout, stderr) => {
      if (error === null) return resolve({ output: stdout });
      if (signal.aborted) return reject(signal.reason);
      if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
        return reject(
          new VaultgraphError('LIMIT_EXCEEDED', { field: 'git', limit: MAX_TEXT_BYTES, actual: stdout.length }),
        );
      resolve({ fault: faultOf(error, stderr.toString(), root) });
    });
  });
}

function faultOf(error: ExecFileException, stderr: string, folder: string): Missing {
  if (error.code === 'ENOENT') return { reason: 'no_git' };
  // Git says the same of a repository that is damaged, or whose main folder is gone.
  if (/not a git repository/.test(stderr) && !hasRepository(folder)) return { reason: 'no_repository' };
  if (/does not have any commits yet/.test(stderr)) return { reason: 'no_commits' };
  const [line = ''] = stderr.split('\n');
  return { reason: 'git_failed', said: error.killed === true ? `it took longer than ${MAX_GIT_MS / 1_000} s` : line };
}

function hasRepository(folder: string): boolean {
  const above = dirname(folder);
  return mayExist(join(folder, '.git')) || (above !== folder && hasRepository(above));
}
