import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { readDateRange } from '#server/billing/metering/periods.ts';
import { reportRange } from '#server/billing/metering/usage-breakdown.ts';
import { AppError } from '#server/errors.ts';
import { formulaLike } from '#server/formats/csv/reader.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import { writeTable } from '#server/formats/table-writer.ts';
import { shownName, usersOf } from './assignments/profiles.ts';
import { measureEdit } from './edit-distance.ts';

/** Maximum number of items of an export, and of their changed texts, which are compared one by one. */
const maxItems = 20_000;
const maxCompared = 100_000;

/** Number of items that one transaction reads. */
const pageSize = 200;

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
  /** The approver: the ID of a member, or the name that the client of an API key gave. */
  decided_by: string | null;
  passed_by: string | null;
  passed_at: string | null;
  source_words: number;
  words: number;
  findings: number;
  has_changed: boolean;
  is_html: boolean;
}

interface Member extends Record<string, unknown> {
  id: string;
  name: string;
  email: string | null;
}

/** A machine translation and the approved text, if a reviewer changed it. */
interface Change extends Record<string, unknown> {
  id: string;
  before: string;
  after: string;
}

/** Runs a read in a transaction of an administrator, whose rights are checked each time. */
type Read = <T>(work: (tx: Tx, principal: { tenant: { id: string } }) => Promise<T>) => Promise<T>;

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
 * @throws AppError 422 for an invalid range; 400 for more than 366 days, or too many items or changed texts
 */
export async function exportApprovedItems(
  read: Read,
  { format, ...asked }: z.infer<typeof approvedItemsInput>,
): Promise<z.infer<typeof approvedItemsFile>> {
  const range = readDateRange(asked);
  const rows: (string | number)[][] = [];
  let compared = 0;
  for (let after: Item | undefined; ; ) {
    const page = await read(async (tx, { tenant }) => {
      const items = await selectItems(tx, tenant.id, range, after);
      return {
        items,
        changes: await selectChanges(tx, tenant.id, items, maxCompared - compared + 1),
        members: await selectMembers(tx, tenant.id, items),
      };
    });
    compared += page.changes.length;
    if (compared > maxCompared) throw tooMuch(`${maxCompared} changed texts`);
    if (rows.length + page.items.length > maxItems) throw tooMuch(`${maxItems} approved items`);
    const edits = await editsOf(page.items, page.changes);
    for (const item of page.items) rows.push(rowOf(item, page.members, edits.get(item.id) ?? 0));
    after = page.items.at(-1);
    if (page.items.length < pageSize) break;
  }
  const bytes = format === 'csv' ? Buffer.from(csvOf(rows)) : await workbookOf(rows);
  return {
    file_name: `approved-${range.from}-${range.to}.${format}`,
    content: bytes.toString('base64'),
  };
}

function tooMuch(limit: string): AppError {
  return new AppError('validation_error', `from: the export has more than ${limit}; choose fewer days`);
}

