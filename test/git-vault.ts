// A vault in a git repository whose commits have given days.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface GitVault {
  put(path: string, text: string): void;
  /** Of any file or folder. */
  move(from: string, to: string): void;
  remove(path: string): void;
  git(...args: string[]): string;
  /** Commits everything at noon, UTC. @returns the hash of the commit */
  commit(day: string): string;
}

/** @param root of the repository; exists */
export function gitVault(root: string): GitVault {
  const env = { PATH: process.env.PATH, HOME: root, GIT_CONFIG_NOSYSTEM: '1', LC_ALL: 'C' };
  const git = (given: NodeJS.ProcessEnv, ...args: string[]): string =>
    execFileSync('git', args, { cwd: root, env: { ...env, ...given }, encoding: 'utf8', stdio: 'pipe' }).trim();
  git({}, 'init', '--quiet');
  for (const [name, value] of [
    ['user.name', 'A'],
    ['user.email', 'a@localhost'],
  ] as const)
    git({}, 'config', name, value);
  return {
    put: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    },
    move: (from, to) => {
      mkdirSync(dirname(join(root, to)), { recursive: true });
      git({}, 'mv', from, to);
    },
    remove: (path) => rmSync(join(root, path)),
    git: (...args) => git({}, ...args),
    commit: (day) => {
      const at = `${day}T12:00:00Z`;
      git({}, 'add', '--all');
      git({ GIT_COMMITTER_DATE: at, GIT_AUTHOR_DATE: at }, 'commit', '--quiet', '--message', day);
      return git({}, 'rev-parse', 'HEAD');
    },
  };
}
