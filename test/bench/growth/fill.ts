import type postgres from 'postgres';
import type { Run } from '../bench.ts';
import { requirePremise } from '../load.ts';
import type { Deployment } from './deployment.ts';
import type { Workspace } from './workspace.ts';

/** The number of jobs that one statement inserts. */
const portion = 500_000;

/** Tables with many rows. While they are filled, their indexes are not maintained. */
const largeTables = [
  ...['translation_jobs', 'usage_records', 'usage_totals', 'audit_log', 'tokens', 'credential_directory'],
  ...['memory_segments', 'memory_postings', 'memory_shards', 'memory_sets', 'memory_contents'],
];

/** Settings of PostgreSQL for the time in which the tables are filled. */
const fast = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
};

/**
 * Inserts the data of a deployment except the templates, as the superuser and without checks of foreign keys. The rows
 * are copies of rows that the service has created. The jobs of all workspaces are stored in the order of their times.
 */
export async function fill(deployment: Deployment, run: Run): Promise<void> {
  const { superuser, sizes } = deployment;
  const progress = timer(run);
  const schema = await catalog(superuser);
  for (const [name, value] of Object.entries(fast))
    await superuser.unsafe(`alter system set ${name} = '${value}'`);
  await superuser`select pg_reload_conf()`;
  const sql = await superuser.reserve();
  try {
    await sql`set session_replication_role = replica`;
    await sql`set maintenance_work_mem = '1GB'`;
    await sql`set work_mem = '256MB'`;
    await sql`set enable_mergejoin = off`;
    await withoutIndexes(sql, progress, async () => {
      await fillTenants(sql, deployment);
      await fillTokens(sql, deployment);
      await fillAuditLog(sql, deployment);
      for (const workspace of [deployment.biggest, deployment.average]) await fillLists(sql, workspace);
      progress('workspaces, tokens, audit log');
      await fillMemories(sql, deployment);
      progress('translation memories');
      await prepareTemplates(sql, deployment);
      for (let from = 0; from < sizes.jobs; from += portion) {
        await fillJobs(sql, deployment, from);
        progress(`${Math.min(from + portion, sizes.jobs)} jobs`);
      }
      await fillTotals(sql, deployment);
      progress('totals of usage');
    });
  } finally {
    await sql`reset all`;
    sql.release();
  }
  for (const name of Object.keys(fast)) await superuser.unsafe(`alter system reset ${name}`);
  await superuser`select pg_reload_conf()`;
  await superuser`checkpoint`;
  requirePremise((await catalog(superuser)) === schema, 'the schema is the same as before');
  await superuser`vacuum (analyze)`;
  await superuser`select pg_stat_reset()`;
  progress('vacuum and analyze');
  for (const { tenantId, sizes } of [deployment.biggest, deployment.average]) {
    const [row] =
      await superuser`select count(*)::int as jobs from translation_jobs where tenant_id = ${tenantId}`;
    // 41 are templates. The others may not be divisible by the number of workspaces.
    const jobs = row?.['jobs'] - 41;
    requirePremise(Math.abs(jobs - sizes.jobs) <= 1, `${sizes.jobs} jobs of a workspace, not ${jobs}`);
  }
}

/** Returns a function that prints what has been done and how long it took. */
export function timer(run: Run): (done: string) => void {
  let last = performance.now();
  return (done) => {
    const now = performance.now();
    run.note(`  ${((now - last) / 1000).toFixed(1).padStart(7)} s  ${done}`);
    last = now;
  };
}

/** Returns a description of all tables, indexes, constraints, triggers and policies. */
async function catalog(sql: postgres.Sql): Promise<string> {
  const rows = await sql`
    select 'index' as kind, i.indexrelid::regclass::text as name,
      concat(pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisready, i.indislive) as value
    from pg_index i join pg_class c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace
    union all
    select 'constraint', concat(conrelid::regclass, conname), concat(pg_get_constraintdef(oid), convalidated)
    from pg_constraint where connamespace = 'public'::regnamespace and conrelid <> 0
    union all
    select 'trigger', concat(t.tgrelid::regclass, tgname), concat(pg_get_triggerdef(t.oid), tgenabled)
    from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'public'::regnamespace and not tgisinternal
    union all
    select 'table', oid::regclass::text, concat(relpersistence, relrowsecurity, relforcerowsecurity, reloptions)
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
    order by 1, 2, 3`;
  return JSON.stringify(rows);
}

