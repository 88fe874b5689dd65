// The hidden stub that stands for a file which is in the cloud only.

const CLOUD_STUB = /^\.(.+)\.icloud$/;

/** The name of the file that a stub stands for; undefined for any other name. */
export function nameBehindStub(name: string): string | undefined {
  return CLOUD_STUB.exec(name)?.[1];
}
