import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { agreementOf, type CalibrationStep, calibrate, type Share } from './statistics.ts';

/** The fewest checks from which the report states a share, and the judge is calibrated. */
export const minChecks = 50;

/** The latest checks of a language by which the judge is calibrated. */
const maxChecks = 10_000;

/** Decisions of reviewers become checks later than they were made: then their languages are calibrated again. */
const lateBy = '1 day';

/** SQL: the checks `c` of machine translations that count. A translation that was held for another reason than its score does not. */
const isAboutScore = sql.raw(
  `c.state = 'done' and c.origin in ('review', 'spot_check') and c.route <> 'held'`,
);

/** Calibrates the judge again for the languages of a workspace in which texts were checked since the last time. */
export async function calibrateLanguages(tx: Tx, tenantId: string): Promise<void> {
  const [since] = await tx.execute<{ at: string; latest: string | null }>(sql`
    select coalesce(calibrated_at, '-infinity')::text as at, (
      select max(checked_at)::text from quality_checks where tenant_id = ${tenantId}) as latest
    from quality_settings where tenant_id = ${tenantId} for no key update`);
  if (!since?.latest) return;
  const languages = await tx.execute<{ targetLang: string }>(sql`
    select distinct target_lang as "targetLang" from quality_checks c
    where tenant_id = ${tenantId} and checked_at > ${since.at}::timestamptz - ${lateBy}::interval`);
  for (const { targetLang } of languages) {
    const observations = await tx.execute<{ score: number; hit: boolean; weight: number }>(sql`
      select score, verdict = 'none' as hit, 1 as weight from quality_checks c
      where tenant_id = ${tenantId} and target_lang = ${targetLang} and ${isAboutScore}
      order by checked_at desc limit ${maxChecks}::int`);
    if (observations.length < minChecks) continue;
    const values = sql`${observations.length}::int, ${JSON.stringify(calibrate(observations))}::jsonb,
      ${JSON.stringify(agreementOf(observations))}::jsonb`;
    await tx.execute(sql`
      insert into quality_calibrations (tenant_id, target_lang, checks, steps, agreement)
      values (${tenantId}, ${targetLang}, ${values})
      on conflict (tenant_id, target_lang) do update set computed_at = now(), checks = excluded.checks,
        steps = excluded.steps, agreement = excluded.agreement`);
  }
  await tx.execute(sql`
    update quality_settings set calibrated_at = ${since.latest}::timestamptz where tenant_id = ${tenantId}`);
}

/** How the judge is calibrated for a target language. */
interface Calibration {
  target_lang: string;
  computed_at: string;
  checks: number;
  steps: CalibrationStep[];
  agreement: Share | null;
}

/** Returns the calibrations of a workspace, by language. */
export async function listCalibrations(tx: Tx, tenantId: string): Promise<Calibration[]> {
  const rows = await tx.execute<Omit<Calibration, 'computed_at'> & { computed_at: string }>(sql`
    select target_lang, computed_at, checks, steps, agreement from quality_calibrations
    where tenant_id = ${tenantId} order by target_lang`);
  return rows.map((row) => ({ ...row, computed_at: new Date(row.computed_at).toISOString() }));
}
