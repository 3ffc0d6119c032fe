import { type SQL, sql } from 'drizzle-orm';
import { normalForm, sourceHashHex } from '#server/matching/normal-form.ts';

/** The tuid of a stored segment, as an SQL expression: the unit's own, or the id of the job from which a pair was learned. */
export const storedTuid = (segments: string): SQL => {
  const table = segments === '' ? '' : `${segments}.`;
  return sql.raw(`coalesce(${table}tuid, ${table}job_id)`);
};

/**
 * The tuid that an export writes. A unit imported without one gets the hash of its source, which is the key of the
 * exact tier. So its tuid stays the same in every export, and when the file is imported again.
 */
export function exportedTuid({ sourceText, tuid }: { sourceText: string; tuid: string | null }): string {
  return tuid ?? sourceHashHex(normalForm(sourceText));
}
