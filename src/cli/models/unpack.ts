// Takes some files out of a package's tarball, block by block: the whole content is several times larger.
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createGunzip } from 'node:zlib';

const BLOCK = 512;
const NAME = [0, 100] as const;
const SIZE = [124, 136] as const;

/** Writes the files of these names in `package/dist` of the tarball into the folder. @throws the error of the disk or of zlib */
export async function unpackFiles(tarball: string, names: readonly string[], folder: string): Promise<void> {
  const file = createReadStream(tarball);
  const unzipped = createGunzip();
  file.once('error', (thrown) => unzipped.destroy(thrown));
  const reader = createReader(file.pipe(unzipped));
  try {
    for (let header = await reader.take(BLOCK, true); header !== undefined; header = await reader.take(BLOCK, true)) {
      const name = text(header, NAME);
      const size = Number.parseInt(text(header, SIZE), 8) || 0;
      const isWanted = names.some((file) => name === `package/dist/${file}`);
      const content = await reader.take(Math.ceil(size / BLOCK) * BLOCK, isWanted);
      if (isWanted && content !== undefined) await writeFile(join(folder, basename(name)), content.subarray(0, size));
    }
  } finally {
    file.destroy();
    unzipped.destroy();
  }
}

const text = (block: Buffer, [from, to]: readonly [number, number]): string =>
  block.toString('latin1', from, to).replace(/\0.*$/s, '').trim();

function createReader(stream: AsyncIterable<Buffer>) {
  const pieces = stream[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);

  /** Undefined at the end. @param keeps whether the caller needs the bytes */
  async function take(length: number, keeps: boolean): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    let missing = length;
    while (missing > 0) {
      if (rest.length === 0) {
        const { done, value } = await pieces.next();
        if (done === true) return undefined;
        rest = value;
      }
      const piece = rest.subarray(0, missing);
      rest = rest.subarray(piece.length);
      missing -= piece.length;
      if (keeps) parts.push(piece);
    }
    return Buffer.concat(parts);
  }

  return { take };
}