/** Runs `work` while the indexes of the large tables are not maintained, and then builds them. */
async function withoutIndexes(
  sql: postgres.Sql,
  progress: (done: string) => void,
  work: () => Promise<void>,
): Promise<void> {
  await sql`update pg_index set indisready = false, indisvalid = false
    where indrelid = any(select t::regclass from unnest(${largeTables}::text[]) t)`;
  await work();
  // Also marks the indexes as valid.
  for (const table of largeTables) {
    await sql.unsafe(`reindex table ${table}`);
    progress(`indexes of ${table}`);
  }
}

async function fillTenants(sql: postgres.Sql, { sizes }: Deployment): Promise<void> {
  const others = sizes.workspaces - 2;
  await sql`
    insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
    select 'tenant-' || n, 'Tenant ' || n, 'prefix', 2000000000 from generate_series(1, ${others}::int) n`;
  await sql`
    insert into credential_directory (credential_hash, kind, tenant_id)
    select sha256(convert_to('key ' || n, 'UTF8')), 'api_key', 'tenant-' || n from generate_series(1, ${others}::int) n`;
  await sql`
    insert into users (tenant_id, user_id, email, provider, role, password_hash)
    select 'tenant-' || n, md5('user ' || n), 'member' || n || '@example.org', 'email', 'global_administrator', 'none'
    from generate_series(1, ${others}::int) n`;
}

async function fillTokens(sql: postgres.Sql, { sizes }: Deployment): Promise<void> {
  await sql`
    create temp table members as
    select row_number() over (order by tenant_id) - 1 as no, tenant_id, user_id, role from users`;
  await sql`analyze members`;
  const [members] = await sql<{ count: number }[]>`select count(*)::int as count from members`;
  await sql`
    create temp table new_tokens as
    select m.tenant_id, sha256(convert_to('token ' || n, 'UTF8')) as hash,
      case n % 2 when 0 then 'access_token' else 'refresh_token' end as kind, m.user_id, m.role
    from generate_series(1, ${sizes.tokens}::int) n join members m on m.no = n % ${members!.count}::int`;
  await sql`
    insert into tokens (tenant_id, token_hash, kind, user_id, scope, role, issued_at, expires_at)
    select tenant_id, hash, kind, user_id, '', role, now(), now() + interval '20 days' from new_tokens`;
  await sql`
    insert into credential_directory (credential_hash, kind, tenant_id, expires_at)
    select hash, kind, tenant_id, now() + interval '20 days' from new_tokens`;
  await sql`drop table new_tokens, members`;
}

async function fillAuditLog(sql: postgres.Sql, { sizes, biggest }: Deployment): Promise<void> {
  await sql`
    insert into audit_log (tenant_id, event_id, recorded_at, action, actor_kind, actor_id, target, address, request_id, details)
    select case n % 10 when 0 then ${biggest.tenantId} else 'tenant-' || n % ${sizes.workspaces - 2} + 1 end, md5('event ' || n),
      now() - make_interval(months => ${sizes.months}) + n * make_interval(months => ${sizes.months}) / ${sizes.auditLines}::float8,
      'signed_in', 'member', md5('user ' || n % 50), md5('family ' || n), '192.0.2.' || n % 250, md5('request ' || n), '{"grant": "password"}'
    from generate_series(1, ${sizes.auditLines}::int) n`;
}

/** Inserts invites and imports. */
async function fillLists(sql: postgres.Sql, { tenantId, sizes }: Workspace): Promise<void> {
  await sql`
    insert into invites (tenant_id, invite_id, secret_hash, email, role, created_by, created_at, expires_at, redeemed_at, redeemed_by)
    select ${tenantId}, md5('invite ' || n), sha256(convert_to('invite ' || n, 'UTF8')), 'invited' || n || '@example.org',
      'member', 'bench@example.org', at, at + interval '7 days', at + interval '1 day', md5('user ' || n)
    from generate_series(1, ${sizes.invites}::int) n,
      lateral (select now() - make_interval(days => 720) + n * interval '700 days' / ${sizes.invites}::float8 as at) t`;
  await sql`
    insert into memory_imports (tenant_id, import_id, status, set_name, source_lang, target_lang, pair_source, pair_target,
      total_units, deduped_units, skipped_units, duplicates_dropped, attempts, created_at, updated_at)
    select ${tenantId}, md5('import ' || n), 'completed', 'old set ' || n % 200, 'en', 'fr', 'en', 'fr', 6000, 6000, 0, 0, 1, at, at
    from generate_series(1, ${sizes.imports}::int) n,
      lateral (select now() - make_interval(days => 720) + n * interval '700 days' / ${sizes.imports}::float8 as at) t`;
}

