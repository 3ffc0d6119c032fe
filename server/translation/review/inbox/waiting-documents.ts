import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { hasAllFigures, readFigures } from '#server/translation/documents/quality-report.ts';
import type { Claimant } from '../claims.ts';
import { unresolvedOf } from '../documents/unresolved.ts';
import { type DocumentTask, severities } from './inbox-schema.ts';
import { type LiveClaim, othersOf } from './waiting-texts.ts';

/** Maximum number of documents that are listed. */
const maxListed = 100;

/** Maximum number of waiting documents that are examined: those that were changed last. */
const maxExamined = 1000;

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
  /** Whether not all waiting documents were examined. */
  cut: boolean;
}

/** Returns the translated documents that are not approved, the most severe first. */
export async function listWaitingDocuments(
  tx: Tx,
  member: Claimant,
): Promise<{ tasks: DocumentTask[]; more: boolean }> {
  const rows = await tx.execute<Waiting>(sql`
    with waiting as materialized (
      select document_id from document_jobs
      where tenant_id = ${member.tenantId} and status = 'translated' and approved_at is null
      order by updated_at desc, document_id desc limit ${maxExamined + 1}),
    listed as (
      select w.document_id, f.*, coalesce(t.created_at, j.created_at) as since
      from (select * from waiting limit ${maxExamined}) w
      join document_jobs j on j.tenant_id = ${member.tenantId} and j.document_id = w.document_id
      cross join lateral (${unresolvedOf(member.tenantId)}) f
      left join document_artifacts t on t.tenant_id = ${member.tenantId} and t.document_id = j.document_id
        and t.kind = 'translated' and t.revision = 1
      order by f.critical > 0 desc, f.warnings > 0 desc, since, j.document_id limit ${maxListed + 1})
    select j.document_id as id, j.source_file_name as name, j.source_format as format,
      j.request ->> 'source_lang' as source_lang, j.request ->> 'target_lang' as target_lang,
      j.request ->> 'domain' as domain, j.segments, j.report_figures as figures, l.critical, l.warnings,
      to_json(l.since) #>> '{}' as since, ${isOpened(member)} as opened, ${claimsOf(member)} as claims,
      (select count(*) from waiting) > ${maxExamined} as cut
    from listed l join document_jobs j on j.tenant_id = ${member.tenantId} and j.document_id = l.document_id
    order by l.critical > 0 desc, l.warnings > 0 desc, l.since, l.document_id`);
  return {
    tasks: rows.slice(0, maxListed).map(taskOf),
    more: rows.length > maxListed || (rows[0]?.cut ?? false),
  };
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

function taskOf(row: Waiting): DocumentTask {
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
    confirmed: readFigures(row.figures).confirmed,
    drafts: hasAllFigures(row.figures) ? row.figures.drafts : null,
    critical,
    warnings,
    waiting_since: new Date(row.since).toISOString(),
    holders: othersOf(claims),
    is_claimed: claims.some(([, own]) => own),
    is_opened: row.opened,
  };
}
