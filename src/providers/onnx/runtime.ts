// The library that runs ONNX models: the pinned version, its files with their hashes, and where `models add` puts it.
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { isErrno } from '../../base/errno.ts';
import { readOwnFile } from '../../base/system/own-file.ts';

export const RUNTIME = Object.freeze({
  name: 'onnxruntime-web',
  version: '1.30.0',
  licence: 'MIT',
  /** The module that is imported. */
  entry: 'ort.wasm.bundle.min.mjs',
  program: 'ort-wasm-simd-threaded.wasm',
  /** The files in the folder dist of the package that one thread without a graphics processor needs: they import nothing else. */
  files: Object.freeze({
    'ort.wasm.bundle.min.mjs': '11e64bd8ffe11bd1a2a2f0d6275fdfbbba7262f0b76b99b53d228a8a22ef3d90',
    'ort-wasm-simd-threaded.wasm': '3398c10d07d229bd91b364548e130e0e51a8e5704b88c7c083ebbeb78842dee2',
  } as Readonly<Record<string, string>>),
});

/** Beside the models, under a name that no model can have. */
export const runtimeFolder = (modelFolder: string): string =>
  join(dirname(modelFolder), `.${RUNTIME.name}-${RUNTIME.version}`);

/** What is wrong with the library in the folder; undefined if it is whole and the pinned one. @throws the error of the disk */
export async function runtimeFault(folder: string): Promise<string | undefined> {
  for (const [file, sha256] of Object.entries(RUNTIME.files)) {
    const bytes = bytesOf(join(folder, file));
    if (bytes === undefined) return `${RUNTIME.name} ${RUNTIME.version}, which runs it, is not installed beside it`;
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      return `${RUNTIME.name} beside it is damaged: ${file} is not the file of version ${RUNTIME.version}`;
  }
  return undefined;
}

function bytesOf(file: string): Buffer | undefined {
  try {
    return readOwnFile(file);
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT', 'ENOTDIR')) return undefined;
    throw thrown;
  }
}
