// Prepares the globals of a thread for pdf.js: without what only drawing needs, and with a limit to what it decompresses. Import it first.
import { VaultgraphError } from '../base/errors.ts';

/** More than any text or font of a page; a small file can decompress to a thousand times its size. */
const MAX_BUFFER_BYTES = 64 * 1024 * 1024;

/** Whether pdf.js wanted a larger buffer since the file was opened. */
export const limitedBuffers = { isPassed: false };

const { getBuiltinModule } = process;

// Without `createRequire` it does not load a native package for drawing, which may be installed for another program.
process.getBuiltinModule = ((name: string) => (name === 'module' ? undefined : getBuiltinModule(name))) as never;

/** It says at loading that it cannot draw. */
const ignore = (): void => undefined;
Object.assign(console, { log: ignore, warn: ignore });

const limited: Uint8ArrayConstructor = new Proxy(Uint8Array, {
  construct(target, args: unknown[], newTarget): object {
    const [size] = args;
    if (typeof size === 'number' && size > MAX_BUFFER_BYTES) {
      limitedBuffers.isPassed = true;
      throw new VaultgraphError('INTERNAL', { kind: 'large_buffer' });
    }
    return Reflect.construct(target, args, newTarget === limited ? target : newTarget);
  },
});

// Without DecompressionStream it decompresses into such buffers, and not into any number of small ones.
const replaced = { Uint8Array: limited, DecompressionStream: undefined };
const unused = Object.fromEntries(['DOMMatrix', 'ImageData', 'Path2D'].map((name) => [name, class {}]));
for (const [name, value] of Object.entries({ ...unused, ...replaced }))
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
