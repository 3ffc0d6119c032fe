import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { describeForLog } from '#server/errors.ts';
import { addJob } from '#server/platform/job-queue.ts';
import { defaultThreshold } from '#server/translation/pipeline/policy.ts';
import { calibrateLanguages } from './calibration.ts';

/*
 * The task that counts judged texts by their scores, draws published ones for spot checks, and collects the decisions of
 * reviewers. It reads what other transactions have stored, so that translations and reviews do no additional work. Each
 * step stores its results together with the position up to which it has read, so that nothing counts twice.
 */

type CountingServices = Pick<Services, 'database' | 'log'>;

/** Milliseconds of a run. Then the task is queued again, with its position. */
const runMs = 10_000;
const tenantsPerPage = 200;

/** A usage record is visible this many seconds after the time that it has: the transactions that write it are short. */
const settledSeconds = 120;

/** Usage records of a step, and the maximum characters of their sources, unless it is one record. */
const recordsPerStep = 500;
const charactersPerStep = 3_000_000;

/** Decisions about texts, and approved documents, of a step. */
const textsPerStep = 1000;
const documentsPerStep = 5;

/** Texts translated before this many days are counted, but not drawn. */
const drawnDays = 7;

/** The most texts that await a spot check. If more would be drawn, each has a smaller probability. */
const maxOpen = 2000;

/** Below this score, texts are drawn more often, because errors are more likely. */
export const lowScore = 90;
const lowScoreFactor = 3;

/** Counts what is new in all workspaces. @param position `after`: the ID of the last tenant that is done */
export async function countQuality(services: CountingServices, position: { after?: string }): Promise<void> {
  const { database, log } = services;
  const end = Date.now() + runMs;
  let after = position.after ?? '';
  for (;;) {
    const page = await database.inPlatform((tx) => selectDue(tx, after));
    for (const { tenantId, isDue } of page) {
      if (isDue) {
        const isDone = await countTenant(services, tenantId, end).catch((error: unknown) => {
          // The data of one workspace must not stop the others.
          log.warn({ tenant_id: tenantId, error: describeForLog(error) }, 'scores were not counted');
          return true;
        });
        if (!isDone) {
          await database.inPlatform((tx) =>
            addJob(tx, 'count_quality', { after }, { key: 'count_quality', queue: 'count_quality' }),
          );
          return;
        }
      }
      after = tenantId;
    }
    if (page.length < tenantsPerPage) return;
  }
}

/** Counts what is new in one workspace. @returns false if time ran out */
export async function countTenant(
  { database }: Pick<CountingServices, 'database'>,
  tenantId: string,
  end = Infinity,
): Promise<boolean> {
  for (const step of [countScores, collectDecisions]) {
    let isDone = false;
    while (!isDone) {
      if (Date.now() > end) return false;
      isDone = await database.inTenant(tenantId, (tx) => step(tx, tenantId));
    }
  }
  await database.inTenant(tenantId, (tx) => calibrateLanguages(tx, tenantId));
  return true;
}

const countedFrom = sql`coalesce(q.counted_at, now() - interval '1 year')`;
const countedUntil = sql`now() - make_interval(secs => ${settledSeconds})`;
const decidedFrom = sql`coalesce(q.decided_until, now() - interval '1 year')`;
/** A decision counts a few minutes later, because most mistakes are noticed at once and reopened. */
const decidedUntil = sql`now() - interval '11 minutes'`;

async function selectDue(tx: Tx, after: string): Promise<{ tenantId: string; isDue: boolean }[]> {
  return [
    ...(await tx.execute<{ tenantId: string; isDue: boolean }>(sql`
      select t.tenant_id as "tenantId", (
        exists (select from usage_records u where u.tenant_id = t.tenant_id
          and (u.recorded_at, u.job_id) > (${countedFrom}, coalesce(q.counted_job, ''))
          and u.recorded_at < ${countedUntil})
        or exists (select from translation_jobs j where j.tenant_id = t.tenant_id
          and j.decided_at >= ${decidedFrom} and j.decided_at < ${decidedUntil})
        or exists (select from document_jobs d where d.tenant_id = t.tenant_id
          and d.approved_at >= ${decidedFrom} and d.approved_at < ${decidedUntil})
        or exists (select from audit_log a where a.tenant_id = t.tenant_id and a.action = 'review_reopened'
          and a.recorded_at >= ${decidedFrom} and a.recorded_at < ${decidedUntil})
        or exists (select from quality_checks c where c.tenant_id = t.tenant_id
          and c.checked_at > coalesce(q.calibrated_at, '-infinity'))) as "isDue"
      from tenants t left join quality_settings q using (tenant_id)
      where t.tenant_id > ${after} order by t.tenant_id limit ${tenantsPerPage}::int`)),
  ];
}