/** Reads the next items that were approved in a range, in the order of their approvals. */
async function selectItems(
  tx: Tx,
  tenantId: string,
  { from, to }: { from: string; to: string },
  after: Item | undefined,
): Promise<Item[]> {
  const inRange = (time: SQL, id: SQL) => sql`${time} >= (${from}::date)::timestamp at time zone 'UTC'
    and ${time} < (${to}::date + 1)::timestamp at time zone 'UTC'
    and ${after ? sql`(${time}, ${id}) > (${after.at}::timestamptz, ${after.id})` : sql`true`}`;
  return tx.execute<Item>(sql`
    with page as (
      (select 'text' as kind, job_id as id, decided_at as at, decided_by from translation_jobs
        where tenant_id = ${tenantId} and ${inRange(sql`decided_at`, sql`job_id`)} and status <> 'rejected'
        order by decided_at, job_id limit ${pageSize})
      union all
      (select 'document', document_id, approved_at, coalesce(approved_by_user, approved_by) from document_jobs
        where tenant_id = ${tenantId} and ${inRange(sql`approved_at`, sql`document_id`)}
        order by approved_at, document_id limit ${pageSize})
      order by at, id limit ${pageSize})
    select p.kind, p.id, ${utc(sql`p.at`)} as at, p.decided_by, a.passed_by, ${utc(sql`a.passed_at`)} as passed_at, c.*
    from page p
    left join review_assignments a on a.tenant_id = ${tenantId} and a.item_id = p.id
      and a.item_kind = case p.kind when 'text' then 'job' else p.kind end and a.passed_at <= p.at
    cross join lateral (
      select coalesce(j.request ->> 'source_lang', '') as source_lang, j.request ->> 'target_lang' as target_lang,
        count_words_of(j.request) as source_words, ${wordsOf(sql`j.final_translation`)} as words,
        ${settledOf(sql`j.findings`)} as findings, false as has_changed,
        coalesce(j.request ->> 'text_type' = 'Html', false) as is_html
      from translation_jobs j where p.kind = 'text' and j.tenant_id = ${tenantId} and j.job_id = p.id
      union all
      select coalesce(d.request ->> 'source_lang', ''), d.request ->> 'target_lang', s.source_words, s.words, s.findings,
        d.changed_since_approval is not null, false
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

/** SQL: the IDs of the items of one kind. */
const idsOf = (items: readonly Item[], kind: Item['kind']) =>
  sql`any(array(select json_array_elements_text(${JSON.stringify(
    items.filter((item) => item.kind === kind).map(({ id }) => id),
  )}::json)))`;

/** Reads the texts that reviewers changed, at most `limit`. */
async function selectChanges(tx: Tx, tenantId: string, items: Item[], limit: number): Promise<Change[]> {
  return tx.execute<Change>(sql`
    (select job_id as id, machine as before, final_translation as after from (
      select *, coalesce(replaced_text, pipeline_candidate) as machine from translation_jobs
      where tenant_id = ${tenantId} and job_id = ${idsOf(items, 'text')}) one where machine <> final_translation)
    union all
    (select document_id, pipeline_text, target_text from document_segments
      where tenant_id = ${tenantId} and document_id = ${idsOf(items, 'document')} and corrected
        and pipeline_text <> target_text)
    limit ${limit}`);
}

/** Returns the members who reviewed the items, by ID. A former member has only the ID. */
async function selectMembers(tx: Tx, tenantId: string, items: readonly Item[]): Promise<Map<string, Member>> {
  const ids = items.flatMap(({ decided_by, passed_by }) => [decided_by ?? [], passed_by ?? []].flat());
  const rows = await tx.execute<Member>(sql`
    select u.user_id as id, ${shownName} as name, u.email from ${usersOf(tenantId)}
      and u.user_id = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))`);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the number of words of each item that differ. In HTML, tags are no words. */
async function editsOf(items: readonly Item[], changes: readonly Change[]): Promise<Map<string, number>> {
  const byId = new Map(items.map((item) => [item.id, item]));
  const edits = new Map<string, number>();
  for (const { id, before, after } of changes) {
    const item = byId.get(id) as Item;
    const readable = (text: string) => (item.is_html ? readBlocks(text).join('\n') : text);
    const measured = await measureEdit(readable(before), readable(after), item.target_lang);
    edits.set(id, (edits.get(id) ?? 0) + (measured?.edits ?? 0));
  }
  return edits;
}

function rowOf(item: Item, members: ReadonlyMap<string, Member>, edits: number): (string | number)[] {
  const { passed_by: first, decided_by: last, at } = item;
  const review = (by: string | null, time: string | null) => {
    const member = members.get(by ?? '');
    return [member?.name ?? by ?? '', member?.email ?? '', time?.replace(/\d{3}Z$/, 'Z') ?? ''];
  };
  return [
    ...[item.kind, item.id, item.source_lang, item.target_lang],
    ...(first === null ? review(last, at) : review(first, item.passed_at)),
    ...(first === null ? ['', '', ''] : review(last, at)),
    ...[item.source_words, item.words, edits, item.findings, item.has_changed ? 'yes' : 'no'],
  ];
}

/** Writes rows as CSV (RFC 4180), with a mark before a text that a spreadsheet would evaluate as a formula. */
function csvOf(rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number) =>
    typeof value === 'number'
      ? String(value)
      : `"${(formulaLike.test(value) ? `'${value}` : value).replaceAll('"', '""')}"`;
  return [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

/** Writes rows as a workbook. Names are texts and counts are numbers; no cell is a formula. */
async function workbookOf(rows: readonly (readonly (string | number)[])[]): Promise<Buffer> {
  const table = { name: 'Approved', head: columns, widths: [{ columns: columns.length, width: 20 }] };
  const pieces: Uint8Array[] = [];
  for await (const piece of writeTable(table, [rows])) pieces.push(piece);
  return Buffer.concat(pieces);
}
