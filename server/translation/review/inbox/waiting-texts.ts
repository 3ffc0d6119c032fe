import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { defaultThreshold } from '#server/translation/core/pipeline/policy.ts';
import { reviewableStatuses } from '#server/translation/texts/job-states.ts';
import { type Claimant, maxHolders } from '../claims.ts';
import { hasCritical, hasFindings } from '../texts/text-findings.ts';
import { severities, type TextsTask } from './inbox-schema.ts';

/** Maximum number of texts that are examined, and approximate bytes of their stored values. */
const most = { texts: 2000, bytes: 32_000_000 };

/** Maximum number of groups that are listed. */
const maxGroups = 100;

/** Maximum number of characters of a submitter's name. Longer values of `metadata.submitter` are ignored. */
const longestName = 320;

/** A live claim as a query returns it: the holder, and whether it is the calling member. */
export type LiveClaim = [holder: string, own: boolean];

/** A group of texts as the query returns it. */
interface Group extends Record<string, unknown> {
  filter: TextsTask['filter'];
  counts: Pick<TextsTask, 'texts' | 'critical' | 'warnings' | 'held' | 'drafts'>;
  first: string;
  since: string;
  opened: boolean;
  /** The live claims on each text that has any. */
  claims: LiveClaim[][];
  /** Whether not all waiting texts were examined. */
  cut: boolean;
}

/**
 * Returns the texts that await review, in groups with the same languages, domain and submitter. Examines the texts that
 * have awaited review longest, within the limits of `most`.
 */
export async function listWaitingTexts(
  tx: Tx,
  member: Claimant,
): Promise<{ tasks: TextsTask[]; more: boolean }> {
  const rows = await tx.execute<Group>(sql`
    with waiting as (${examinedTexts(member.tenantId)}),
    judged as (${judgedTexts(member)})
    select json_build_object('source_lang', source_lang, 'target_lang', target_lang, 'domain', domain,
        'submitter', submitter) as filter,
      json_build_object('texts', count(*), 'critical', count(*) filter (where rank = 0),
        'warnings', count(*) filter (where rank = 1), 'held', count(*) filter (where rank = 2),
        'drafts', count(*) filter (where is_draft)) as counts,
      (array_agg(job_id order by rank, updated_at, job_id))[1] as first,
      to_json(min(updated_at)) #>> '{}' as since,
      bool_or(opened) as opened,
      coalesce(json_agg(claims order by updated_at) filter (where claims is not null), '[]') as claims,
      (select count(*) > ${most.texts} or coalesce(max(bytes), 0) > ${most.bytes} from waiting) as cut
    from judged group by source_lang, target_lang, domain, submitter
    order by min(rank), min(updated_at) limit ${maxGroups + 1}`);
  return {
    tasks: rows.slice(0, maxGroups).map(taskOf),
    more: rows.length > maxGroups || (rows[0]?.cut ?? false),
  };
}

/**
 * SQL: the texts that have awaited review longest, one more than are examined, and the sum of the bytes up to each. The sizes
 * are those of the stored values, so that no value is decompressed; compressed JSON counts four times.
 */
function examinedTexts(tenantId: string): SQL {
  const ofStatus = reviewableStatuses.map(
    (status) => sql`(select job_id, updated_at, 4 * (pg_column_size(request)
        + coalesce(pg_column_size(refinement), 0) + coalesce(pg_column_size(verification), 0)
        + coalesce(pg_column_size(findings), 0)) as size
      from translation_jobs where tenant_id = ${tenantId} and status = ${status}
      order by updated_at, job_id limit ${most.texts + 1})`,
  );
  return sql`
    select job_id, updated_at, sum(size) over (order by updated_at, job_id rows unbounded preceding) as bytes
    from (${sql.join(ofStatus, sql` union all `)}) each_status order by updated_at, job_id limit ${most.texts + 1}`;
}

/** SQL: the examined texts with their severity (its index in `severities`), and whether the member has opened each. */
function judgedTexts({ tenantId, userId }: Claimant): SQL {
  return sql`
    select job_id, updated_at, source_lang, target_lang, domain, submitter, is_draft,
      case when is_critical then 0 when is_warning then 1 else 2 end as rank,
      exists(select from review_openings o where o.tenant_id = ${tenantId} and o.user_id = ${userId}
        and o.item_kind = 'job' and o.item_id = job_id) as opened,
      (select json_agg(json_build_array(c.holder, c.user_id = ${userId}) order by c.claimed_at, c.user_id)
        from review_claims c where c.tenant_id = ${tenantId} and c.item_kind = 'job' and c.item_id = job_id
          and c.expires_at > now()) as claims
    from (
      select w.job_id, w.updated_at, j.request ->> 'source_lang' as source_lang,
        j.request ->> 'target_lang' as target_lang, j.request ->> 'domain' as domain, ${submitter} as submitter,
        j.pipeline_candidate is not null as is_draft, ${hasCritical} as is_critical, ${isWarning} as is_warning
      from (select * from waiting order by updated_at, job_id limit ${most.texts}) w
      join translation_jobs j on j.tenant_id = ${tenantId} and j.job_id = w.job_id
      where w.bytes <= ${most.bytes} or w.bytes = (select min(bytes) from waiting)
    ) examined`;
}

/** SQL: who submitted a text `j`, from its metadata; null if the metadata has no usable name. */
export const submitter = sql`case when jsonb_typeof(request #> '{metadata,submitter}') = 'string'
  and length(request #>> '{metadata,submitter}') <= ${longestName} then request #>> '{metadata,submitter}' end`;

const threshold = sql`case when jsonb_typeof(request #> '{metadata,min_quality_score}') = 'number'
  then least(100, greatest(0, (request #>> '{metadata,min_quality_score}')::float8)) else ${defaultThreshold}::float8 end`;

export const isWarning = sql`coalesce(verification is not null and (
  least((refinement ->> 'score')::float8, (verification ->> 'score')::float8) < ${threshold}
  or verification ->> 'passed' = 'false' or ${hasFindings}
  or pipeline_metadata #>> '{terminology_gate,passed}' = 'false'), false)`;

function taskOf({ filter, counts, first, since, opened, claims }: Group): TextsTask {
  const live = claims.flat();
  const worst = counts.critical > 0 ? 0 : counts.warnings > 0 ? 1 : 2;
  return {
    kind: 'texts',
    severity: severities[worst],
    filter,
    ...counts,
    first,
    waiting_since: new Date(since).toISOString(),
    holders: othersOf(live),
    is_claimed: live.some(([, own]) => own),
    is_opened: opened,
  };
}

/** Returns the names of the holders except the calling member, without duplicates. */
export function othersOf(claims: readonly LiveClaim[]): string[] {
  return [...new Set(claims.flatMap(([holder, own]) => (own ? [] : [holder])))].slice(0, maxHolders);
}
