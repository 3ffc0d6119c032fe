import { resumeAnalyses } from '#server/analyses/analyses.ts';
import { runAnalysis } from '#server/analyses/run-analysis.ts';
import { foldUsage } from '#server/billing/metering/daily-usage.ts';
import { prunePaymentEvents } from '#server/billing/webhook.ts';
import type { Services } from '#server/context.ts';
import { makeDemoWorkspace, servicesFor } from '#server/demo/demo-workspace.ts';
import { approvalRecords } from '#server/documents/approval-record.ts';
import { resumeDocuments } from '#server/documents/queue.ts';
import { renderQueued } from '#server/documents/rendering.ts';
import { runDocument } from '#server/documents/run-document.ts';
import { removeSuperseded, removeUnreferencedFiles } from '#server/documents/unreferenced-files.ts';
import { pruneEvents } from '#server/events/feed.ts';
import { pruneExpired } from '#server/identity/access/prune-expired.ts';
import { pruneMails, queueOverdueMails } from '#server/identity/mail/mail-rows.ts';
import { sendMail } from '#server/identity/mail/send-mail.ts';
import { pruneChanges } from '#server/language/translation-memory/editing/history.ts';
import { embedPending, embedSet } from '#server/language/translation-memory/embed-golden-sets.ts';
import { pruneImports } from '#server/language/translation-memory/imports/import-jobs.ts';
import { resumeImports, runImport } from '#server/language/translation-memory/imports/run-import.ts';
import { indexPair, indexPendingPairs } from '#server/language/translation-memory/index-pair.ts';
import { indexPending, indexSet } from '#server/language/translation-memory/index-set.ts';
import { sweepUnusedVersions } from '#server/language/translation-memory/versions.ts';
import { pruneModelRequests } from '#server/operations/models.ts';
import { concurrentJobs } from '#server/platform/database-connections.ts';
import { pruneQueue, type TaskName, type TaskPayloads } from '#server/platform/job-queue.ts';
import { pruneMaintenance } from '#server/platform/maintenance-runs.ts';
import { isMailOn } from '#server/platform/smtp.ts';
import { countQuality } from '#server/quality/counting.ts';
import { checkGoldenRecords } from '#server/records/check.ts';
import { removeGoldenRecords } from '#server/records/golden-deletion.ts';
import { anonymizeMember } from '#server/retention/anonymize-member.ts';
import { applyRetention } from '#server/retention/apply-retention.ts';
import { deleteDueTenants } from '#server/retention/delete-tenants.ts';
import { selectHeldTenants } from '#server/retention/retention-policy.ts';
import { pruneAssignments } from '#server/review/assignments/assign.ts';
import { applyRules } from '#server/review/assignments/rules.ts';
import { pruneClaims, pruneOpenings } from '#server/review/claims.ts';
import { pruneComments } from '#server/review/comments.ts';
import { queueDigests } from '#server/review/digests.ts';
import { resumeApproval, resumeApprovals } from '#server/review/documents/approve.ts';
import { recheckConfirmed, recheckTerms } from '#server/review/documents/recheck.ts';
import type { Settings } from '#server/settings.ts';
import { pruneReplays } from '#server/storage/parked-job-replays.ts';
import { textRecords } from '#server/texts/golden-record.ts';
import { publishParkedJobs, queueParkedJobs, replayParkedJobs } from '#server/texts/parked-jobs.ts';
import { runQueued } from '#server/texts/queued-series.ts';
import { failStaleJobs, queueStaleJobs } from '#server/texts/stale-sweep.ts';
import { runExport } from '#server/workspace-export/run-export.ts';

/** How and when a background task runs. The query that finds the task's work is in the file of its `run` function. */
interface Task<N extends TaskName> {
  /** Runs the task. May run twice for one job, so it must first check what is already done. */
  run(services: Services, payload: TaskPayloads[N]): Promise<unknown>;
  /**
   * Seconds between two runs, if the task is recurring; null if it is off. A recurring task has no payload: it finds its
   * work itself.
   */
  every?: (settings: Settings) => number | null;
  /** Tasks of one queue run one at a time. */
  queue?: 'apply_retention' | 'count_quality' | 'check_golden_records' | 'make_demo_workspace';
  /** Whether a recurring task also runs when the workers start. */
  atStart?: true;
  /**
   * The pool of workers that runs the task. Tasks that use only the database, and therefore end soon, run in
   * `housekeeping`. Default: `work`.
   */
  pool?: 'housekeeping' | 'texts' | 'documents' | 'mail';
}

const hourly = () => 3600;
const everySweep = ({ SWEEP_INTERVAL_SECONDS }: Settings) => SWEEP_INTERVAL_SECONDS;

