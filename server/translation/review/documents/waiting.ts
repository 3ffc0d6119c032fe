import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { hasOpen } from '#server/translation/core/findings.ts';
import { hasAllFigures, readFigures } from '#server/translation/documents/quality-report.ts';
import { claimsOn, type DocumentTask, isOpened, type LiveClaim, type Tasks, taskFields } from '../inbox.ts';
import type { Claimant } from '../item.ts';

/** Maximum number of documents that are listed. */
const maxListed = 100;

/** Maximum number of waiting documents that are examined: those that were changed last. */
const maxExamined = 1000;

/** A document as the query returns it. */
interface Waiting {
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
export async function listWaitingDocuments(tx: Tx, member: Claimant): Promise<Tasks<DocumentTask>> {
  const id = sql`j.document_id`;
  const rows = await tx.execute<Waiting & Record<string, unknown>>(sql`
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
      to_json(l.since) #>> '{}' as since, ${isOpened(member, 'document', id)} as opened,
      coalesce(${claimsOn(member, 'document', id)}, '[]') as claims,
      (select count(*) from waiting) > ${maxExamined} as cut
    from listed l join document_jobs j on j.tenant_id = ${member.tenantId} and j.document_id = l.document_id
    order by l.critical > 0 desc, l.warnings > 0 desc, l.since, l.document_id`);
  return {
    tasks: rows.slice(0, maxListed).map(taskOf),
    more: rows.length > maxListed || (rows[0]?.cut ?? false),
  };
}

/**
 * SQL: the columns `critical` and `warnings` of the row `j` of a document: its unconfirmed segments with critical
 * findings, and the others that need a review. They are among the stored figures, unless an earlier version has stored
 * these: then the segments are counted.
 */
export function unresolvedOf(tenantId: string): SQL {
  const stored = (name: string) => sql`(j.report_figures ->> ${name})::int`;
  return sql`
    select ${stored('critical')} as critical, ${stored('unresolved')} - ${stored('critical')} as warnings
    where j.report_figures ? 'critical'
    union all
    select count(*) filter (where is_critical)::int, count(*) filter (where not is_critical)::int
    from (
      -- An unconfirmed segment with critical findings is always flagged, so the index of flagged segments has it.
      select ${hasOpen(sql`issues`, { severity: 'critical' })} as is_critical from document_segments s
      where s.tenant_id = ${tenantId} and s.document_id = j.document_id and s.needs_review and s.confirmed_at is null) open
    having j.report_figures ? 'critical' is not true`;
}

function taskOf({ figures, since, opened, claims, cut: _, ...row }: Waiting): DocumentTask {
  return {
    kind: 'document',
    ...taskFields(row, { since, opened, claims }),
    ...row,
    submitter: null,
    confirmed: readFigures(figures).confirmed,
    drafts: hasAllFigures(figures) ? figures.drafts : null,
  };
}
