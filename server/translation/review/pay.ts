import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { readDateRange } from '#server/billing/metering/periods.ts';
import { calendarDate } from '#server/billing/metering/schema.ts';
import type { ReportRange } from '#server/billing/metering/usage-breakdown.ts';
import { AppError } from '#server/errors.ts';
import { writeTable } from '#server/formats/table-writer.ts';
import { emailsOf } from '#server/identity/members/members.ts';

/** The bands of an analysis, in the order of the report, with their names in the workbook. */
const bands = {
  new: 'New',
  from_70: '70–74%',
  from_75: '75–84%',
  from_85: '85–94%',
  from_95: '95–99%',
  sentences: 'Exact by sentences',
  exact: 'Exact matches',
  context: 'In context',
  repetitions: 'Repetitions in the file',
};

type Band = keyof typeof bands;

const bandNames = Object.keys(bands) as Band[];

/** Maximum number of rows: of reviewers, reviews and language pairs. */
const maxRows = 5000;

/** Maximum number of segments and changes of the reviewed documents, and of texts, that a report reads. */
const maxRead = 1_000_000;

const counts = {
  segments: z.int().describe('Segments of documents, and texts.'),
  words: z.int().describe('Words of their sources.'),
};

/** Generated clients name a type after the title; the name of a band may end with a number. */
const bandCounts = (name: Band) =>
  z.object(counts).meta({ title: `PayBand_${name}_counts`, description: `The band “${bands[name]}”.` });

const payRow = z.object({
  user_id: z.string().describe('The ID of the reviewer.'),
  email: z.string().nullable().describe('The email address of the reviewer; null for a former member.'),
  review: z
    .enum(['first', 'second'])
    .describe('`second` if another member had confirmed or changed the same segment or text before.'),
  source_lang: z.string().describe('The source language.'),
  target_lang: z.string().describe('The target language.'),
  ...counts,
  bands: z
    .object(
      Object.fromEntries(bandNames.map((name) => [name, bandCounts(name)])) as Record<
        Band,
        ReturnType<typeof bandCounts>
      >,
    )
    .describe('The same by what the translation memory had when the machine translated.'),
});

/** The source words that reviewers confirmed or changed in a range of days. */
export const payReport = z.object({
  from: calendarDate.describe('The first day, YYYY-MM-DD in UTC.'),
  to: calendarDate.describe('The last day, YYYY-MM-DD in UTC.'),
  rows: z.array(payRow).describe('By reviewer, language pair and review.'),
});

export const payWorkbook = z.object({
  file_name: z.string().describe('The name of the workbook.'),
  content: z.string().describe('The bytes of the workbook, in base64.'),
});

type PayReport = z.infer<typeof payReport>;

interface Sums extends Record<string, unknown> {
  user_id: string;
  is_second: boolean;
  source_lang: string;
  target_lang: string;
  band: Band;
  segments: number;
  words: number;
}

/** SQL: the band of a machine translation, except for repetitions in a file. `match` is in percent, or null. */
const bandOf = (was: { isExact: SQL; isContext: SQL; isDivided: SQL; match: SQL }) => sql`
  case when ${was.isExact} then case when ${was.isContext} then 'context' else 'exact' end
    when ${was.isDivided} then 'sentences' when ${was.match} >= 95 then 'from_95' when ${was.match} >= 85 then 'from_85'
    when ${was.match} >= 75 then 'from_75' when ${was.match} >= 70 then 'from_70' else 'new' end`;

const bandOfSegment = (fastPath: SQL, provenance: SQL) => sql`
  case when ${provenance} ->> 'repetition' is not null then 'repetitions' else ${bandOf({
    isExact: sql`${fastPath} is not null`,
    isContext: sql`${provenance} ->> 'context_match' = 'true'`,
    isDivided: sql`${provenance} -> 'tm_sentences' is not null`,
    match: sql`(${provenance} ->> 'match')::int`,
  })} end`;

/** SQL: the UTC day of a time. */
const dayOf = (time: SQL) => sql`((${time}) at time zone 'UTC')::date`;

/** The first and the last day, YYYY-MM-DD. */
interface Days {
  from: string;
  to: string;
}

/** The start of the first day, and the end of the last one. */
const timesOf = ({ from, to }: Days) => ({
  start: sql`((${from}::date)::timestamp at time zone 'UTC')`,
  end: sql`((${to}::date + 1)::timestamp at time zone 'UTC')`,
});

/** Documents with changes in a range. A change updates its document, in a transaction that may have begun earlier. */
function reviewedDocuments(tenantId: string, { start, end }: ReturnType<typeof timesOf>): SQL {
  return sql`(
    select d.document_id, d.segments, d.request from document_jobs d cross join lateral (
      select from segment_events where tenant_id = ${tenantId} and document_id = d.document_id
        and created_at >= ${start} and created_at < ${end} limit 1) e
    where d.tenant_id = ${tenantId} and d.updated_at >= ${start} - interval '1 hour')`;
}

