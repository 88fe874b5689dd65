// The doctor checks of the kept history and of the feed of changes: their size, since when they are kept, and whether they are sound.
import { historyOf, historyPlace } from '../../app/earlier-texts.ts';
import { NEVER } from '../../base/async/waits.ts';
import { shownPath } from '../../base/local-path.ts';
import { faultAt } from '../../base/system/presence.ts';
import type { Config } from '../../config/config.ts';
import type { StoredFeed, TextHistory } from '../../contracts/feed.ts';
import { localTime } from '../output.ts';
import { type Finding, failing, ok, SAMPLES, warning } from './finding.ts';

const MIB = 1024 * 1024;

export async function historyFinding(config: Config): Promise<Finding> {
  const history = historyOf(config, () => undefined);
  if (history === undefined) return unkept(historyPlace(config));
  try {
    return await findingOf(history, config);
  } finally {
    await history.close();
  }
}

function unkept(file: string): Finding {
  const off = 'earlier texts are not kept; `history: keep` keeps them';
  const errno = faultAt(file);
  if (errno === 'ENOENT') return ok(off);
  if (errno !== undefined) {
    const what = `${off}; whether those of before are still in ${shownPath(file)} is not known (${errno})`;
    return warning(what, 'check the folder and its permissions');
  }
  return warning(
    `${off}, and those of before are still in ${shownPath(file)}`,
    'delete the file if you do not want them',
  );
}

async function findingOf(history: TextHistory, { history: { mib } }: Config): Promise<Finding> {
  const { file } = history;
  const faults = await history.faults(NEVER);
  if (faults.length > 0) {
    const hint = `end the servers and delete ${file}: texts are then kept from the next start on`;
    return failing(`${file}: ${faults.slice(0, SAMPLES).join('; ')}`, hint);
  }
  const state = await history.state(NEVER);
  const earlier = history.hadDamage() ? '; an earlier one was damaged, and is kept beside it' : '';
  if (state === undefined) return ok(`${file} begins with the next scan${earlier}`);
  const { texts, bytes, since, unkept: lacking } = state;
  const detail = `${shownPath(file)}, ${(bytes / MIB).toFixed(1)} of ${mib} MiB, ${texts} texts since ${localTime(since)}${earlier}`;
  if (lacking === null || lacking === 0) return ok(detail);
  return warning(`${detail}; ${lacking} notes had no room`, 'raise `history.mib`');
}

export async function feedFinding({ feed }: { readonly feed?: StoredFeed }): Promise<Finding> {
  if (feed === undefined) return ok('none is kept');
  const faults = await feed.faults(NEVER);
  if (faults.length > 0) return failing(`${feed.file}: ${faults.slice(0, SAMPLES).join('; ')}`, feed.remedy);
  const state = await feed.state(NEVER);
  const earlier = feed.hadDamage() ? '; an earlier one was damaged, and is kept beside it' : '';
  const since = state?.knownSince ?? null;
  if (state === undefined || since === null) return ok(`${feed.file} begins with the next scan${earlier}`);
  const summary = `${state.last - state.forgotten} changes since ${localTime(since)}`;
  return ok(`${feed.file}, ${(state.bytes / MIB).toFixed(1)} MiB, ${summary}${earlier}`);
}
