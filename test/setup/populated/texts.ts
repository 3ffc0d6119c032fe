import type postgres from 'postgres';
import type { Headers } from '#test/factories.ts';
import { type Deployment, outage } from './deployment.ts';
import { type Prose, prose } from './words.ts';

const targets = ['de', 'fr', 'ja', 'es', 'ar'];
const projects = ['shop', 'manual', 'portal', 'app', 'newsletter', 'legal notices', 'support'];

/**
 * Submits texts with a workspace's key, so that there are jobs in all lasting states. The texts that `exact` contains are in
 * the TM.
 */
export async function fillTexts(
  deployment: Deployment,
  headers: Headers,
  count: number,
  exact: readonly string[],
): Promise<void> {
  const words = prose(count);
  const part = (share: number) => Math.max(2, Math.round(count * share));
  await submitBatches(
    deployment,
    headers,
    Array.from({ length: part(0.5) }, () => words.sentence()),
    words,
  );
  await submitBatches(deployment, headers, exact, words, ['de']);
  const held = await submitHeld(deployment, headers, part(0.35), words);
  const closed = held.slice(0, part(0.2));
  await inTurns([...closed.entries()], 8, async ([at, id]) => {
    const body =
      at % 4 === 0
        ? { action: 'reject', notes: words.sentence(900) }
        : at % 4 === 1
          ? { action: 'approve' }
          : { action: 'modify', final_translation: words.sentence(120, 'fr') };
    await succeed(deployment, 'POST', `/api/translations/${id}/review`, headers, {
      reviewer: 'Amélie',
      ...body,
    });
  });
  await submitLarge(deployment, headers, part(0.015), words);
  await failTexts(deployment, headers, part(0.02), words);
}

/**
 * Copies the jobs of a workspace that have no golden record, with their usage, until it has `count` jobs. The copies are
 * spread over the last year.
 */
export async function copyTexts(sql: postgres.Sql, tenantId: string, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    // The feed has only events of the last weeks, and the copies are older.
    await tx`set local session_replication_role = replica`;
    await tx`
      create temp table copies on commit drop as
      with bare as (
        select *, row_number() over (order by job_id) - 1 as no, count(*) over () as of
        from translation_jobs
        where tenant_id = ${tenantId} and golden_uri is null and octet_length(request::text) < 20000
          and (status in ('awaiting_review', 'rejected', 'failed')
            or status = 'published' and pipeline_metadata -> 'provenance' ->> 'fast_path' is not null)
      ), wanted as (
        select n, now() - interval '364 days' + n * interval '363 days' / ${count}::float8 as at
        from generate_series(1, ${count}::int - (select count(*)::int from translation_jobs where tenant_id = ${tenantId})) n
      )
      select bare.*, n, date_trunc('milliseconds', at) as at,
        lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || left(md5(${tenantId} || n), 20) as copy_id
      from wanted join bare on no = n % of`;
    await tx`
      insert into translation_jobs (tenant_id, job_id, status, attempt, request, baseline_translation, final_translation,
        quality_assessment, refinement, verification, agent_run, pipeline_metadata, pipeline_candidate,
        decided_at, decided_by, replaced_text, created_at, updated_at)
      select tenant_id, copy_id, status, attempt, request, baseline_translation, final_translation,
        quality_assessment, refinement, verification, agent_run, pipeline_metadata, pipeline_candidate,
        case when decided_at is not null then at end, decided_by, replaced_text, at, at
      from copies`;
    await tx`
      insert into usage_records (tenant_id, job_id, kind, billing_period, source_lang, target_lang, source_chars,
        billable_chars, job_status, fast_path, input_tokens, output_tokens, total_tokens, models, submitted_by, recorded_at)
      select u.tenant_id, copy_id, kind, to_char(at at time zone 'UTC', 'YYYY-MM'), source_lang, target_lang, source_chars,
        billable_chars, job_status, fast_path, input_tokens, output_tokens, total_tokens, models, submitted_by, at
      from copies join usage_records u using (tenant_id, job_id)`;
    await tx`
      insert into usage_totals (tenant_id, day, allowance_window, slot, jobs, source_chars, billable_chars)
      select tenant_id, (at at time zone 'UTC')::date, '', 0, count(*), sum(source_chars), sum(billable_chars)
      from copies join usage_records u using (tenant_id, job_id) group by 1, 2
      on conflict (tenant_id, day, allowance_window, slot) do update set jobs = usage_totals.jobs + excluded.jobs,
        source_chars = usage_totals.source_chars + excluded.source_chars,
        billable_chars = usage_totals.billable_chars + excluded.billable_chars`;
  });
}