/** Reads the segments that count in a range: a row for each member and segment. */
function countedSegments(tenantId: string, range: Days): SQL {
  const { start, end } = timesOf(range);
  return sql`(
    select r.day, r.user_id, r.is_second, coalesce(d.request ->> 'source_lang', '') as source_lang,
      coalesce(d.request ->> 'target_lang', '') as target_lang, r.band, 1 as segments, r.words
    from ${reviewedDocuments(tenantId, { start, end })} d cross join lateral (
      select f.user_id, ${dayOf(sql`f.at`)} as day, f.is_second, count_words(s.source_text) as words,
        case when s.is_repeated and was.band not in ('exact', 'context') then 'repetitions' else was.band end as band
      from (
        select *, row_number() over (partition by position order by at, user_id) > 1 as is_second
        from (
          select position, user_id, min(created_at) as at, min(band) as band
          from (
            -- The first event of a segment has the columns of the machine's translation.
            select position, user_id, kind, created_at,
              first_value(${bandOfSegment(sql`before ->> 'fast_path'`, sql`(before -> 'provenance')`)})
                over (partition by position order by created_at, event_id) as band
            from segment_events where tenant_id = ${tenantId} and document_id = d.document_id) e
          where kind in ('edited', 'confirmed', 'repeated') and user_id is not null and created_at < ${end}
          group by 1, 2) first) f
      join (
        select position, source_text, corrected, fast_path, provenance,
          row_number() over (partition by source_key order by position) > 1 as is_repeated
        from document_segments where tenant_id = ${tenantId} and document_id = d.document_id) s using (position)
      cross join lateral (select case when s.corrected then f.band
        else ${bandOfSegment(sql`s.fast_path`, sql`s.provenance`)} end as band) was
      where f.at >= ${start} offset 0) r)`;
}

/** @throws AppError 400 if there is too much to read: segments of one range of days, and texts of another one */
async function checkSize(tx: Tx, tenantId: string, ofSegments: Days, ofTexts: Days): Promise<void> {
  const { start, end } = timesOf(ofTexts);
  const [size] = await tx.execute<{ is_large: boolean }>(sql`
    with documents as materialized (select * from ${reviewedDocuments(tenantId, timesOf(ofSegments))} d limit ${maxRead})
    select (select coalesce(sum(segments), 0) from documents)
      + (select count(*) from (select from documents d cross join lateral (
          select from segment_events where tenant_id = ${tenantId} and document_id = d.document_id offset 0) e
        limit ${maxRead}) one)
      + (select count(*) from (select from translation_jobs
        where tenant_id = ${tenantId} and decided_at >= ${start} and decided_at < ${end} limit ${maxRead}) one)
      >= ${maxRead} as is_large`);
  if (size?.is_large)
    throw new AppError(
      'validation_error',
      `from: the report would read more than ${maxRead} segments, changes and texts; choose fewer days`,
    );
}

/**
 * Stores the sums of the days of a range that have none yet and have ended, so that later reports read few rows. One
 * statement counts at most a month.
 * @returns the first day that has no sums, YYYY-MM-DD; the day after the range if all have
 * @throws AppError 400
 */
