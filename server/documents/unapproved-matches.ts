import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { LanguagePair } from '#server/languages.ts';
import { awaitsApproval } from './assigned.ts';
import { sourceKeyOf } from './stages/extract.ts';

/** A correction in a document that is not approved yet. */
export interface UnapprovedMatch extends Record<string, unknown> {
  source_text: string;
  target_text: string;
  document_id: string;
  file_name: string;
  /** ISO 8601. */
  changed_at: string;
}

/** Maximum number of matches. */
const most = 3;

/**
 * Returns the corrections of assigned documents that the TM gets only with their approval, for a text without tags or for a
 * segment of a document: latest first, each translation once. They are offered to people, and never served. They are
 * read from the segments, which do not contain undone corrections.
 */
export async function selectUnapproved(
  tx: Tx,
  tenantId: string,
  { pairSource, pairTarget }: LanguagePair,
  text: string,
  segment: { documentId: string; position: number } | undefined,
): Promise<UnapprovedMatch[]> {
  const { documentId, position } = segment ?? { documentId: null, position: null };
  const rows = await tx.execute<UnapprovedMatch>(sql`
    select source_text, target_text, document_id, file_name, to_json(changed_at) #>> '{}' as changed_at from (
      select distinct on (s.target_text) s.source_text, s.target_text, s.document_id, d.source_file_name as file_name,
        coalesce(s.confirmed_at, d.updated_at) as changed_at
      from document_segments s join document_jobs d on d.tenant_id = s.tenant_id and d.document_id = s.document_id
      where s.source_key = any(array(
          select decode(${sourceKeyOf({ source: [text] })}, 'hex')
          union select own.source_key from document_segments own where own.tenant_id = ${tenantId}
            and own.document_id = ${documentId}::text and own.position = ${position}::int))
        and s.tenant_id = ${tenantId} and s.document_id is distinct from ${documentId}::text
        and ${awaitsApproval} and s.target_text <> ''
        and d.request ->> 'source_lang' = ${pairSource} and d.request ->> 'target_lang' = ${pairTarget}
      order by s.target_text, changed_at desc) found
    order by changed_at desc limit ${most}`);
  return [...rows];
}
