import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { readDateRange } from '#server/billing/metering/periods.ts';
import { reportRange } from '#server/billing/metering/usage-breakdown.ts';
import { AppError } from '#server/errors.ts';
import { formulaLike } from '#server/formats/csv/reader.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import { writeTable } from '#server/formats/table-writer.ts';
import { beginExport, makePage } from '#server/http/exports.ts';
import { emailsOf } from '#server/identity/members/members.ts';
import { namesOf } from './assignments/profiles.ts';
import { measureEdit } from './edit-distance.ts';
import { unnamedReviewer } from './texts/text.ts';

/** Maximum number of items of an export, of their segments, and of changed texts, which are compared one by one. */
const maxItems = 20_000;
const maxSegments = 1_000_000;
const maxCompared = 100_000;

/** Number of items, and of changed texts, that one transaction reads. */
const pageSize = 50;
const changesAtOnce = 500;

export const approvedItemsInput = reportRange
  .unwrap()
  .extend({ format: z.enum(['csv', 'xlsx']).default('csv').describe('The format of the file.') })
  .prefault({});

export const approvedItemsFile = z.object({
  file_name: z.string().describe('The name of the file.'),
  content: z.string().describe('The bytes of the file, in base64.'),
});

const columns = [
  ...['kind', 'id', 'source_lang', 'target_lang'],
  ...['first_reviewer', 'first_reviewer_email', 'first_reviewed_at'],
  ...['second_reviewer', 'second_reviewer_email', 'second_reviewed_at'],
  ...['source_words', 'words', 'changed_words', 'findings_resolved', 'changed_since_approval'],
];

interface Item extends Record<string, unknown> {
  kind: 'text' | 'document';
  id: string;
  at: string;
  source_lang: string;
  target_lang: string;
  /** The ID of the member who approved; null for an API key. */
  by: string | null;
  /** The name of the reviewer in the request with an API key. It is not proved. */
  given: string | null;
  source_words: number;
  words: number;
  findings: number;
  has_changed: boolean;
  is_html: boolean;
}

/** A first review: the member who passed an item on, and when. */
interface Pass extends Record<string, unknown> {
  id: string;
  by: string;
  at: string;
}

/** A machine translation and the approved text, if a reviewer changed it. */
interface Change extends Record<string, unknown> {
  id: string;
  position: number;
  before: string;
  after: string;
}

interface Caller {
  /** Runs a read in a transaction of an administrator, whose rights are checked each time. */
  asAdministrator<T>(work: (tx: Tx, principal: { tenant: { id: string } }) => Promise<T>): Promise<T>;
  /** Aborts when the client has disconnected, which ends the export. */
  disconnected(): AbortSignal;
}

/** SQL: the number of findings in a JSON array that a person has settled. */
const settledOf = (findings: SQL) => sql`jsonb_array_length(coalesce(jsonb_path_query_array(${findings},
  '$[*] ? (@.status == "fixed" || @.status == "not_an_error" || @.status == "accepted")'), '[]'))`;

/** SQL: the words of a text in the format of the job `j`. */
const wordsOf = (text: SQL) => sql`count_words_of(jsonb_build_object('text_type', j.request ->> 'text_type',
  'source_text', ${text}))`;

/**
 * Exports who approved what in a range of days: a row for each text and document, with both reviewers, the words of the
 * approved translation, and how many of them differ from the machine translation as both are stored. An item that was
 * approved again counts once.
 * @throws AppError 422 for an invalid range; 400 for more than 366 days, or too many items or changed texts; 429 if too
 *   many exports are in progress
 */
export async function exportApprovedItems(
  { asAdministrator, disconnected }: Caller,
  { format, ...asked }: z.infer<typeof approvedItemsInput>,
): Promise<z.infer<typeof approvedItemsFile>> {
  const range = readDateRange(asked);
  const tenantId = await asAdministrator(async (tx, { tenant }) => {
    await checkSize(tx, tenant.id, range);
    return tenant.id;
  });
  const scope = { tenantId, signal: disconnected() };
  const slot = await beginExport(scope);
  const rows = await readRows(range, (work) => makePage(scope, () => asAdministrator(work))).finally(
    slot.end,
  );
  const bytes = format === 'csv' ? Buffer.from(csvOf(rows)) : await workbookOf(rows);
  return {
    file_name: `approved-${range.from}-${range.to}.${format}`,
    content: bytes.toString('base64'),
  };
}

