import type postgres from 'postgres';
import { requirePremise } from '../load.ts';
import type { Side } from './side.ts';

/** Jobs of one statement. */
const portion = 100_000;

/**
 * Writes what a side holds beside its templates, as the superuser and past its foreign keys: rows are copies of those that the
 * service made, with times spread over the months, and statuses as a busy tenant has them.
 */
export async function fill(side: Side, print: (line: string) => void): Promise<void> {
  const { superuser: sql, tenantId, sizes } = side;
  const start = performance.now();
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into tenants (tenant_id, name, api_key_prefix, monthly_char_limit)
      select 'tenant-' || n, 'Tenant ' || n, 'prefix', 2000000000 from generate_series(1, ${sizes.others}::int) n`;
    await tx`
      insert into users (tenant_id, user_id, email, provider, role, password_hash)
      select 'tenant-' || n, md5('user ' || n), 'member' || n || '@example.org', 'email', 'global_administrator', 'none'
      from generate_series(1, ${sizes.others}::int) n`;
    await fillTokens(tx, side);
    await fillLedgers(tx, side);
  });
  for (let from = 0; from < sizes.jobs; from += portion) await fillJobs(sql, side, from);
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await fillOtherJobs(tx);
    await fillUsage(tx, side);
  });
  await fillTotals(sql, side);
  const [row] = await sql`select count(*)::int as jobs from translation_jobs where tenant_id = ${tenantId}`;
  // 41 are templates.
  requirePremise(row?.['jobs'] === sizes.jobs + 41, `the side has ${sizes.jobs} jobs, not ${row?.['jobs']}`);
  print(
    `${side.name}: ${row?.['jobs']} jobs, filled in ${((performance.now() - start) / 1000).toFixed(0)} s`,
  );
}

async function fillTokens(tx: postgres.TransactionSql, { tenantId, sizes }: Side): Promise<void> {
  await tx`
    insert into tokens (tenant_id, token_hash, kind, user_id, scope, role, issued_at, expires_at)
    select u.tenant_id, sha256(convert_to('token ' || n, 'UTF8')), case n % 2 when 0 then 'access_token' else 'refresh_token' end,
      u.user_id, '', u.role, now(), now() + interval '20 days'
    from generate_series(1, ${sizes.tokens}::int) n join (
      select *, row_number() over (order by tenant_id) - 1 as no, count(*) over () as of from users) u
      on u.no = n % u.of`;
  await tx`
    insert into credential_directory (credential_hash, kind, tenant_id, expires_at)
    select token_hash, kind, tenant_id, expires_at from tokens t
    where not exists (select from credential_directory d where d.credential_hash = t.token_hash)`;
  await tx`
    insert into invites (tenant_id, invite_id, secret_hash, email, role, created_by, created_at, expires_at, redeemed_at, redeemed_by)
    select ${tenantId}, md5('invite ' || n), sha256(convert_to('invite ' || n, 'UTF8')), 'invited' || n || '@example.org',
      'member', 'bench@example.org', at, at + interval '7 days', at + interval '1 day', md5('user ' || n)
    from generate_series(1, ${sizes.invites}::int) n,
      lateral (select now() - make_interval(days => 720) + n * interval '700 days' / ${sizes.invites}::float8 as at) t`;
}

async function fillLedgers(tx: postgres.TransactionSql, { tenantId, sizes }: Side): Promise<void> {
  await tx`
    insert into audit_log (tenant_id, event_id, recorded_at, action, actor_kind, actor_id, target, address, request_id, details)
    select case n % 3 when 0 then 'tenant-' || n % 300 else ${tenantId} end, md5('event ' || n),
      now() - make_interval(days => 720) + n * interval '720 days' / ${sizes.auditLines}::float8, 'signed_in', 'member',
      md5('user ' || n % 50), md5('family ' || n), '192.0.2.' || n % 250, md5('request ' || n), '{"grant": "password"}'
    from generate_series(1, ${sizes.auditLines}::int) n`;
  await tx`
    insert into memory_imports (tenant_id, import_id, status, set_name, source_lang, target_lang, pair_source, pair_target,
      total_units, deduped_units, skipped_units, duplicates_dropped, attempts, created_at, updated_at)
    select ${tenantId}, md5('import ' || n), 'completed', 'old set ' || n % 200, 'en', 'fr', 'en', 'fr', 6000, 6000, 0, 0, 1, at, at
    from generate_series(1, ${sizes.imports}::int) n,
      lateral (select now() - make_interval(days => 720) + n * interval '700 days' / ${sizes.imports}::float8 as at) t`;
}

/** The tenant's oldest jobs have the rare statuses; the frequent ones can fill each page of ten. */
async function fillJobs(sql: postgres.Sql, { tenantId, sizes }: Side, from: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`
    insert into translation_jobs (tenant_id, job_id, status, idempotency_key, request, baseline_translation, final_translation,
      quality_assessment, refinement, verification, agent_run, pipeline_metadata, publish_as, golden_uri, created_at, updated_at)
    select ${tenantId}, lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || left(md5('job ' || i), 20),
      i.status, 'key ' || i, request, baseline_translation, final_translation, quality_assessment, refinement,
      verification, agent_run, pipeline_metadata, case when i.status in ('approved', 'persistence_failed') then 'published' end,
      case when i.status in ('published', 'human_edited') then golden_uri end, at, at
    from (
      select i, now() - make_interval(months => ${sizes.months}) + i * make_interval(months => ${sizes.months}) / ${sizes.jobs + 1}::float8 as at,
        case when i < 3 then 'persistence_failed' when i < 5 then 'approved' when i < 8 then 'pending'
          when i % ${sizes.jobs > 1000 ? 1000 : 100} between 10 and 19 then 'awaiting_review'
          when i % ${sizes.jobs > 1000 ? 1000 : 100} between 20 and 29 then 'human_edited'
          when i % ${sizes.jobs > 1000 ? 1000 : 100} between 30 and 39 then 'rejected'
          when i % ${sizes.jobs > 1000 ? 1000 : 100} between 40 and 49 then 'failed' else 'published' end as status
      from generate_series(${from}::int, ${Math.min(from + portion, sizes.jobs) - 1}::int) i) i
    join (
      select *, row_number() over (partition by status order by job_id) - 1 as no, count(*) over (partition by status) as of,
        status as kind
      from translation_jobs where tenant_id = ${tenantId} and idempotency_key like 'template %') t
      on t.no = i.i % t.of and t.kind = case when i.status in ('awaiting_review', 'rejected') then 'awaiting_review' else 'published' end`;
  });
}

async function fillOtherJobs(tx: postgres.TransactionSql): Promise<void> {
  await tx`
    insert into translation_jobs (tenant_id, job_id, status, idempotency_key, request, baseline_translation, final_translation,
      quality_assessment, refinement, verification, agent_run, pipeline_metadata, golden_uri, created_at, updated_at)
    select o.tenant_id, md5(o.tenant_id || t.job_id), t.status, t.idempotency_key, t.request, t.baseline_translation, t.final_translation,
      t.quality_assessment, t.refinement, t.verification, t.agent_run, t.pipeline_metadata, t.golden_uri, t.created_at, t.updated_at
    from tenants o, (select * from translation_jobs where idempotency_key like 'template %' and status = 'published') t
    where o.tenant_id like 'tenant-%'`;
}

async function fillUsage(tx: postgres.TransactionSql, { tenantId }: Side): Promise<void> {
  await tx`
    insert into usage_records (tenant_id, job_id, kind, billing_period, source_lang, target_lang, source_chars, billable_chars,
      job_status, input_tokens, output_tokens, total_tokens, models, recorded_at)
    select tenant_id, job_id, 'text', to_char(updated_at at time zone 'UTC', 'YYYY-MM'), 'en', 'it',
      length(request ->> 'source_text'), length(request ->> 'source_text'), status, 0, 0, 0, '[]', updated_at
    from translation_jobs where idempotency_key not like 'template %' and status not in ('failed', 'pending')
      and tenant_id = ${tenantId}`;
}

/** A busy tenant's day is spread over many slots, a quiet one's over one. With triggers, if there are any. */
async function fillTotals(sql: postgres.Sql, { tenantId, sizes }: Side): Promise<void> {
  await sql`
    insert into usage_totals (tenant_id, day, allowance_window, slot, jobs, source_chars, billable_chars)
    select t.tenant_id, current_date - d, '', s, 100, 30000, 30000
    from tenants t, generate_series(${sizes.jobs > 1000 ? 1 : 2}::int, ${sizes.months * 30}::int) d, generate_series(0, 7) s
    where t.tenant_id = ${tenantId} or (s = 0 and t.tenant_id like 'tenant-%')
    on conflict do nothing`;
}

/** Approved pairs of English into German, as if each had been learned from a job; the first one was. */
export async function fillGolden(sql: postgres.Sql, { tenantId, sizes }: Side): Promise<void> {
  await sql`
    insert into memory_segments (tenant_id, content_id, source_hash, source_text, target_text, changed_at, job_id)
    select tenant_id, content_id, substring(sha256(convert_to(source, 'UTF8')) for 16), source, '[de] ' || source,
      date_trunc('second', now()) - interval '1 hour', md5('learned ' || n)
    from memory_sets, generate_series(1, ${sizes.golden}::int) n,
      lateral (select 'Approved sentence number ' || n || ' of the golden set says ' || md5(n::text) || '.' as source) s
    where tenant_id = ${tenantId} and name = 'golden-approved-en-de'`;
}
