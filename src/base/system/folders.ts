// Finds folders that each system has in a place of its own.
import { rulesFor } from './system-rules.ts';

interface User {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly home: string;
}

/** Joins paths by the rules of the given system, so that every system can be tested anywhere. */
export function joinOn({ platform }: Pick<User, 'platform'>, ...parts: readonly string[]): string {
  return rulesFor(platform).paths.join(...parts);
}

/** Where desktop programs keep the settings of this user. */
export function appFolder({ platform, env, home }: User): string {
  const { variable = '', byDefault } = rulesFor(platform).appFolder;
  return env[variable] || joinOn({ platform }, home, byDefault);
}

/** Where every user of this machine may make a file. */
export function sharedFolder({ platform, env }: Pick<User, 'platform' | 'env'>): string {
  const { variable = '', byDefault } = rulesFor(platform).sharedFolder;
  return env[variable] || byDefault;
}

/** A relative path of the system with `/` between its folders. */
export function withSlashes(path: string, platform: NodeJS.Platform = process.platform): string {
  return path.replaceAll(rulesFor(platform).paths.sep, '/');
}