/** Copies the TM of the average workspace, with its fuzzy index, to the other workspaces. */
async function fillMemories(sql: postgres.Sql, { sizes, average: { tenantId } }: Deployment): Promise<void> {
  const others = sql`generate_series(1, ${sizes.workspaces - 2}::int) n`;
  const version = sql`md5(n || content_id)`;
  await sql`
    insert into memory_contents (tenant_id, content_id)
    select 'tenant-' || n, ${version} from ${others}, memory_contents where tenant_id = ${tenantId}`;
  await sql`
    insert into memory_sets (tenant_id, set_id, content_id, name, source_lang, target_lang, pair_source, pair_target, origin,
      entry_count, embedding_model, created_at, updated_at)
    select 'tenant-' || n, md5(n || set_id), ${version}, name, source_lang, target_lang, pair_source, pair_target, origin,
      entry_count, embedding_model, created_at, updated_at
    from ${others}, memory_sets where tenant_id = ${tenantId}`;
  await sql`
    insert into memory_segments (tenant_id, content_id, segment_no, source_hash, source_text, target_text, tuid, changed_at,
      shard_no, job_id)
    select 'tenant-' || n, ${version}, segment_no, source_hash, source_text, target_text, tuid, changed_at, shard_no, job_id
    from ${others}, memory_segments where tenant_id = ${tenantId} and content_id not like 'golden-%'`;
  await sql`
    insert into memory_shards (tenant_id, content_id, shard_no, segments, length_marks, segment_nos)
    select 'tenant-' || n, ${version}, shard_no, segments, length_marks, segment_nos
    from ${others}, memory_shards where tenant_id = ${tenantId}`;
  await sql`
    insert into memory_postings (tenant_id, content_id, shard_no, bucket, count, ordinals)
    select 'tenant-' || n, ${version}, shard_no, bucket, count, ordinals
    from ${others}, memory_postings where tenant_id = ${tenantId}`;
}

/**
 * Numbers the jobs that the service has created, for each of the measured workspaces. No value is in a TOAST table, so
 * that copying a row reads only the row.
 */
async function prepareTemplates(sql: postgres.Sql, { biggest, average }: Deployment): Promise<void> {
  const select = sql`
    select *, length(request ->> 'source_text') as chars,
      row_number() over (partition by tenant_id, status order by job_id) - 1 as no,
      count(*) over (partition by tenant_id, status) as of
    from translation_jobs
    where tenant_id in (${biggest.tenantId}, ${average.tenantId}) and idempotency_key like 'template %'`;
  await sql`create temp table templates as ${select} limit 0`;
  const columns = await sql<{ name: string }[]>`
    select attname as name from pg_attribute where attrelid = 'templates'::regclass and attnum > 0 and attstorage = 'x'`;
  for (const { name } of columns) await sql`alter table templates alter ${sql(name)} set storage main`;
  await sql`insert into templates ${select}`;
  await sql`analyze templates`;
}

/**
 * Inserts some of the jobs and their usage records. The biggest workspace has every tenth job, and the others take
 * turns. The oldest jobs of the measured workspaces have the rare statuses. Each page of ten jobs can then be filled
 * with one of the frequent statuses.
 */
