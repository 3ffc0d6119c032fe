import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import type { QualitySettings } from './schema.ts';

/** The settings of a workspace that has changed none: no spot checks, and the points of MQM. */
const defaults: QualitySettings = {
  sample_percent: 0,
  language_percents: {},
  minor_points: 1,
  major_points: 5,
  critical_points: 25,
  pass_score: 95,
};

/** Returns the settings of spot checks and quality checks. */
export async function readSettings(tx: Tx, tenantId: string): Promise<QualitySettings> {
  const [stored] = await tx.execute<QualitySettings & Record<string, unknown>>(sql`
    select sample_percent::float8 as sample_percent, language_percents, minor_points, major_points, critical_points,
      pass_score::float8 as pass_score
    from quality_settings where tenant_id = ${tenantId}`);
  return stored ?? defaults;
}

/** Saves the settings. They apply to texts that are drawn, and scorecards that are made, from now on. */
export async function saveSettings(
  tx: Tx,
  origin: Origin,
  { tenant, user }: SessionPrincipal,
  settings: QualitySettings,
): Promise<QualitySettings> {
  const { sample_percent, minor_points, major_points, critical_points, pass_score } = settings;
  const values = sql`${sample_percent}::real, ${JSON.stringify(settings.language_percents)}::jsonb, ${minor_points}::smallint,
    ${major_points}::smallint, ${critical_points}::smallint, ${pass_score}::real`;
  const columns = sql.raw(
    'sample_percent, language_percents, minor_points, major_points, critical_points, pass_score',
  );
  await tx.execute(sql`
    insert into quality_settings (tenant_id, ${columns}) values (${tenant.id}, ${values})
    on conflict (tenant_id) do update set (${columns}) = row (${values})`);
  await recordEvent(tx, origin, {
    action: 'quality_settings_changed',
    tenantId: tenant.id,
    actor: { kind: 'member', userId: user.id },
    details: {
      ...{ sample_percent, minor_points, major_points, critical_points, pass_score },
      language_percents: JSON.stringify(settings.language_percents),
    },
  });
  return readSettings(tx, tenant.id);
}