/** Locks the position of a workspace, so that no other process counts the same. */
async function lockPosition(tx: Tx, tenantId: string): Promise<void> {
  await tx.execute(sql`insert into quality_settings (tenant_id) values (${tenantId}) on conflict do nothing`);
  await tx.execute(sql`select from quality_settings where tenant_id = ${tenantId} for no key update`);
}

const gate = sql`(j.agent_run -> 'quality_gate')`;

/** SQL: the way of the text job `j` through the gate. */
export const routeOfJob = sql`case when ${gate} ->> 'decision' = 'pass' then 'published'
  when not exists (select from jsonb_array_elements(${gate} -> 'triggers') found
    where found ->> 'severity' = 'blocking' and found ->> 'code' <> 'low_quality_score') then 'held_for_score'
  else 'held' end`;

/** SQL: whether a model judged the text job `j`. */
const isJudged = sql`jsonb_typeof(${gate} #> '{metadata,assessment_score}') = 'number'
  and jsonb_typeof(${gate} -> 'score') = 'number'
  and jsonb_typeof(${gate} -> 'triggers') = 'array'`;

export const scoreOfJob = sql`case when jsonb_typeof(${gate} -> 'score') = 'number'
  then least(100, greatest(0, round((${gate} ->> 'score')::numeric)))::smallint end`;

/** SQL: the way of a segment through the gate. */
const routeOfSegment = (needsReview: SQL, score: SQL, issues: SQL) => sql`
  case when not ${needsReview} then 'published'
    when ${score} < ${defaultThreshold} and jsonb_path_exists(${issues}, '$[*] ? (@.severity == "critical")') = false
      then 'held_for_score'
    else 'held' end`;

export const domainOf = (request: SQL) => sql`lower(trim(left(coalesce(${request} ->> 'domain', ''), 100)))`;
export const dayOf = (time: SQL) => sql`(${time} at time zone 'UTC')::date`;

/** SQL: the ID of a check, which is the same each time. */
export const checkIdOf = (origin: string, item: SQL, position: SQL) =>
  sql`md5(${`${origin}:`} || ${item} || ':' || ${position})`;

/** SQL: the ID of the check for the present decision about an item. Earlier decisions keep theirs, as `replaced`. */
export const reviewCheckId = (tenantId: string, item: SQL, position: SQL) => sql`
  md5('review:' || ${item} || ':' || ${position} || (
    select case count(*) when 0 then '' else ':' || count(*) end from quality_checks r
    where r.tenant_id = ${tenantId} and r.item_id = ${item} and r.position = ${position} and r.origin = 'review'
      and r.state = 'replaced'))`;

/** SQL: the result of the gate for the segment `s`. A change removes it; then the first event of the segment has it. */
const machineResult = (tenantId: string) => sql`
  left join lateral (
    select e.before from segment_events e
    where e.tenant_id = ${tenantId} and e.document_id = s.document_id and e.position = s.position
      and e.before is not null
    order by e.created_at, e.event_id limit 1) first on true
  cross join lateral (
    select case when first.before is null then s.fast_path else first.before ->> 'fast_path' end as fast_path,
      case when first.before is null then s.score else (first.before ->> 'score')::smallint end as score,
      case when first.before is null then s.needs_review else (first.before ->> 'needs_review')::boolean end
        as needs_review,
      case when first.before is null then s.issues else first.before -> 'issues' end as issues) m`;

/**
 * SQL: the texts that a model judged in the jobs of the subquery `taken`. Equal segments of a document are one text,
 * because they are translated once.
 */
export const judgedTexts = (tenantId: string) => sql`
  select 'job' as item_kind, t.job_id, 0 as position, t.source_lang, t.target_lang, t.recorded_at,
    ${domainOf(sql`j.request`)} as domain, ${scoreOfJob} as score, ${routeOfJob} as route
  from taken t join translation_jobs j on j.tenant_id = ${tenantId} and j.job_id = t.job_id
  where t.kind = 'text' and ${isJudged}
  union all
  select 'document', t.job_id, s.position, t.source_lang, t.target_lang, t.recorded_at,
    ${domainOf(sql`d.request`)}, s.score, ${routeOfSegment(sql`s.needs_review`, sql`s.score`, sql`s.issues`)}
  from taken t join document_jobs d on d.tenant_id = ${tenantId} and d.document_id = t.job_id
  cross join lateral (
    select distinct on (s.source_key) s.position, m.* from document_segments s ${machineResult(tenantId)}
    where s.tenant_id = ${tenantId} and s.document_id = t.job_id and m.score is not null and m.fast_path is null
    order by s.source_key, s.position) s
  where t.kind = 'document'`;