async function fillJobs(sql: postgres.Sql, deployment: Deployment, from: number): Promise<void> {
  const { sizes, biggest, average } = deployment;
  const others = sizes.workspaces - 1;
  const rare = biggest.sizes.jobs > 1000 ? 1000 : 100;
  await sql`
    create temp table new_jobs as
    select tenant_id, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || left(md5('job ' || i), 20) as job_id, n, at, status,
      case tenant_id when ${average.tenantId} then ${average.tenantId} else ${biggest.tenantId} end as template_of,
      case when status in ('awaiting_review', 'rejected') then 'awaiting_review' else 'published' end as template_status
    from (
      select i, at, n, tenant_id,
        case when tenant_id not like 'tenant-%' and n < 8 then
            case when n < 3 then 'persistence_failed' when n < 5 then 'approved' else 'pending' end
          when n % often between 10 and 19 then 'awaiting_review' when n % often between 20 and 29 then 'human_edited'
          when n % often between 30 and 39 then 'rejected' when n % often between 40 and 49 then 'failed' else 'published' end as status
      from (
        select i, now() - make_interval(months => ${sizes.months}) + i * make_interval(months => ${sizes.months}) / ${sizes.jobs + 1}::float8 as at,
          case when i % 10 = 0 then i / 10 else other / ${others}::int end as n,
          case when i % 10 = 0 then ${biggest.tenantId} when other % ${others}::int = 0 then ${average.tenantId}
            else 'tenant-' || other % ${others}::int end as tenant_id,
          case when i % 10 = 0 then ${rare}::int when other % ${others}::int = 0 then 100 else 1000 end as often
        from (
          select i, i - i / 10 - 1 as other
          from generate_series(${from}::int, ${Math.min(from + portion, sizes.jobs) - 1}::int) i) i) i) i`;
  await sql`analyze new_jobs`;
  // The join keeps the order of the new jobs, which is that of their times.
  const templates = sql`new_jobs j join templates t
    on t.tenant_id = j.template_of and t.status = j.template_status and t.no = j.n % t.of`;
  await sql`
    insert into translation_jobs (tenant_id, job_id, status, idempotency_key, request, baseline_translation, final_translation,
      quality_assessment, refinement, verification, agent_run, pipeline_metadata, publish_as, golden_uri, created_at, updated_at)
    select j.tenant_id, j.job_id, j.status, 'key ' || n, request, baseline_translation, final_translation, quality_assessment,
      refinement, verification, agent_run, pipeline_metadata,
      case when j.status in ('approved', 'persistence_failed') then 'published' end,
      case when j.status in ('published', 'human_edited') then golden_uri end, at, at
    from ${templates}`;
  await sql`
    insert into usage_records (tenant_id, job_id, kind, billing_period, source_lang, target_lang, source_chars, billable_chars,
      job_status, input_tokens, output_tokens, total_tokens, models, recorded_at)
    select j.tenant_id, j.job_id, 'text', to_char(at at time zone 'UTC', 'YYYY-MM'), 'en', 'it', chars, chars, j.status, 0, 0, 0, '[]', at
    from ${templates} where j.status not in ('failed', 'pending')`;
  await sql`drop table new_jobs`;
}

/** Inserts the daily totals of usage. The day of a busy workspace has many slots, and that of any other has one. */
async function fillTotals(sql: postgres.Sql, { sizes, biggest, average }: Deployment): Promise<void> {
  await sql`
    insert into usage_totals (tenant_id, day, allowance_window, slot, jobs, source_chars, billable_chars)
    select t.tenant_id, current_date - d, '', s, 100, 30000, 30000
    from generate_series(1, ${sizes.months * 30}::int) d, tenants t, generate_series(0, 7) s
    where t.tenant_id = ${biggest.tenantId} or s = 0 and (t.tenant_id like 'tenant-%' or t.tenant_id = ${average.tenantId})`;
}

/** Inserts approved translations from English into German, as if each came from a job. The first one really does. */
export async function fillGolden({ superuser, tenantId, sizes }: Workspace): Promise<void> {
  await superuser`
    insert into memory_segments (tenant_id, content_id, source_hash, source_text, target_text, changed_at, job_id)
    select tenant_id, content_id, substring(sha256(convert_to(source, 'UTF8')) for 16), source, '[de] ' || source,
      date_trunc('second', now()) - interval '1 hour', md5('learned ' || n)
    from memory_sets, generate_series(1, ${sizes.golden}::int) n,
      lateral (select 'Approved sentence number ' || n || ' of the golden set says ' || md5(n::text) || '.' as source) s
    where tenant_id = ${tenantId} and name = 'golden-approved-en-de'`;
}
