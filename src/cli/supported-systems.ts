// The systems for which the packages with native parts ship binaries.

const SYSTEMS = ['darwin arm64', 'darwin x64', 'linux arm64', 'linux x64', 'win32 x64'];

/** One sentence for a system where the program cannot start; undefined for any other. */
export function systemFault({ platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'>): string | undefined {
  if (SYSTEMS.includes(`${platform} ${arch}`)) return undefined;
  return `vaultgraph does not run on ${platform} ${arch}: its native parts exist for Linux with glibc and macOS on x64 and ARM, and for Windows on x64`;
}