export const tasks: { [N in TaskName]: Task<N> } = {
  sweep_stale_jobs: { run: sweepUnfinishedWork, every: everySweep, pool: 'housekeeping' },
  fail_stale_jobs: { run: failStaleJobs, pool: 'housekeeping' },
  prune_expired: { run: prune, every: everySweep, pool: 'housekeeping' },
  publish_unpersisted_jobs: {
    run: (services, { tenantId }) => publishParkedJobs(services, tenantId),
  },
  replay_parked_jobs: { run: replayParkedJobs },
  // If two runs rewrote lost lines at the same time, they would write them twice.
  check_golden_records: {
    run: (services) => checkGoldenRecords(services, [textRecords, approvalRecords]),
    every: everySweep,
    queue: 'check_golden_records',
  },
  check_document_files: { run: removeUnreferencedFiles, every: hourly },
  import_memory: { run: (services, { tenantId, importId }) => runImport(services, tenantId, importId) },
  index_memory: { run: (services, { tenantId, setId }) => indexSet(services, tenantId, setId) },
  index_memory_pair: { run: indexPair },
  embed_memory: { run: (services, { tenantId, setId }) => embedSet(services, tenantId, setId) },
  run_texts: { run: runQueued, pool: 'texts' },
  run_document: {
    run: (services, { tenantId, documentId }) =>
      runDocument(servicesFor(services, tenantId), tenantId, documentId),
    pool: 'documents',
  },
  run_analysis: {
    run: (services, payload) => runAnalysis(servicesFor(services, payload.tenantId), payload),
  },
  render_document: { run: renderQueued },
  remove_superseded_file: { run: removeSuperseded },
  recheck_findings: { run: recheckConfirmed },
  recheck_terms: { run: recheckTerms },
  resume_approval: { run: resumeApproval },
  remove_golden_records: { run: removeGoldenRecords },
  apply_retention: { run: applyRetention, every: hourly, queue: 'apply_retention' },
  anonymize_member: { run: anonymizeMember },
  apply_assignment_rules: { run: applyRules, every: everySweep, pool: 'housekeeping' },
  count_quality: { run: countQuality, every: everySweep, queue: 'count_quality' },
  export_tenant: { run: (services, payload) => runExport(services, payload) },
  send_mail: { run: sendMail, pool: 'mail' },
  queue_digests: {
    run: queueDigests,
    every: (settings) => (isMailOn(settings) ? hourly() : null),
    pool: 'housekeeping',
  },
  make_demo_workspace: {
    run: makeDemoWorkspace,
    every: (settings) => (settings.DEMO_WORKSPACE ? everySweep(settings) : null),
    queue: 'make_demo_workspace',
    atStart: true,
  },
  // It rewrites manifests, to which the check of golden records may add lines.
  delete_tenants: { run: deleteDueTenants, every: everySweep, queue: 'check_golden_records' },
};

const recurring = (Object.keys(tasks) as TaskName[]).filter((name) => tasks[name].every);

/** Tasks that share a pool of workers. */
export interface WorkerPool {
  name: string;
  tasks: readonly TaskName[];
  /** Maximum concurrent tasks of the pool in one process; 0 if the process has no such pool. */
  concurrency(settings: Settings): number;
}

/**
 * Housekeeping has a separate pool, because it frees the locks of dead processes: it must not wait for workers that
 * are busy with slow models or stores. Texts have one, because they must run soon, and documents, because one may take
 * minutes and an import must not wait for it. Mails have one, because a mail server may be slow.
 */
export const workerPools: readonly WorkerPool[] = [
  { name: 'housekeeping', tasks: tasksOf('housekeeping'), concurrency: concurrentJobs.housekeeping },
  { name: 'texts', tasks: tasksOf('texts'), concurrency: concurrentJobs.texts },
  { name: 'documents', tasks: tasksOf('documents'), concurrency: concurrentJobs.documents },
  { name: 'work', tasks: tasksOf(undefined), concurrency: concurrentJobs.work },
  { name: 'mail', tasks: tasksOf('mail'), concurrency: concurrentJobs.mail },
];

function tasksOf(pool: Task<TaskName>['pool']): TaskName[] {
  return (Object.keys(tasks) as TaskName[]).filter((name) => tasks[name].pool === pool);
}

/** The sweep: finds unfinished work of all tenants and adds jobs to complete it. */
async function sweepUnfinishedWork(services: Services): Promise<void> {
  await queueStaleJobs(services);
  await queueParkedJobs(services);
  await foldUsage(services.database);
  await resumeImports(services, services.settings.STALE_PENDING_SECONDS);
  await resumeDocuments(services, services.settings.STALE_PENDING_SECONDS);
  await resumeAnalyses(services, services.settings.STALE_PENDING_SECONDS, selectHeldTenants);
  await resumeApprovals(services, services.settings.STALE_PENDING_SECONDS);
  await sweepUnusedVersions(services);
  await indexPending(services);
  await indexPendingPairs(services);
  await embedPending(services);
  if (isMailOn(services.settings)) await queueOverdueMails(services.database);
}

/**
 * Deletes what has expired: tokens, challenges, links, states, rate windows, review claims, deleted comments, old
 * payment events, memory imports, mails, events and figures of the models. Also deletes jobs that will never run.
 */
async function prune({
  database,
  log,
  settings,
}: Pick<Services, 'database' | 'log' | 'settings'>): Promise<void> {
  const failedDays = settings.RETENTION_DAYS.queue;
  const heldTenants = await database.inPlatform(selectHeldTenants);
  const pruned = {
    ...(await pruneExpired(database)),
    payment_events: await prunePaymentEvents(database),
    memory_imports: await pruneImports(database),
    memory_changes: await pruneChanges(database, heldTenants),
    replays: await database.inPlatform(pruneReplays),
    review_assignments: await database.inPlatform((tx) => pruneAssignments(tx, heldTenants)),
    review_claims: await database.inPlatform(pruneClaims),
    review_comments: await database.inPlatform(pruneComments),
    review_openings: await database.inPlatform(pruneOpenings),
    jobs: await database.inPlatform((tx) => pruneQueue(tx, { failedDays, heldTenants })),
    mails: await database.inPlatform((tx) => pruneMails(tx, heldTenants)),
    events: await pruneEvents(database, settings.RETENTION_DAYS.events),
    model_requests: await database.inPlatform(pruneModelRequests),
    maintenance_runs: await database.inPlatform((tx) => pruneMaintenance(tx, recurring)),
  };
  log.info({ pruned }, 'expired rows deleted');
}