/** @param read runs a read when its turn has come */
async function readRows(
  range: { from: string; to: string },
  read: Caller['asAdministrator'],
): Promise<(string | number)[][]> {
  // An item that is approved again during the export has only its last row.
  const rows = new Map<string, (string | number)[]>();
  let compared = 0;
  for (let after: Item | undefined; ; ) {
    const page = await read(async (tx, { tenant }) => {
      const items = await selectItems(tx, tenant.id, range, after);
      const passes = await selectPasses(tx, tenant.id, items);
      const reviewers = [...new Set([...items, ...passes.values()].flatMap((one) => one.by ?? []))];
      return {
        items,
        passes,
        names: await namesOf(tx, tenant.id, reviewers),
        emails: await emailsOf(tx, tenant.id, reviewers),
      };
    });
    const edits = new Map<string, number>();
    for (let last: Change | undefined; ; ) {
      const changes = await read((tx, { tenant }) => selectChanges(tx, tenant.id, page.items, last));
      compared += changes.length;
      if (compared > maxCompared) throw tooMuch(`${maxCompared} changed texts`);
      await addEdits(edits, page.items, changes);
      last = changes.at(-1);
      if (changes.length < changesAtOnce) break;
    }
    for (const item of page.items)
      rows.set(item.id, rowOf(item, page.passes.get(item.id), page, edits.get(item.id) ?? 0));
    after = page.items.at(-1);
    if (page.items.length < pageSize) return [...rows.values()];
  }
}

function tooMuch(limit: string): AppError {
  return new AppError('validation_error', `from: the export has more than ${limit}; choose fewer days`);
}

/** SQL: whether a time is in a range of UTC days. */
const isIn = (time: SQL, { from, to }: { from: string; to: string }) => sql`(
  ${time} >= (${from}::date)::timestamp at time zone 'UTC'
  and ${time} < (${to}::date + 1)::timestamp at time zone 'UTC')`;

/** @throws AppError 400 if a range has more items or segments than an export may read */
async function checkSize(tx: Tx, tenantId: string, range: { from: string; to: string }): Promise<void> {
  const [size] = await tx.execute<{ items: number; segments: number }>(sql`
    select sum(items)::int as items, sum(segments)::float8 as segments from (
      select count(*) as items, 0 as segments from translation_jobs
        where tenant_id = ${tenantId} and ${isIn(sql`decided_at`, range)} and status <> 'rejected'
      union all
      select count(*), coalesce(sum(segments), 0) from document_jobs
        where tenant_id = ${tenantId} and ${isIn(sql`approved_at`, range)}) one`);
  if ((size?.items ?? 0) > maxItems) throw tooMuch(`${maxItems} approved items`);
  if ((size?.segments ?? 0) > maxSegments) throw tooMuch(`${maxSegments} segments`);
}

/** Reads the next items that were approved in a range, in the order of their approvals. */
async function selectItems(
  tx: Tx,
  tenantId: string,
  range: { from: string; to: string },
  after: Item | undefined,
): Promise<Item[]> {
  const inRange = (time: SQL, id: SQL) => sql`${isIn(time, range)}
    and ${after ? sql`(${time}, ${id}) > (${after.at}::timestamptz, ${after.id})` : sql`true`}`;
  return tx.execute<Item>(sql`
    with page as (
      (select 'text' as kind, job_id as id, decided_at as at, decided_by as by, null as given from translation_jobs
        where tenant_id = ${tenantId} and ${inRange(sql`decided_at`, sql`job_id`)} and status <> 'rejected'
        order by decided_at, job_id limit ${pageSize})
      union all
      (select 'document', document_id, approved_at, approved_by_user, approved_by from document_jobs
        where tenant_id = ${tenantId} and ${inRange(sql`approved_at`, sql`document_id`)}
        order by approved_at, document_id limit ${pageSize})
      order by at, id limit ${pageSize})
    select p.kind, p.id, ${utc(sql`p.at`)} as at, p.by, coalesce(p.given, c.actor) as given, c.*
    from page p cross join lateral (
      select coalesce(j.request ->> 'source_lang', '') as source_lang, j.request ->> 'target_lang' as target_lang,
        count_words_of(j.request) as source_words, ${wordsOf(sql`j.final_translation`)} as words,
        ${settledOf(sql`j.findings`)} as findings, false as has_changed,
        coalesce(j.request ->> 'text_type' = 'Html', false) as is_html,
        nullif(jsonb_path_query_array(j.agent_run, '$.steps[*] ? (@.name == "human_review").actor') ->> -1,
          ${unnamedReviewer}) as actor
      from translation_jobs j where p.kind = 'text' and j.tenant_id = ${tenantId} and j.job_id = p.id
      union all
      select coalesce(d.request ->> 'source_lang', ''), d.request ->> 'target_lang', s.source_words, s.words, s.findings,
        d.changed_since_approval is not null, false, null
      from document_jobs d cross join lateral (
        select coalesce(sum(count_words(source_text)), 0)::int as source_words,
          coalesce(sum(count_words(target_text)), 0)::int as words,
          coalesce(sum(${settledOf(sql`issues`)}), 0)::int as findings
        from document_segments where tenant_id = ${tenantId} and document_id = d.document_id) s
      where p.kind = 'document' and d.tenant_id = ${tenantId} and d.document_id = p.id) c
    order by p.at, p.id`);
}

