import { type SQL, sql } from 'drizzle-orm';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';

/**
 * SQL for the tuid of a stored segment: the tuid of the imported segment, or the id of the job from which the segment
 * was added.
 */
export const storedTuid = (segments: string): SQL => {
  const table = segments === '' ? '' : `${segments}.`;
  return sql.raw(`coalesce(${table}tuid, ${table}job_id)`);
};

/**
 * Returns the tuid that an export writes. A segment that was imported without one gets the hash of its source, by which
 * exact matches are found. So the tuid is the same in every export, and when the file is imported again.
 */
export function exportedTuid({ sourceText, tuid }: { sourceText: string; tuid: string | null }): string {
  return tuid ?? sourceHashHex(normalForm(sourceText));
}
