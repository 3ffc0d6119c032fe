import type { PlatformStore } from '#server/platform/stores/blob-store.ts';
import { poll } from '#test/setup/poll.ts';
import type { Queries } from './cluster.ts';
import { unfinishedDocuments, verifyDocuments } from './documents.ts';
import type { Client, Load } from './load.ts';

interface StoredJob {
  tenant_id: string;
  job_id: string;
  status: string;
  golden_uri: string | null;
  fast_path: string | null;
  records: number;
}

/** Verifies all conditions that must hold after the load has ended, and returns the violations. */
export async function verify(
  cluster: Queries,
  load: Load,
  app: Client,
  store: PlatformStore,
): Promise<string[]> {
  const wrong = [...load.answers.wrong];
  const settle = (what: string, look: () => Promise<unknown[]>) =>
    poll(async () => (await look()).length === 0, 180).catch(async () => {
      wrong.push(`${what}: ${JSON.stringify((await look()).slice(0, 5))}`);
    });
  await settle('locked in the name of nobody', () =>
    cluster.query(
      (sql) => sql`
        select id, task_identifier, locked_by from graphile_worker.jobs
        where locked_by is not null and not exists (
          select from worker_heartbeats where worker_id = locked_by and seen_at > now() - interval '30 seconds')`,
    ),
  );
  await settle('pending or half published', () =>
    cluster.query(
      (sql) => sql`
      select job_id, status from translation_jobs where status in ('pending', 'approved', 'persistence_failed')`,
    ),
  );
  await settle('imports under way', () =>
    cluster.query((sql) => sql`select * from memory_imports where status not in ('completed', 'failed')`),
  );
  await settle('documents under way', () => unfinishedDocuments(cluster));
  await settle('records of no job', async () => {
    const rows = await cluster.query(
      (sql) => sql`
        select tenant_id || '/' || golden_uri as path from translation_jobs where golden_uri is not null
        union all select tenant_id || '/' || golden_uri from document_jobs where golden_uri is not null`,
    );
    const referred = new Set(rows.map(({ path }) => path));
    return (await recordsIn(store)).filter((path) => !referred.has(path));
  });

  const jobs = await storedJobs(cluster);
  wrong.push(...(await billing(cluster, jobs, load)), ...(await records(store, jobs)));
  wrong.push(...(await answered(app, jobs, load)));
  wrong.push(...(await verifyDocuments(cluster, app, load.answers.documents)));
  return wrong;
}

function storedJobs(cluster: Queries): Promise<StoredJob[]> {
  return cluster.query(
    (sql) => sql<StoredJob[]>`
      select j.tenant_id, j.job_id, j.status, j.golden_uri,
        j.pipeline_metadata->'provenance'->>'fast_path' as fast_path,
        (select count(*)::int from usage_records u where u.tenant_id = j.tenant_id and u.job_id = j.job_id) as records
      from translation_jobs j`,
  );
}

/** Each completed job must be billed once, and no other job. Usage records and totals must agree. */
async function billing(cluster: Queries, jobs: StoredJob[], { answers }: Load): Promise<string[]> {
  const unpaid = ['failed', 'pending'];
  const wrong = jobs
    .filter(({ status, records }) => records !== (unpaid.includes(status) ? 0 : 1))
    .map(({ job_id, status, records }) => `${status} job ${job_id} has ${records} usage records`);
  const stray = await cluster.query(
    (sql) => sql<{ job_id: string }[]>`
      select job_id from usage_records u
      where not exists (select from translation_jobs j where j.tenant_id = u.tenant_id and j.job_id = u.job_id)
        and not exists (select from document_jobs d where d.tenant_id = u.tenant_id and d.document_id = u.job_id)`,
  );
  for (const { job_id } of stray)
    if (!answers.deleting.has(job_id) && !answers.documents.deleting.has(job_id))
      wrong.push(`a usage record of no job: ${job_id}`);
  const differing = await cluster.query(
    (sql) => sql`
      select r.tenant_id, r.jobs, r.chars, t.jobs as total_jobs, t.chars as total_chars
      from (select tenant_id, count(*)::int as jobs, sum(billable_chars)::int as chars from usage_records group by 1) r
      full join (select tenant_id, sum(jobs)::int as jobs, sum(billable_chars)::int as chars from usage_totals group by 1) t
        using (tenant_id)
      where r.jobs is distinct from t.jobs or r.chars is distinct from t.chars`,
  );
  if (differing.length > 0) wrong.push(`ledger and totals differ: ${JSON.stringify(differing)}`);
  return wrong;
}

/** Each published job that was translated must have its published record. */
async function records(store: PlatformStore, jobs: StoredJob[]): Promise<string[]> {
  const wrong: string[] = [];
  for (const { tenant_id, job_id, status, golden_uri, fast_path } of jobs) {
    if (status !== 'published' && status !== 'human_edited') continue;
    if (golden_uri === null) {
      if (fast_path === null) wrong.push(`published job ${job_id} has no record`);
      continue;
    }
    const bytes = await store.read(`${tenant_id}/${golden_uri}`, 0, 10_000_000);
    if (JSON.parse(Buffer.from(bytes ?? '{}').toString()).job_id !== job_id)
      wrong.push(`the record of job ${job_id} is not there`);
  }
  return wrong;
}

async function recordsIn(store: PlatformStore): Promise<string[]> {
  const paths: string[] = [];
  for (const tenant of await store.listFolders())
    if (tenant !== 'golden') for await (const path of store.walk(`${tenant}/golden`)) paths.push(path);
  return paths;
}

/** Everything that the service has confirmed must exist, and everything that was deleted must be gone. */
async function answered(app: Client, jobs: StoredJob[], { answers, tenants }: Load): Promise<string[]> {
  const wrong: string[] = [];
  const stored = new Map(jobs.map((job) => [job.job_id, job]));
  for (const id of answers.jobs.keys()) {
    const status = stored.get(id)?.status;
    if (status === undefined || status === 'failed' || status === 'pending')
      wrong.push(`job ${id} was answered and is ${status ?? 'gone'}`);
  }
  for (const id of answers.deleted) if (stored.has(id)) wrong.push(`job ${id} was deleted and is there`);
  for (const { headers } of tenants) {
    const idsAt = async (path: string) => JSON.stringify((await app.json('GET', path, { headers })).body);
    const [glossaries, memories] = [await idsAt('/api/terminology'), await idsAt('/api/tm')];
    for (const [id, tenant] of answers.glossaries)
      if (tenant.headers === headers && !glossaries.includes(id)) wrong.push(`glossary ${id} is gone`);
    for (const [id, tenant] of answers.memories)
      if (tenant.headers === headers && !memories.includes(id)) wrong.push(`memory ${id} is gone`);
    for (const [id, tenant] of answers.imports) {
      if (tenant.headers !== headers) continue;
      const { body } = await app.json('GET', `/api/tm/imports/${id}`, { headers });
      if (body.job?.status !== 'completed') wrong.push(`import ${id} is ${body.job?.status ?? 'gone'}`);
    }
  }
  return wrong;
}
