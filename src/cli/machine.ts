// The facts about this machine.
import { homedir } from 'node:os';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. */
  readonly home: string;
}

export interface Workplace extends Machine {
  /** Absolute: the working directory. */
  readonly cwd: string;
}

export function thisMachine(): Workplace {
  const { platform, env } = process;
  return { platform, env, home: homedir(), cwd: process.cwd() };
}