/** Counts the next judged texts, and draws some. @returns whether none are left */
async function countScores(tx: Tx, tenantId: string): Promise<boolean> {
  await lockPosition(tx, tenantId);
  const [last] = await tx.execute<{ records: number }>(sql`
    with q as (select * from quality_settings where tenant_id = ${tenantId}),
    batch as (
      select job_id, kind, recorded_at, source_lang, target_lang,
        row_number() over ordered as place, sum(source_chars) over ordered as characters
      from (select u.* from usage_records u, q where u.tenant_id = ${tenantId}
          and (u.recorded_at, u.job_id) > (${countedFrom}, q.counted_job) and u.recorded_at < ${countedUntil}
        order by u.recorded_at, u.job_id limit ${recordsPerStep}::int) u
      window ordered as (order by recorded_at, job_id)),
    taken as materialized (select * from batch where place = 1 or characters <= ${charactersPerStep}),
    judged as materialized (${judgedTexts(tenantId)}),
    counted as (
      insert into quality_scores (tenant_id, day, target_lang, domain, route, score, texts)
      select ${tenantId}, ${dayOf(sql`recorded_at`)}, target_lang, domain, route, score, count(*)
      from judged group by 2, 3, 4, 5, 6
      on conflict (tenant_id, day, target_lang, domain, route, score)
        do update set texts = quality_scores.texts + excluded.texts),
    drawable as (
      select judged.*, least(1, coalesce((q.language_percents ->> target_lang)::real, q.sample_percent) / 100
        * case when score < ${lowScore} then ${lowScoreFactor} else 1 end) as probability
      from judged, q where route = 'published' and recorded_at > now() - make_interval(days => ${drawnDays})),
    wanted as materialized (
      select drawable.*, row_number() over (order by hash) as place, count(*) over () as texts from (
        select drawable.*, md5(${tenantId} || job_id || ':' || position) as hash from drawable) drawable
      where ('x' || substr(hash, 1, 8))::bit(32)::bigint < probability * 4294967296),
    room as (
      select greatest(0, ${maxOpen} - count(*)) as texts from quality_checks
      where tenant_id = ${tenantId} and state = 'open' and origin = 'spot_check'),
    drawn as (
      insert into quality_checks (tenant_id, check_id, origin, item_kind, item_id, position, source_lang, target_lang,
        domain, day, score, route, probability, state)
      select ${tenantId}, ${checkIdOf('spot_check', sql`job_id`, sql`position`)}, 'spot_check', item_kind, job_id,
        position, source_lang, target_lang, domain, ${dayOf(sql`recorded_at`)}, score, route,
        probability * least(1, room.texts::real / wanted.texts), 'open'
      from wanted, room where place <= room.texts
      on conflict do nothing),
    moved as (
      update quality_settings q set counted_at = l.recorded_at, counted_job = l.job_id
      from (select recorded_at, job_id from taken order by recorded_at desc, job_id desc limit 1) l
      where q.tenant_id = ${tenantId} returning 1)
    select count(*)::int as records from taken`);
  return last?.records === 0;
}

/** SQL: closes the check of a text in which the reviewer marked errors. The worst one is the severity of the change. */
const closeMarked = sql`
  on conflict (tenant_id, check_id) do update set day = excluded.day, score = excluded.score, route = excluded.route,
    state = 'done', checked_at = excluded.checked_at, checked_by = excluded.checked_by,
    verdict = case when excluded.verdict = 'rejected' then 'rejected' else coalesce((
      select error ->> 'severity' from jsonb_array_elements(quality_checks.errors) error
      order by array_position(array['critical', 'major', 'minor'], error ->> 'severity') limit 1), excluded.verdict) end
  where quality_checks.state = 'open'`;

/**
 * Collects the next decisions of reviewers about machine translations that the gate held, as checks. Published ones are
 * not collected: members look at those with errors first. An approved document is a decision about all its held segments;
 * of equal ones, a segment with marks counts.
 * A change whose former text is not known is left out. @returns whether none are left
 */
