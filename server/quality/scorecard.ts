import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { readDateRange } from '#server/billing/metering/periods.ts';
import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { emailsOf } from '#server/identity/members/members.ts';
import type { CheckError, QualitySettings, Scorecard } from './schema.ts';

/** Maximum number of checks of a scorecard, and of files that it lists. */
const maxChecks = 50_000;
const maxFiles = 200;

interface DoneCheck {
  targetLang: string;
  reviewedBy: string;
  documentId: string | null;
  name: string | null;
  month: string;
  words: number;
  errors: CheckError[];
}

type Severity = CheckError['severity'];

/** The sums of some checks. */
type Sums = { checks: number; words: number } & Record<Severity, number>;

const noSums: Sums = { checks: 0, words: 0, minor: 0, major: 0, critical: 0 };

/**
 * Returns the results of the quality checks of a period, by language, reviewer, file and month, by the error typology of
 * MQM.
 * @throws AppError 422 for an invalid range, or too many checks; 400 for more than 366 days
 */
export async function reportScorecard(
  tx: Tx,
  tenantId: string,
  asked: {
    from?: string | undefined;
    to?: string | undefined;
    target_lang?: string | undefined;
    domain?: string | undefined;
  },
): Promise<Scorecard> {
  const range = readDateRange(asked);
  const { target_lang, domain } = asked;
  const settings = await readSettings(tx, tenantId);
  const rows = await tx.execute<DoneCheck & Record<string, unknown>>(sql`
    select c.target_lang as "targetLang", c.reviewed_by as "reviewedBy", d.document_id as "documentId",
      d.source_file_name as name, to_char(c.checked_at at time zone 'UTC', 'YYYY-MM') as month, c.words, c.errors
    from quality_checks c left join document_jobs d on c.item_kind = 'document' and d.tenant_id = ${tenantId}
      and d.document_id = c.item_id
    where c.tenant_id = ${tenantId} and c.origin = 'quality_check' and c.state = 'done'
      and c.checked_at >= ${range.from}::date::timestamp at time zone 'UTC'
      and c.checked_at < (${range.to}::date + 1)::timestamp at time zone 'UTC'
      and ${target_lang === undefined ? sql`true` : sql`c.target_lang = ${target_lang}`}
      and ${domain === undefined ? sql`true` : sql`c.domain = lower(trim(${domain}))`}
    limit ${maxChecks + 1}::int`);
  if (rows.length > maxChecks)
    throw new AppError(
      'unprocessable',
      `a scorecard has at most ${maxChecks} checks; choose fewer days or a language`,
    );
  const groupedBy = (keyOf: (row: DoneCheck) => string | null) =>
    [...Map.groupBy(rows, keyOf)]
      .flatMap(([key, ofKey]) =>
        key === null ? [] : [{ key, first: ofKey[0] as DoneCheck, sums: sumOf(ofKey) }],
      )
      .sort((a, b) => b.sums.checks - a.sums.checks || (a.key < b.key ? -1 : 1));
  const byReviewer = groupedBy(({ reviewedBy }) => reviewedBy);
  const emails = await emailsOf(
    tx,
    tenantId,
    byReviewer.map(({ key }) => key),
  );
  const errors = rows.flatMap((row) => row.errors);
  return {
    ...range,
    total: tallyOf(sumOf(rows), settings),
    categories: (['accuracy', 'fluency', 'terminology', 'style', 'locale'] as const).map((category) => ({
      category,
      ...countSeverities(errors.filter((error) => error.category === category)),
    })),
    languages: groupedBy(({ targetLang }) => targetLang).map(({ key, sums }) => ({
      target_lang: key,
      ...tallyOf(sums, settings),
    })),
    reviewers: byReviewer.map(({ key, sums }) => ({
      user_id: key,
      email: emails.get(key) || null,
      ...tallyOf(sums, settings),
    })),
    files: groupedBy(({ documentId }) => documentId)
      .slice(0, maxFiles)
      .map(({ key, first, sums }) => ({ document_id: key, name: first.name, ...tallyOf(sums, settings) })),
    months: groupedBy(({ month }) => month)
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ key, sums }) => ({ month: key, ...tallyOf(sums, settings) })),
  };
}

function sumOf(rows: readonly DoneCheck[]): Sums {
  return rows.reduce((sums, { words, errors }) => {
    const { minor, major, critical } = countSeverities(errors);
    return {
      checks: sums.checks + 1,
      words: sums.words + words,
      minor: sums.minor + minor,
      major: sums.major + major,
      critical: sums.critical + critical,
    };
  }, noSums);
}

function countSeverities(errors: readonly CheckError[]): Record<Severity, number> {
  const counts = { minor: 0, major: 0, critical: 0 };
  for (const { severity } of errors) counts[severity] += 1;
  return counts;
}

/** Returns the score of some checks. A critical error always fails. */
function tallyOf(sums: Sums, settings: QualitySettings): Scorecard['total'] {
  const { words, minor, major, critical } = sums;
  const points =
    minor * settings.minor_points + major * settings.major_points + critical * settings.critical_points;
  if (words === 0) return { ...sums, points, penalty_per_1000_words: null, score: null, passes: null };
  const penalty = (points / words) * 1000;
  const score = Math.max(0, 100 - penalty / 10);
  return {
    ...sums,
    points,
    penalty_per_1000_words: penalty,
    score,
    passes: critical === 0 && score >= settings.pass_score,
  };
}

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
