// How an edit is refused whose arguments make no sense in the note.
import { type InputIssue, VaultgraphError } from '../../base/errors.ts';

const ACCEPTED = {
  edit_note: ['note', 'edits', 'if_match', 'confirm', 'dry_run', 'plan_id'],
  set_properties: [
    ...['note', 'set', 'remove', 'add_tags', 'remove_tags', 'add_aliases', 'remove_aliases'],
    ...['if_match', 'confirm', 'dry_run', 'plan_id'],
  ],
} as const;

/** @param at where in the arguments, `edits.0.text` */
export function editRefusal(tool: keyof typeof ACCEPTED, at: string, rule: string): VaultgraphError<'INVALID_INPUT'> {
  const issue: InputIssue = { path: at, rule };
  return new VaultgraphError('INVALID_INPUT', { tool, issues: [issue], accepted: ACCEPTED[tool] });
}