/**
 * Leaves jobs in the states that only last for a while: they wait for workers, or for a store that fails. Nobody must
 * run the deployment's workers afterwards.
 */
export async function leaveUnfinished(deployment: Deployment, headers: Headers, each: number): Promise<void> {
  const words = prose(each);
  const [held] = await submitHeld(deployment, headers, 1, words);
  deployment.faults.records = true;
  for (let n = 0; n < each; n++)
    await expectStatus(deployment, headers, 502, { source_text: words.sentence(), target_lang: 'fr' });
  await deployment.json('POST', `/api/translations/${held}/review`, { headers, body: { action: 'approve' } });
  deployment.faults.records = false;
  for (let n = 0; n < each; n++)
    await deployment.json('POST', '/api/translations', {
      headers: { ...headers, prefer: 'respond-async' },
      body: { source_text: words.sentence(), target_lang: 'de', idempotency_key: `waiting ${n}` },
    });
}

async function submitBatches(
  deployment: Deployment,
  headers: Headers,
  texts: readonly string[],
  words: Prose,
  languages: readonly string[] = targets,
) {
  const each = 40;
  for (let from = 0; from < texts.length; from += each) {
    const inputs = texts
      .slice(from, from + each)
      .map((Text) => ({ Text, Targets: [{ Language: words.pick(languages) }] }));
    const idempotency_key = `batch ${texts.length} ${from}`;
    await succeed(deployment, 'POST', '/api/translations', headers, { inputs, idempotency_key });
  }
}

async function submitHeld(deployment: Deployment, headers: Headers, count: number, words: Prose) {
  const ids: string[] = [];
  await inTurns(Array(count).keys().toArray(), 8, async (at) => {
    const { id } = await succeed(deployment, 'POST', '/api/translations', headers, {
      source_text: at % 9 === 0 ? `<p>${words.sentence()} <b>Note:</b> {name} 12.5 kg</p>` : words.sentence(),
      ...(at % 9 === 0 && { text_type: 'Html' }),
      target_lang: words.pick(targets),
      domain: 'legal',
      metadata: { project: words.pick(projects), field: `item ${at}`, tags: ['a', 'b'] },
    });
    ids.push(id);
  });
  return ids;
}

/** Submits texts as long as the limit permits: in Japanese, each is a row of several hundred kilobytes. */
async function submitLarge(deployment: Deployment, headers: Headers, count: number, words: Prose) {
  for (let n = 0; n < count; n++)
    await succeed(deployment, 'POST', '/api/translations', headers, {
      source_text: words.japanese(49_900),
      source_lang: 'ja',
      target_lang: 'en',
      ...(n % 2 === 0 && { domain: 'legal' }),
      metadata: { project: 'books', note: words.japanese(20_000) },
    });
}

async function failTexts(deployment: Deployment, headers: Headers, count: number, words: Prose) {
  deployment.faults.engine = outage();
  await inTurns(Array(count).keys().toArray(), 8, () =>
    expectStatus(deployment, headers, 503, { source_text: words.sentence(), target_lang: 'it' }),
  );
  deployment.faults.engine = null;
}

/** Submits a text whose job cannot be completed. */
async function expectStatus(deployment: Deployment, headers: Headers, expected: number, body: object) {
  const { status } = await deployment.json('POST', '/api/translations', { headers, body });
  if (status !== expected)
    throw new Error(`a text of a faulty deployment answered ${status}, not ${expected}`);
}

/** Sends a request that must succeed. @returns the body of the response */
export async function succeed(
  deployment: Pick<Deployment, 'json'>,
  method: string,
  path: string,
  headers: Headers,
  body?: unknown,
) {
  const answer = await deployment.json(method, path, { headers, body });
  if (answer.status >= 300)
    throw new Error(
      `${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 500)}`,
    );
  return answer.body;
}

/** Runs `work` for each item, at most `width` at a time. */
export async function inTurns<T>(items: readonly T[], width: number, work: (item: T) => Promise<void>) {
  const waiting = items.values();
  const lane = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
