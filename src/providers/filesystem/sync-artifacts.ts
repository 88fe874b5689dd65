// Recognizes what sync clients leave in a vault: placeholder stubs and conflict copies.
const CLOUD_STUB = /^\.(.+)\.icloud$/;
const CONFLICT_COPY = /\((?:[^()]* )?conflicted copy(?: [^()]*)?\)|\.sync-conflict-/i;

/** The name of the file that an iCloud stub is a placeholder for; undefined for any other name. */
export function nameBehindStub(name: string): string | undefined {
  return CLOUD_STUB.exec(name)?.[1];
}

/** The name of the iCloud stub that stands for a file; this path or name is taken while it exists. */
export function stubOf(path: string): string {
  const at = path.lastIndexOf('/') + 1;
  return `${path.slice(0, at)}.${path.slice(at)}.icloud`;
}

export function isConflictCopy(path: string): boolean {
  return CONFLICT_COPY.test(path.slice(path.lastIndexOf('/') + 1));
}
