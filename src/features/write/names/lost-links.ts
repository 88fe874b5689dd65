// Finds the links to headings and blocks that a change removes.
import type { NotePath } from '../../../base/note.ts';
import { jobs } from '../../../compute/jobs.ts';
import type { ResolvedLink, Store } from '../../../contracts/store.ts';
import type { CallContext } from '../../../contracts/tool.ts';
import { everyLink } from '../../notes/note-view.ts';

/** A text of a note before and after a change. */
interface ChangedText {
  readonly path: NotePath;
  readonly before: string;
  readonly after: string;
}

/** The links to headings and blocks that the changed text does not have any more. */
export async function linksToLostParts({ path, before, after }: ChangedText, store: Store, call: CallContext) {
  const links = (await everyLink(path, 'in', store, call.signal)).filter(({ subpath }) => subpath !== '');
  const subpaths = links.map(({ subpath }) => subpath);
  const lost = await call.compute.run(jobs.lost_parts, { before, after, subpaths }, call.signal);
  return lost.map((at) => {
    const { source, line, link } = links[at] as ResolvedLink;
    return { path: source, line, link, reason: `${path} has no such part any more` };
  });
}