async function countDays(tx: Tx, tenantId: string, range: Days): Promise<string> {
  const { from, to } = range;
  // A transaction that began on a day may end a little later.
  const [row] = await tx.execute<{ open: string }>(sql`
    select greatest(${from}::date, least(${to}::date + 1, ${dayOf(sql`now() - interval '1 hour'`)}))::text as open`);
  const { open } = row as { open: string };
  const missing = () =>
    tx.execute<{ from: string; to: string }>(sql`
      select min(day)::text as "from", max(day)::text as "to" from (
        select day, day - row_number() over (order by day)::int as run
        from (select day::date as day from generate_series(${from}::date, ${open}::date - 1, interval '1 day') day) one
        where not exists (select from review_pay_days p
          where p.tenant_id = ${tenantId} and p.day = one.day and p.user_id = '')) one
      group by run, date_trunc('month', day) order by 1`);
  if ((await missing()).length === 0) return open;
  // A deletion of changes takes the same lock (`forget_pay_days`), so that it finds all sums to remove.
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${tenantId}, 8203))`);
  for (const run of await missing()) {
    await checkSize(tx, tenantId, run, range);
    await tx.execute(sql`
      insert into review_pay_days (tenant_id, day, user_id, is_second, source_lang, target_lang, band, segments, words)
      select ${tenantId}, day, user_id, is_second, source_lang, target_lang, band, sum(segments), sum(words)
      from ${countedSegments(tenantId, run)} one group by day, user_id, is_second, source_lang, target_lang, band
      union all
      select ${tenantId}, day::date, '', false, '', '', '', 0, 0
      from generate_series(${run.from}::date, ${run.to}::date, interval '1 day') day`);
  }
  return open;
}

/**
 * Reports the source words that each member confirmed or changed. A segment or text counts once for each member, on the
 * day of the first time, also if that was undone later; so a past period keeps its figures until content is deleted.
 * Approvals of documents, rejections, and decisions with an API key count for no one.
 * @throws AppError 422 for an invalid range; 400 for more than 366 days, or too much to read or to return
 */
export async function reportPay(tx: Tx, tenantId: string, asked: ReportRange): Promise<PayReport> {
  const range = readDateRange(asked);
  const { start, end } = timesOf(range);
  // In tables without statistics, the planner would compare all segments of a document with all of its changes. The
  // lateral subqueries are still loops, which look up by keys. A plan for any days, which PostgreSQL makes at the fifth
  // report of a connection, took 7 times as long.
  await tx.execute(sql`select set_config('enable_nestloop', 'off', true),
    set_config('plan_cache_mode', 'force_custom_plan', true)`);
  const open = { from: await countDays(tx, tenantId, range), to: range.to };
  await checkSize(tx, tenantId, open, range);
  const sums = await tx.execute<Sums>(sql`
    with segments as (
      select user_id, is_second, source_lang, target_lang, band, segments, words
      from review_pay_days
      where tenant_id = ${tenantId} and day >= ${range.from}::date and day < ${open.from}::date and user_id <> ''
      union all
      select user_id, is_second, source_lang, target_lang, band, segments, words
      from ${countedSegments(tenantId, open)} one),
    passed as (
      select target as job_id, actor_id as user_id, min(recorded_at) as at from audit_log
      where tenant_id = ${tenantId} and action = 'review_passed' and details ->> 'kind' = 'job'
        and details ->> 'to' = 'second' and recorded_at < ${end}
        -- A text that is decided in the range may have been passed on long before.
        and recorded_at >= ${start} - interval '366 days'
      group by 1, 2),
    decided as (
      select job_id, user_id, min(at) as at from (
        select * from passed
        union all select job_id, decided_by, decided_at from translation_jobs
        where tenant_id = ${tenantId} and decided_at >= ${start} and decided_at < ${end} and decided_by is not null
          and status <> 'rejected') one
      group by 1, 2),
    texts as (
      select d.user_id, d.is_second, j.* from (
        select d.job_id, d.user_id, d.at, coalesce(bool_or(p.at <= d.at), false) as is_second
        from decided d left join passed p on p.job_id = d.job_id and p.user_id <> d.user_id
        where d.at >= ${start} group by 1, 2, 3) d
      cross join lateral (
        select coalesce(request ->> 'source_lang', ''), coalesce(request ->> 'target_lang', ''), ${bandOf({
          isExact: sql`pipeline_metadata #> '{provenance,fast_path}' is not null`,
          isContext: sql`false`,
          isDivided: sql`pipeline_metadata #> '{provenance,tm_sentences}' is not null`,
          match: sql`(select max(floor(value::numeric * 100)) from jsonb_path_query(agent_run,
              '$.steps[*].decisions[*] ? (@.label == "close_match").confidence') value)`,
        })}, 1, count_words_of(request)
        from translation_jobs where tenant_id = ${tenantId} and job_id = d.job_id offset 0) j)
    select user_id, is_second, source_lang, target_lang, band, sum(segments)::int as segments, sum(words)::int as words
    from (select * from segments union all select * from texts) one
    group by 1, 2, 3, 4, 5 order by 1, 3, 4, 2 limit ${(maxRows + 1) * bandNames.length}::int`);
  const emails = await emailsOf(tx, tenantId, [...new Set(sums.map(({ user_id }) => user_id))]);
  const rows = new Map<string, PayReport['rows'][number]>();
  for (const { user_id, is_second, source_lang, target_lang, band, segments, words } of sums) {
    const key = `${user_id} ${is_second} ${source_lang} ${target_lang}`;
    let row = rows.get(key);
    if (!row) {
      row = {
        ...{ user_id, email: emails.get(user_id) ?? null, review: is_second ? 'second' : 'first' },
        ...{ source_lang, target_lang, segments: 0, words: 0 },
        bands: Object.fromEntries(
          bandNames.map((name) => [name, { segments: 0, words: 0 }]),
        ) as PayReport['rows'][number]['bands'],
      };
      rows.set(key, row);
    }
    row.segments += segments;
    row.words += words;
    row.bands[band] = { segments, words };
  }
  if (rows.size > maxRows)
    throw new AppError(
      'validation_error',
      `from: the report has more than ${maxRows} rows; choose fewer days`,
    );
  return { ...range, rows: [...rows.values()] };
}

const head = [
  'Reviewer',
  'User ID',
  'Review',
  'Source language',
  'Target language',
  'Segments',
  'Words',
  ...bandNames.map((name) => `${bands[name]}: words`),
];

/** Writes a pay report as an Excel workbook. Names are texts and counts are numbers; no cell is a formula. */
export async function writePay({ from, to, rows }: PayReport): Promise<z.infer<typeof payWorkbook>> {
  const widths = [
    { columns: 2, width: 36 },
    { columns: head.length - 2, width: 14 },
  ];
  const lines = rows.map((row) => [
    ...[row.email ?? '', row.user_id, row.review, row.source_lang, row.target_lang, row.segments, row.words],
    ...bandNames.map((name) => row.bands[name].words),
  ]);
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTable({ name: 'Pay', head, widths }, [lines])) pieces.push(piece);
  return { file_name: `pay-${from}-${to}.xlsx`, content: Buffer.concat(pieces).toString('base64') };
}