/** SQL: a time in UTC, ISO 8601 with microseconds, so that a page begins exactly after the last item. */
const utc = (time: SQL) => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/**
 * Reads the first reviews of items, by ID, from the audit log: an assignment forgets who passed the item on when its
 * second review is removed. What was passed back, or passed on by the approver, has no first review.
 */
async function selectPasses(tx: Tx, tenantId: string, items: readonly Item[]): Promise<Map<string, Pass>> {
  const approvals = JSON.stringify(items.map(({ id, at, by }) => ({ id, at, by })));
  const rows = await tx.execute<Pass>(sql`
    select id, by, ${utc(sql`at`)} as at from (
      select distinct on (a.id) a.id, l.actor_id as by, l.recorded_at as at, l.details ->> 'to' as step, a.by as approver
      from audit_log l join json_to_recordset(${approvals}::json) as a(id text, at timestamptz, by text)
        on a.id = l.target and l.recorded_at <= a.at
      where l.tenant_id = ${tenantId} and l.action = 'review_passed'
        -- An item may have been passed on long before its approval.
        and l.recorded_at > ${items[0]?.at ?? null}::timestamptz - interval '366 days'
        and l.recorded_at <= ${items.at(-1)?.at ?? null}::timestamptz
      order by a.id, l.recorded_at desc) last
    where step = 'second' and by is distinct from approver`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** SQL: the IDs of the items of one kind. */
const idsOf = (items: readonly Item[], kind: Item['kind']) =>
  sql`any(array(select json_array_elements_text(${JSON.stringify(
    items.filter((item) => item.kind === kind).map(({ id }) => id),
  )}::json)))`;

/** Reads the next texts that reviewers changed. */
async function selectChanges(
  tx: Tx,
  tenantId: string,
  items: readonly Item[],
  after: Change | undefined,
): Promise<Change[]> {
  const isLater = (id: SQL, position: SQL) =>
    after ? sql`(${id}, ${position}) > (${after.id}, ${after.position})` : sql`true`;
  return tx.execute<Change>(sql`
    (select job_id as id, 0 as position, machine as before, final_translation as after from (
      select *, coalesce(replaced_text, pipeline_candidate) as machine from translation_jobs
      where tenant_id = ${tenantId} and job_id = ${idsOf(items, 'text')} and ${isLater(sql`job_id`, sql`0`)}) one
      where machine <> final_translation order by job_id limit ${changesAtOnce})
    union all
    (select document_id, position, pipeline_text, target_text from document_segments
      where tenant_id = ${tenantId} and document_id = ${idsOf(items, 'document')} and corrected
        and pipeline_text <> target_text and ${isLater(sql`document_id`, sql`position`)}
      order by document_id, position limit ${changesAtOnce})
    order by id, position limit ${changesAtOnce}`);
}

/** Adds the words that differ to those of their items. In HTML, tags are no words. */
async function addEdits(edits: Map<string, number>, items: readonly Item[], changes: readonly Change[]) {
  const byId = new Map(items.map((item) => [item.id, item]));
  for (const { id, before, after } of changes) {
    const item = byId.get(id) as Item;
    const readable = (text: string) => (item.is_html ? readBlocks(text).join('\n') : text);
    const measured = await measureEdit(readable(before), readable(after), item.target_lang, false);
    edits.set(id, (edits.get(id) ?? 0) + (measured?.edits ?? 0));
  }
}

function rowOf(
  item: Item,
  pass: Pass | undefined,
  { names, emails }: { names: ReadonlyMap<string, string>; emails: ReadonlyMap<string, string> },
  edits: number,
): (string | number)[] {
  const { by: last, at } = item;
  const review = (id: string | null, time: string) => [
    ...(id === null ? [item.given ?? '', ''] : [names.get(id) ?? id, emails.get(id) ?? '']),
    time.replace(/\d{3}Z$/, 'Z'),
  ];
  return [
    ...[item.kind, item.id, item.source_lang, item.target_lang],
    ...(pass ? review(pass.by, pass.at) : review(last, at)),
    ...(pass ? review(last, at) : ['', '', '']),
    ...[item.source_words, item.words, edits, item.findings, item.has_changed ? 'yes' : 'no'],
  ];
}

/** Writes rows as CSV (RFC 4180). Formulas are marked as texts, and characters that control a terminal are left out. */
function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  const plain = (text: string) => text.replace(/\p{Cc}|\p{Bidi_Control}/gu, '').replaceAll('"', '""');
  const cell = (value: string | number) =>
    typeof value === 'number' ? `${value}` : `"${formulaLike.test(value) ? "'" : ''}${plain(value)}"`;
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** Writes rows as a workbook. Names are texts and counts are numbers; no cell is a formula. */
async function workbookOf(rows: readonly (readonly (string | number)[])[]): Promise<Buffer> {
  const table = { name: 'Approved', head: columns, widths: [{ columns: columns.length, width: 20 }] };
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTable(table, [rows])) pieces.push(piece);
  return Buffer.concat(pieces);
}
