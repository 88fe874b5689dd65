// `npm run release:check`: checks that versions, changelog, licences, package, bundles and manifests are ready for a release.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { VERSION } from '../../src/base/version.ts';
import { bundle, nameOf } from './bundle.ts';
import { PLATFORMS } from './bundle-manifest.ts';
import { pack, ROOT, workFolder } from './installed.ts';

const MAX_PACKAGE_BYTES = 8_000_000;
const MAX_BUNDLE_BYTES = 12_000_000;
const NEEDED = [
  'dist/main.js',
  'dist/THIRD-PARTY-LICENSES',
  'dist/sbom.cdx.json',
  'skills/vaultgraph/SKILL.md',
  'config.example.yaml',
  'LICENSE',
];

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

/** What keeps each part from being released; nothing if it is ready. */
const CHECKS: Readonly<Record<string, () => readonly string[]>> = {
  versions: () => {
    const named = {
      'src/base/version.ts': VERSION,
      'server.json': JSON.parse(read('server.json')).version,
      '.claude-plugin/plugin.json': JSON.parse(read('.claude-plugin/plugin.json')).version,
      'package-lock.json': JSON.parse(read('package-lock.json')).version,
    };
    return Object.entries(named).flatMap(([file, other]) =>
      other === version ? [] : `${file} has ${other}, package.json ${version}`,
    );
  },
  changelog: () => {
    const [, first = ''] = /^## (.+)$/m.exec(read('CHANGELOG.md')) ?? [];
    const isDated = first.startsWith(`${version} (`) && /\(\d{4}-\d\d-\d\d\)$/.test(first);
    return isDated ? [] : [`the first section of CHANGELOG.md is "${first}", not ${version} with a date in brackets`];
  },
  'working tree': () => {
    const changed = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }).trim();
    return changed === '' ? [] : [`not committed: ${changed.replaceAll('\n', ', ')}`];
  },
  // The build itself fails if a bundled package has no licence.
  licences: () => {
    const names = read('dist/THIRD-PARTY-LICENSES').match(/^.+ \d+\.\d+\.\d+ \(.+\)$/gm) ?? [];
    return names.length > 0 ? [] : ['dist/THIRD-PARTY-LICENSES names no package'];
  },
  manifests: () => {
    const { status, stdout } = spawnSync(process.execPath, ['--test', 'test/packaging/manifests.test.ts'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    return status === 0 ? [] : [stdout];
  },
};

function packageProblems(work: string): { readonly file: string; readonly problems: readonly string[] } {
  const { file, size, paths } = pack(work);
  const missing = NEEDED.filter((path) => !paths.includes(path)).map((path) => `${path} is missing`);
  const foreign = paths
    .filter((path) => /^(?:src|test|vault-fixtures)\//.test(path))
    .map((path) => `${path} does not belong into it`);
  const large = size > MAX_PACKAGE_BYTES ? [`it has ${size} bytes, above ${MAX_PACKAGE_BYTES}`] : [];
  return { file, problems: [...missing, ...foreign, ...large] };
}

function bundleProblems(packed: string, work: string): readonly string[] {
  return PLATFORMS.flatMap((platform) => {
    const { size } = statSync(bundle(platform, packed, work, work));
    return size > MAX_BUNDLE_BYTES ? [`${nameOf(platform)} has ${size} bytes, above ${MAX_BUNDLE_BYTES}`] : [];
  });
}

function report(what: string, problems: readonly string[]): boolean {
  process.stdout.write(problems.length === 0 ? `ok      ${what}\n` : `PROBLEM ${what}: ${problems.join('; ')}\n`);
  return problems.length === 0;
}

const work = workFolder();
try {
  const results = Object.entries(CHECKS).map(([what, problems]) => report(what, problems()));
  const { file, problems } = packageProblems(work.path);
  results.push(report('package', problems), report('bundles', bundleProblems(file, work.path)));
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  work.remove();
}
