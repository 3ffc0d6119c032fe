import { sql } from 'drizzle-orm';
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

const counts = {
  segments: z.int().describe('Segments of documents, and texts.'),
  words: z.int().describe('Words of their sources.'),
};

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
      Object.fromEntries(
        bandNames.map((name) => [name, z.object(counts).describe(`The band “${bands[name]}”.`)]),
      ) as Record<Band, z.ZodObject<typeof counts>>,
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

/**
 * Reports the source words that each member confirmed or changed. A segment or text counts once for each member, on the
 * day of the first time, also if that was undone later; so a past period keeps its figures until content is deleted.
 * Approvals of documents, rejections, and decisions with an API key count for no one.
 * @throws AppError 422 for an invalid range; 400 for more than 366 days or too many rows
 */
export async function reportPay(tx: Tx, tenantId: string, asked: ReportRange): Promise<PayReport> {
  const range = readDateRange(asked);
  const start = sql`((${range.from}::date)::timestamp at time zone 'UTC')`;
  const end = sql`((${range.to}::date + 1)::timestamp at time zone 'UTC')`;
  const sums = await tx.execute<Sums>(sql`
    with firsts as (
      select e.document_id, e.position, e.user_id, min(e.created_at) as at
      -- A change of a segment updates its document, in a transaction that may have begun on the day before.
      from document_jobs d join segment_events e on e.tenant_id = ${tenantId} and e.document_id = d.document_id
      where d.tenant_id = ${tenantId} and d.updated_at >= ${start} - interval '1 hour'
        and e.kind in ('edited', 'confirmed', 'repeated') and e.user_id is not null and e.created_at < ${end}
      group by 1, 2, 3),
    reviewed as (
      select *, row_number() over (partition by document_id, position order by at, user_id) > 1 as is_second
      from firsts),
    machine as (
      select r.user_id, r.is_second, r.document_id, s.position, s.source_key, s.source_text,
        -- The first event of a segment has the columns of the machine's translation.
        case when s.corrected then (
          select jsonb_build_object('fast_path', e.before -> 'fast_path', 'provenance', e.before -> 'provenance')
          from segment_events e
          where e.tenant_id = ${tenantId} and e.document_id = s.document_id and e.position = s.position
          order by e.created_at, e.event_id limit 1)
        else jsonb_build_object('fast_path', s.fast_path, 'provenance', s.provenance) end as was
      from reviewed r join document_segments s
        on s.tenant_id = ${tenantId} and s.document_id = r.document_id and s.position = r.position
      where r.at >= ${start}),
    segments as (
      select m.user_id, m.is_second, d.request ->> 'source_lang' as source_lang, d.request ->> 'target_lang' as target_lang,
        count_words(m.source_text) as words, was ->> 'fast_path' is not null as is_exact,
        was #>> '{provenance,context_match}' = 'true' as is_context,
        exists (select from document_segments s where s.tenant_id = ${tenantId} and s.document_id = m.document_id
          and s.source_key = m.source_key and s.position < m.position) as is_repeated,
        was #> '{provenance,tm_sentences}' is not null as is_divided, (was #>> '{provenance,match}')::int as match
      from machine m join document_jobs d on d.tenant_id = ${tenantId} and d.document_id = m.document_id),
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
      select d.user_id, exists (select from passed p
          where p.job_id = d.job_id and p.user_id <> d.user_id and p.at <= d.at) as is_second,
        j.request ->> 'source_lang', j.request ->> 'target_lang', count_words_of(j.request),
        j.pipeline_metadata #> '{provenance,fast_path}' is not null, false, false,
        j.pipeline_metadata #> '{provenance,tm_sentences}' is not null,
        (select max(floor(value::numeric * 100))::int from jsonb_path_query(j.agent_run,
          '$.steps[*].decisions[*] ? (@.label == "close_match").confidence') value)
      from decided d join translation_jobs j on j.tenant_id = ${tenantId} and j.job_id = d.job_id
      where d.at >= ${start})
    select user_id, is_second, coalesce(source_lang, '') as source_lang, coalesce(target_lang, '') as target_lang,
      case when is_exact and is_context then 'context' when is_exact then 'exact'
        when is_repeated then 'repetitions' when is_divided then 'sentences'
        when match >= 95 then 'from_95' when match >= 85 then 'from_85' when match >= 75 then 'from_75'
        when match >= 70 then 'from_70' else 'new' end as band,
      count(*)::int as segments, sum(words)::int as words
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
