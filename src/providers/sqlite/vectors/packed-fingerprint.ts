// Writes a fingerprint as text and reads it back, number by number the same.
import type { Fingerprint } from '../../../contracts/fingerprint.ts';
import { bytesOf, vectorIn } from './unit-vector.ts';

export function packFingerprint(fingerprint: Fingerprint): string {
  const samples = fingerprint.samples.map((sample) => Buffer.from(bytesOf(sample)).toString('base64'));
  return JSON.stringify({ ...fingerprint, samples });
}

export function unpackFingerprint(packed: string): Fingerprint {
  const { samples, ...rest } = JSON.parse(packed) as Omit<Fingerprint, 'samples'> & { samples: readonly string[] };
  return { ...rest, samples: samples.map((sample) => vectorIn(Buffer.from(sample, 'base64'))) };
}
