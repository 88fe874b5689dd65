// What the test files of a worker share and close when the last of them has ended.
const closings: (() => Promise<void>)[] = [];

export function atEnd(close: () => Promise<void>): void {
  closings.push(close);
}

export async function closeShared(): Promise<void> {
  await Promise.all(closings.map((close) => close()));
}
