// What `status` reports about the server.
import { VERSION } from '../base/version.ts';
import type { ServerReport } from '../contracts/tool.ts';
import type { Config } from '../lifecycle/config/config.ts';
import { lastCrash } from '../lifecycle/crash-file.ts';
import { presentCapabilities } from '../lifecycle/provider-health.ts';
import { checkStateFolder } from '../lifecycle/state-folder.ts';
import type { CallJournal } from '../mcp/dispatch/call-journal.ts';
import type { Opened } from './open-capabilities.ts';

/** Probes every provider. */
export type Report = (signal: AbortSignal) => Promise<ServerReport>;

interface ReportParts {
  readonly config: Config;
  readonly journal: CallJournal;
  readonly opened: Opened;
  readonly absent: ServerReport['capabilities']['absent'];
}

export function createReport({ config, journal, opened, absent }: ReportParts): Report {
  const { loaded, vault, writer, recovery } = opened;
  const startedAt = new Date().toISOString();
  return async (signal) => {
    const timings = journal.timings();
    const crash = lastCrash(config.dataFolder);
    return {
      version: VERSION,
      started_at: startedAt,
      vault: { name: config.name ?? vault.name, access: vault.access },
      ...(writer && { state_folder: await checkStateFolder(config.stateFolder) }),
      capabilities: { present: await presentCapabilities(loaded.providers, signal), absent },
      text_goes_to: loaded.textGoesTo,
      failures: journal.failures(),
      counters: journal.counters(),
      ...(timings.length > 0 && { timings }),
      ...(crash && { last_crash: crash }),
      ...(await recovery.row()),
    };
  };
}
