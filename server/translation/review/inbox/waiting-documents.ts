import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { readFigures } from '#server/translation/documents/quality-report.ts';
import type { Claimant } from '../claims.ts';
import { type DocumentTask, severities } from './inbox-schema.ts';
import { type LiveClaim, othersOf } from './waiting-texts.ts';

/** Maximum number of documents that are listed. */
const maxListed = 100;

/**
 * The most recently changed documents are examined: at most `documents` of the workspace, of which at most `waiting`
 * are not approved. Of each, at most `flagged` unconfirmed segments are read.
 */
const most = { documents: 2000, waiting: 200, flagged: 2000 };

/** Maximum number of segments, of all listed documents, that are read to count those that are confirmed. */
const maxCounted = 20_000;

/** A document as the query returns it. */
interface Waiting extends Record<string, unknown> {
  id: string;
  name: string;
  format: DocumentTask['format'];
  source_lang: string;
  target_lang: string;
  domain: string | null;
  segments: number;
  figures: unknown;
  critical: number;
  warnings: number;
  since: string;
  opened: boolean;
  claims: LiveClaim[];
  /** Whether more documents are stored than were examined. */
  cut: boolean;
}

/** Returns the translated documents that are not approved, the most severe first. */
export async function listWaitingDocuments(
  tx: Tx,
  member: Claimant,
): Promise<{ tasks: DocumentTask[]; more: boolean }> {
  const rows = await tx.execute<Waiting>(sql`
    with recent as (
      select document_id, status, approved_at, updated_at from document_jobs where tenant_id = ${member.tenantId}
      order by updated_at desc, document_id desc limit ${most.documents}),
    waiting as (
      select document_id from recent where status = 'translated' and approved_at is null
      order by updated_at desc, document_id desc limit ${most.waiting})
    select j.document_id as id, j.source_file_name as name, j.source_format as format,
      j.request ->> 'source_lang' as source_lang, j.request ->> 'target_lang' as target_lang,
      j.request ->> 'domain' as domain, j.segments, j.report_figures as figures, f.critical, f.warnings,
      to_json(coalesce(t.created_at, j.created_at)) #>> '{}' as since,
      ${isOpened(member)} as opened, ${claimsOf(member)} as claims,
      (select count(*) from recent) = ${most.documents} or (select count(*) from waiting) = ${most.waiting} as cut
    from waiting w
    join document_jobs j on j.tenant_id = ${member.tenantId} and j.document_id = w.document_id
    cross join lateral (
      select (count(*) filter (where is_critical))::int as critical,
        (count(*) filter (where not is_critical))::int as warnings
      from (
        -- An unconfirmed segment with critical findings is always flagged, so the index of flagged segments has it.
        select issues @> '[{"severity": "critical"}]' as is_critical from document_segments s
        where s.tenant_id = ${member.tenantId} and s.document_id = j.document_id and s.needs_review
          and s.confirmed_at is null
        limit ${most.flagged}) unresolved) f
    left join document_artifacts t on t.tenant_id = ${member.tenantId} and t.document_id = j.document_id
      and t.kind = 'translated' and t.revision = 1
    order by f.critical > 0 desc, f.warnings > 0 desc, coalesce(t.created_at, j.created_at), j.document_id
    limit ${maxListed + 1}`);
  const listed = rows.slice(0, maxListed);
  const counts = await countProgress(tx, member.tenantId, listed);
  return {
    tasks: listed.map((row) => taskOf(row, counts.get(row.id))),
    more: rows.length > maxListed || (rows[0]?.cut ?? (await hasMoreThanRead(tx, member.tenantId))),
  };
}

/** Whether the workspace has more documents than those among which the waiting ones are looked for. */
async function hasMoreThanRead(tx: Tx, tenantId: string): Promise<boolean> {
  const [row] = await tx.execute<{ cut: boolean }>(sql`
    select exists(select from document_jobs where tenant_id = ${tenantId} offset ${most.documents} limit 1) as cut`);
  return row?.cut ?? false;
}

function isOpened({ tenantId, userId }: Claimant): SQL {
  return sql`exists(select from review_openings o where o.tenant_id = ${tenantId} and o.user_id = ${userId}
    and o.item_kind = 'document' and o.item_id = j.document_id)`;
}

/** SQL: the live claims on a document, each with its holder and whether it is the member's own. */
function claimsOf({ tenantId, userId }: Claimant): SQL {
  return sql`coalesce((
    select json_agg(json_build_array(c.holder, c.user_id = ${userId}) order by c.claimed_at, c.user_id)
    from review_claims c where c.tenant_id = ${tenantId} and c.item_kind = 'document'
      and c.item_id = j.document_id and c.expires_at > now()), '[]')`;
}

interface Progress extends Record<string, unknown> {
  id: string;
  confirmed: number;
  drafts: number;
}

/** Counts the confirmed and the drafted segments of those documents that fit into `maxCounted` segments together. */
async function countProgress(
  tx: Tx,
  tenantId: string,
  documents: readonly Waiting[],
): Promise<Map<string, Progress>> {
  let left = maxCounted;
  const ids: string[] = [];
  for (const { id, segments } of documents) {
    if (segments > left) continue;
    left -= segments;
    ids.push(id);
  }
  if (ids.length === 0) return new Map();
  const rows = await tx.execute<Progress>(sql`
    select document_id as id, count(confirmed_at)::int as confirmed,
      (count(*) filter (where corrected and confirmed_at is null and not needs_review and issues = '[]'))::int as drafts
    from document_segments where tenant_id = ${tenantId}
      and document_id = any(array(select json_array_elements_text(${JSON.stringify(ids)}::json)))
    group by document_id`);
  return new Map(rows.map((row) => [row.id, row]));
}

function taskOf(row: Waiting, counted: Progress | undefined): DocumentTask {
  const { id, name, format, source_lang, target_lang, domain, segments, critical, warnings, claims } = row;
  const worst = critical > 0 ? 0 : warnings > 0 ? 1 : 2;
  return {
    kind: 'document',
    severity: severities[worst],
    id,
    name,
    format,
    source_lang,
    target_lang,
    domain,
    submitter: null,
    segments,
    // For other documents, the figures of the last time that the file was rendered, or a segment confirmed.
    confirmed: counted?.confirmed ?? readFigures(row.figures).confirmed,
    drafts: counted?.drafts ?? null,
    critical,
    warnings,
    waiting_since: new Date(row.since).toISOString(),
    holders: othersOf(claims),
    is_claimed: claims.some(([, own]) => own),
    is_opened: row.opened,
  };
}