async function collectDecisions(tx: Tx, tenantId: string): Promise<boolean> {
  await lockPosition(tx, tenantId);
  const [step] = await tx.execute<{ from: string; until: string; isLast: boolean }>(sql`
    select ${decidedFrom}::text as "from", least(${decidedUntil}, text.until, document.until)::text as "until",
      coalesce(text.until, document.until) is null as "isLast"
    from quality_settings q
    left join lateral (select greatest(decided_at, ${decidedFrom} + interval '1 ms') as until
      from translation_jobs where tenant_id = ${tenantId} and decided_at >= ${decidedFrom}
        and decided_at < ${decidedUntil}
      order by decided_at offset ${textsPerStep}::int limit 1) text on true
    left join lateral (select greatest(approved_at, ${decidedFrom} + interval '1 ms') as until
      from document_jobs where tenant_id = ${tenantId} and approved_at >= ${decidedFrom}
        and approved_at < ${decidedUntil}
      order by approved_at offset ${documentsPerStep}::int limit 1) document on true
    where q.tenant_id = ${tenantId}`);
  if (!step) throw new Error('the quality settings were deleted although they were locked');
  const { from, until, isLast } = step;
  const decidedIn = (time: SQL) => sql`${time} >= ${from}::timestamptz and ${time} < ${until}::timestamptz`;
  const columns =
    sql.raw(`tenant_id, check_id, origin, item_kind, item_id, position, source_lang, target_lang, domain,
    day, score, route, state, checked_at, checked_by, verdict`);
  // A decision stops counting if its item was reopened, or approved again after changes. Its marks are open again.
  await tx.execute(sql`
    update quality_checks c set state = 'replaced', replaced_at = now() from (
      select target as id, recorded_at as at from audit_log
      where tenant_id = ${tenantId} and action = 'review_reopened' and ${decidedIn(sql`recorded_at`)}
      union all select job_id, decided_at from translation_jobs
      where tenant_id = ${tenantId} and ${decidedIn(sql`decided_at`)}
      union all select document_id, approved_at from document_jobs
      where tenant_id = ${tenantId} and ${decidedIn(sql`approved_at`)}) later
    where c.tenant_id = ${tenantId} and c.item_id = later.id and c.origin = 'review' and c.state = 'done'
      and c.checked_at < later.at`);
  await tx.execute(sql`
    insert into quality_checks (${columns}, errors)
    select tenant_id, ${reviewCheckId(tenantId, sql`c.item_id`, sql`c.position`)}, origin, item_kind, item_id, position,
      source_lang, target_lang, domain, day, null, 'held', 'open', null, checked_by, null, errors
    from quality_checks c
    where tenant_id = ${tenantId} and origin = 'review' and state = 'replaced'
      and replaced_at = now()::timestamptz(3) and errors <> '[]'
    on conflict do nothing`);
  await tx.execute(sql`
    insert into quality_checks (${columns})
    select ${tenantId}, ${reviewCheckId(tenantId, sql`job_id`, sql`0`)}, 'review', 'job', job_id, 0, source_lang,
      target_lang, domain, day, score, route, 'done', decided_at, decided_by,
      case when status = 'rejected' then 'rejected' when machine_text <> final_translation then 'changed' else 'none' end
    from (
      select j.job_id, j.request ->> 'source_lang' as source_lang, j.request ->> 'target_lang' as target_lang,
        ${domainOf(sql`j.request`)} as domain, ${dayOf(sql`coalesce(u.recorded_at, j.created_at)`)} as day,
        ${scoreOfJob} as score, ${routeOfJob} as route, j.decided_at, j.decided_by, j.status, j.final_translation,
        coalesce(nullif(j.pipeline_candidate, ''), j.replaced_text) as machine_text
      from translation_jobs j left join usage_records u on u.tenant_id = ${tenantId} and u.job_id = j.job_id
      where j.tenant_id = ${tenantId} and ${decidedIn(sql`j.decided_at`)} and ${isJudged}) decided
    where route <> 'published' and (status <> 'human_edited' or machine_text is not null)
    ${closeMarked}`);
  await tx.execute(sql`
    insert into quality_checks (${columns})
    select ${tenantId}, ${reviewCheckId(tenantId, sql`document_id`, sql`decided.position`)}, 'review', 'document', document_id,
      position, source_lang, target_lang, domain, day, score, route, 'done', approved_at, approved_by_user,
      case when is_changed then 'changed' else 'none' end
    from (
      select distinct on (d.document_id, s.source_key) d.document_id, s.position, d.request ->> 'source_lang' as source_lang,
        d.request ->> 'target_lang' as target_lang, ${domainOf(sql`d.request`)} as domain,
        ${dayOf(sql`coalesce(u.recorded_at, d.created_at)`)} as day, m.score, d.approved_at, d.approved_by_user,
        ${routeOfSegment(sql`m.needs_review`, sql`m.score`, sql`m.issues`)} as route,
        s.corrected and s.pipeline_text <> s.target_text as is_changed
      from document_jobs d left join usage_records u on u.tenant_id = ${tenantId} and u.job_id = d.document_id
      join document_segments s on s.tenant_id = ${tenantId} and s.document_id = d.document_id
      ${machineResult(tenantId)}
      where d.tenant_id = ${tenantId} and ${decidedIn(sql`d.approved_at`)}
        and m.score is not null and m.fast_path is null and not (s.corrected and s.pipeline_text is null)
      order by d.document_id, s.source_key, not exists (
        select from quality_checks k where k.tenant_id = ${tenantId} and k.item_id = d.document_id
          and k.position = s.position and k.origin = 'review' and k.errors <> '[]'), s.position) decided
    where route <> 'published'
    ${closeMarked}`);
  await tx.execute(sql`
    update quality_settings set decided_until = ${until}::timestamptz where tenant_id = ${tenantId}`);
  return isLast;
}
