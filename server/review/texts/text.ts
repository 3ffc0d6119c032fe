import { and, inArray, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { translationJobs } from '#db/schema/translations.ts';
import { AppError } from '#server/errors.ts';
import type { ClaimedVia } from '#server/identity/access/principal.ts';
import { unlearnJob } from '#server/language/translation-memory/learning.ts';
import { newId } from '#server/platform/ids.ts';
import { reopen, reviewableStatuses } from '#server/texts/job-states.ts';
import { getJob, isJob, jobOfRow, unknownJob } from '#server/texts/jobs.ts';
import type { TranslationJob } from '#server/texts/schema.ts';
import type { AgentRun, AgentStep } from '#server/translation/agent-run-schema.ts';
import type { Finding } from '#server/translation/findings.ts';
import { defaultThreshold } from '#server/translation/pipeline/policy.ts';
import { shownName, usersOf } from '../assignments/profiles.ts';
import { removeDecision } from '../figures.ts';
import {
  claimsOn,
  isOpened,
  type LiveClaim,
  type TaskState,
  type Tasks,
  type TextsTask,
  taskFields,
} from '../inbox.ts';
import type { Claimant, Decision, ReviewKind } from '../item.ts';
import { hasCritical, hasFindings } from './findings.ts';

/** Texts as items for review. */
export const texts: ReviewKind = {
  table: translationJobs,
  is: isJob,
  unknown: unknownJob,
  hasSegment: async () => false,
  listWaiting,
  selectDecision,
  reopenIn: (_services, withBearer, _id, { work }) => withBearer(work),
};

/** The job has changed since the reviewer read it. */
export class JobChanged extends AppError {
  readonly job: TranslationJob;
  constructor(job: TranslationJob) {
    super('conflict', `job ${job.id} has changed since it was read (status=${job.status})`);
    this.job = job;
  }
}

/**
 * Selects a job that can be reviewed, and locks it until the transaction ends. If two reviews close a job at the same
 * time, the second one finds none.
 * @param seen the `updated_at` of the job that the reviewer saw; undefined for any version
 * @throws AppError 404; JobChanged; 400 validation_error if the job cannot be reviewed in its status
 */
export async function selectReviewable(tx: Tx, tenantId: string, jobId: string, seen?: string) {
  const [row] = await tx
    .select()
    .from(translationJobs)
    .where(and(isJob(tenantId, jobId), inArray(translationJobs.status, reviewableStatuses)))
    .for('no key update');
  const present = row ? jobOfRow(row) : await getJob(tx, tenantId, jobId);
  if (seen !== undefined && Date.parse(seen) !== Date.parse(present.updated_at))
    throw new JobChanged(present);
  if (!row)
    throw new AppError('validation_error', `job ${present.id} is not reviewable (status=${present.status})`);
  return { job: present, stored: row.findings as Finding[] | null, attempt: row.attempt };
}

/**
 * SQL: the new `updated_at` of a job. It must be later than the previous one, even if the transaction began earlier: it
 * identifies the version of the job for reviewers.
 */
export const nextVersion = sql`greatest(now(), ${translationJobs.updatedAt} + interval '1 millisecond')`;

/** The actor of a review with an API key that names no reviewer. */
export const unnamedReviewer = 'reviewer';

/** Returns the step of a review in the trace of a job. */
export function reviewStep(
  { actor, claimedVia }: { actor: string | null; claimedVia?: ClaimedVia | null },
  action: string,
  at: string,
): AgentStep {
  return {
    id: newId(),
    name: 'human_review',
    actor: actor ?? unnamedReviewer,
    ...(claimedVia && { claimed_via: claimedVia }),
    kind: 'human',
    status: 'completed',
    input_summary: null,
    output_summary: action,
    tool_calls: [],
    decisions: [],
    error: null,
    started_at: at,
    completed_at: at,
  };
}

/**
 * Selects and locks a closed job. It is reopened with the decided text as its draft and a new review task. The next
 * decision writes a record and a segment for a new attempt. Translations that were already served from the segment stay.
 * Nothing is billed, because reviews are never billed. If a publication of the job is in progress, it finds that the job
 * has a new attempt, and removes its own record.
 * @throws AppError 404; 409 conflict for a job that is not closed, or is being published
 */
async function selectDecision(tx: Tx, tenantId: string, jobId: string): Promise<Decision> {
  const { pipelineCandidate, replacedText, updatedAt } = translationJobs;
  const [row] = await tx.select().from(translationJobs).where(isJob(tenantId, jobId)).for('no key update');
  if (!row) throw unknownJob();
  const job = jobOfRow(row);
  const status = reopen(job.status);
  if (!status) {
    const why = job.status === 'approved' ? 'is being published; try again' : 'is not closed';
    throw new AppError('conflict', `the job ${why} (status=${job.status})`);
  }
  return {
    what: `job ${jobId}`,
    status: job.status,
    isReview: row.decidedAt !== null,
    by: row.decidedBy,
    published: { tenantId, jobId, goldenUri: row.goldenUri },
    async withdraw(actor) {
      const [changed] = await tx
        .update(translationJobs)
        .set({
          status,
          // With a new attempt, a publication of the previous decision that is still running writes nothing more.
          attempt: row.attempt + 1,
          goldenUri: null,
          publishAs: null,
          decidedAt: null,
          decidedBy: null,
          pipelineCandidate: sql`coalesce(${pipelineCandidate}, ${replacedText})`,
          replacedText: null,
          pipelineMetadata: withoutOverride(row.pipelineMetadata),
          agentRun: withNewTask(job.agent_run, actor, new Date()),
          updatedAt: nextVersion,
        })
        .where(isJob(tenantId, jobId))
        .returning({ updatedAt });
      if (!changed) throw new Error('a job was deleted although it was locked');
      await unlearnJob(tx, tenantId, jobId);
      if (row.decidedBy !== null && row.decidedAt)
        await removeDecision(tx, { tenantId, userId: row.decidedBy }, decisionOf(row), row.decidedAt);
      return { status, ...changed };
    },
  };
}

/** The previous reviewer accepted missing glossary terms; the next reviewer must confirm them again. */
function withoutOverride(metadata: Record<string, unknown> | null) {
  if (!metadata) return metadata;
  const { terminology_gate_override: _, ...kept } = metadata;
  return kept;
}

function decisionOf({ status, publishAs }: typeof translationJobs.$inferSelect) {
  if (status === 'rejected') return 'rejected';
  return publishAs === 'published' ? 'approved' : 'edited';
}

/** The previous task stays in the trace, in the steps of its reviews. */
function withNewTask(run: AgentRun, actor: string, now: Date): AgentRun {
  const at = now.toISOString();
  const task = run.human_review_task;
  return {
    ...run,
    steps: [...run.steps, reviewStep({ actor }, 'reopen', at)],
    human_review_task: task && {
      ...task,
      id: newId(),
      status: 'open',
      completed_by: null,
      claimed_via: null,
      created_at: at,
      completed_at: null,
      metadata: { reopened_by: actor },
    },
  };
}

/** Maximum number of texts that are examined, and approximate bytes of their stored values. */
const most = { texts: 2000, bytes: 32_000_000 };

/** Maximum number of groups that are listed. */
const maxGroups = 100;

/** Maximum number of characters of a submitter's name. Longer values of `metadata.submitter` are ignored. */
const longestName = 320;

/** A group of texts as the query returns it. */
interface Group extends TaskState, Record<string, unknown> {
  filter: TextsTask['filter'];
  counts: Pick<TextsTask, 'texts' | 'critical' | 'warnings' | 'held' | 'drafts'>;
  first: string;
  /** The live claims on each text that has any. */
  claims: LiveClaim[][];
  /** Whether not all waiting texts were examined. */
  cut: boolean;
}

/**
 * Returns the texts that await review, in groups with the same languages, domain and submitter. Examines the texts that
 * have awaited review longest, within the limits of `most`.
 */
async function listWaiting(tx: Tx, member: Claimant): Promise<Tasks<TextsTask>> {
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
      coalesce(json_agg(distinct assignee) filter (where assignee is not null), '[]') as assignees,
      coalesce(bool_or(holder = ${member.userId}), false) as is_assigned,
      (count(*) filter (where holder is null))::int as unassigned,
      to_json(min(due_at)) #>> '{}' as due,
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
function judgedTexts(member: Claimant): SQL {
  return sql`
    select job_id, updated_at, source_lang, target_lang, domain, submitter, is_draft, due_at, holder, (
        select ${shownName} from ${usersOf(member.tenantId)} and u.user_id = holder) as assignee,
      case when is_critical then 0 when is_warning then 1 else 2 end as rank,
      ${isOpened(member, 'job', sql`job_id`)} as opened, ${claimsOn(member, 'job', sql`job_id`)} as claims
    from (
      select w.job_id, w.updated_at, j.request ->> 'source_lang' as source_lang,
        j.request ->> 'target_lang' as target_lang, j.request ->> 'domain' as domain, ${submitter} as submitter,
        j.pipeline_candidate is not null as is_draft, ${hasCritical} as is_critical, ${isWarning} as is_warning, a.due_at, a.holder
      from (select * from waiting order by updated_at, job_id limit ${most.texts}) w
      join translation_jobs j on j.tenant_id = ${member.tenantId} and j.job_id = w.job_id
      left join review_assignments a on a.tenant_id = ${member.tenantId} and a.item_kind = 'job'
        and a.item_id = w.job_id and a.closed_at is null
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

function taskOf({ filter, counts, first, claims, ...state }: Group): TextsTask {
  return { kind: 'texts', ...taskFields(counts, state, claims.flat()), filter, ...counts, first };
}
