// Measures in CPU time, which does not depend on other load, whether work grows faster than its text.

export interface Growth {
  /** CPU milliseconds below which a measure is lost in noise. */
  readonly noiseMs: number;
  /** How many times the CPU time of the small text the large one may take. */
  readonly maxGrowth: number;
}

/** The least CPU time of this thread over some runs, in milliseconds. */
export function cpuMs(work: () => void, runs = 3): number {
  const times = Array.from({ length: runs }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...times);
}

/** Measures the large text once, and both texts again only where that took long. */
export function growsTooFast(small: () => void, large: () => void, { noiseMs, maxGrowth }: Growth): boolean {
  if (cpuMs(large, 1) < noiseMs) return false;
  const time = cpuMs(large);
  return time > noiseMs && time > maxGrowth * cpuMs(small);
}
