// The section `checks`: the thresholds of check_vault and the findings that are accepted for good.
import * as z from 'zod';
import { CHECK_DEFAULTS, CHECK_RULES } from '../contracts/settings/check-settings.ts';

const MAX_DAYS = 36_500;
const MAX_NAMES = 1_000;

const days = z.int().min(0).max(MAX_DAYS);
const names = z.array(z.string().trim().min(1)).max(MAX_NAMES);

const accepted = Object.fromEntries(CHECK_RULES.map((rule) => [rule, names.optional()])) as Record<
  (typeof CHECK_RULES)[number],
  z.ZodOptional<typeof names>
>;
const { inbox_folders, inbox_tags, source_folders, outdated_days, overdue_days } = CHECK_DEFAULTS;

export const CHECK_SETTINGS = z
  .strictObject({
    /** Names of folders, at any depth, with what is not processed yet. */
    inbox_folders: names.default([...inbox_folders]),
    inbox_tags: names.default([...inbox_tags]),
    /** Names of folders with the sources of pages. */
    source_folders: names.default([...source_folders]),
    /** A page is outdated if its source changed so many days after it. */
    outdated_days: days.default(outdated_days),
    overdue_days: days.default(overdue_days),
    /** By rule: paths, folders that end in `/`, names, tags or properties. */
    accept: z.strictObject(accepted).prefault({}),
  })
  .prefault({});
