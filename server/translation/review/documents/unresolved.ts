import { type SQL, sql } from 'drizzle-orm';
import { hasOpen } from '#server/translation/core/findings.ts';

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
