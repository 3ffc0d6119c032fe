import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { readCursor, writeCursor } from '#server/http/paging.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { emailsOf } from '#server/identity/members/members.ts';
import { pipelineText } from '#server/review/texts/findings.ts';
import { selectJob } from '#server/texts/jobs.ts';
import { checkIdOf, dayOf, domainOf, judgedTexts, routeOfJob, scoreOfJob } from './counting.ts';
import type { CheckError, CheckPage, ChecksInput, DecideCheckInput, DrawInput, FullCheck } from './schema.ts';

/** Days whose texts can be drawn by hand: published texts, and reviews. */
const drawDays = { spot_check: 30, quality_check: 90 };

/** The latest jobs, or segments, from which texts are drawn by hand. */
const maxCandidates = 3000;

/** Maximum number of open checks of a workspace, including those that are drawn by hand. */
const maxOpen = 5000;

type CheckRow = Omit<FullCheck, 'item_id' | 'target_text' | 'words' | 'checked_at'> & {
  item_id: string;
  state: 'open' | 'done' | 'skipped' | 'replaced';
  checked_at: string | null;
  reviewed_by: string | null;
  segment_source: string | null;
  machine_text: string | null;
  present_text: string | null;
  words: number;
};

/** SQL: the checks of a workspace with the items that still exist. */
const rows = (tenantId: string) => sql`
  select c.check_id, c.origin, c.item_kind, c.item_id, c.position, c.source_lang, c.target_lang, c.domain, c.day::text,
    c.state, c.checked_at, c.checked_by, c.verdict, c.errors, c.words, c.score,
    c.reviewed_by, d.source_file_name as name, coalesce(j.request ->> 'source_text', s.source_text) as segment_source,
    coalesce(s.pipeline_text, s.target_text) as machine_text, s.target_text as present_text
  from quality_checks c
  left join translation_jobs j on c.item_kind = 'job' and j.tenant_id = ${tenantId} and j.job_id = c.item_id
  left join document_jobs d on c.item_kind = 'document' and d.tenant_id = ${tenantId} and d.document_id = c.item_id
  left join document_segments s on s.tenant_id = ${tenantId} and s.document_id = d.document_id
    and s.position = c.position
  where c.tenant_id = ${tenantId} and coalesce(j.job_id, s.document_id) is not null`;

/**
 * SQL: whether a member may do the check `c`: no member checks a text that they reviewed or checked, or a segment of a
 * document that they approved.
 */
const mayCheck = ({ tenant, user }: SessionPrincipal) => sql`
  c.reviewed_by is distinct from ${user.id}
  and not exists (select from document_jobs d where c.item_kind = 'document' and d.tenant_id = ${tenant.id}
    and d.document_id = c.item_id and d.approved_by_user = ${user.id})
  and not exists (select from segment_events e where c.item_kind = 'document' and e.tenant_id = ${tenant.id}
    and e.document_id = c.item_id and e.position = c.position and e.user_id = ${user.id})
  and not exists (select from translation_jobs j where c.item_kind = 'job' and c.origin = 'quality_check'
    and j.tenant_id = ${tenant.id} and j.job_id = c.item_id and jsonb_path_exists(j.agent_run,
      '$.steps[*] ? (@.kind == "human" && @.actor == $member)', jsonb_build_object('member', ${user.email || user.id}::text)))`;

/** SQL: whether a member may read the done check `c`: administrators, the checker, and the reviewer of the text. */
const mayRead = ({ user }: SessionPrincipal) =>
  user.role === 'global_administrator'
    ? sql`true`
    : sql`(c.checked_by = ${user.id} or c.reviewed_by = ${user.id})`;

/**
 * Returns a page of checks: the open ones that the caller may do, or those that are done.
 * @throws AppError 422 for an invalid cursor
 */
export async function listChecks(
  tx: Tx,
  principal: SessionPrincipal,
  { origin, target_lang, state, limit, cursor }: ChecksInput,
): Promise<CheckPage> {
  const { tenant } = principal;
  const isOpen = state === 'open';
  const filter = sql`c.origin = ${origin} and c.state = ${state}
    and ${target_lang === undefined ? sql`true` : sql`c.target_lang = ${target_lang}`}
    and ${isOpen ? mayCheck(principal) : mayRead(principal)}`;
  // Open checks are in a random order: if members check only some, these stand for all.
  const time = sql.raw(isOpen ? "'epoch'::timestamptz" : 'c.checked_at');
  const end = cursor === undefined ? undefined : readCursor(cursor);
  const place =
    end &&
    sql`(${time}, c.check_id) ${sql.raw(isOpen ? '>' : '<')} (${end.updatedAt.toISOString()}::timestamptz, ${end.id})`;
  const order = sql.raw(isOpen ? '' : 'desc');
  const found = await tx.execute<CheckRow & Record<string, unknown>>(sql`
    ${rows(tenant.id)} and ${filter} and ${place ?? sql`true`}
    order by ${time} ${order}, c.check_id ${order} limit ${limit + 1}::int`);
  const [counted] = await tx.execute<{ open: number }>(sql`
    select count(*)::int as open from quality_checks c
    where c.tenant_id = ${tenant.id} and c.origin = ${origin} and c.state = 'open' and ${mayCheck(principal)}`);
  const page = found.slice(0, limit);
  const names = await emailsOf(
    tx,
    tenant.id,
    page.flatMap(({ checked_by }) => checked_by ?? []),
  );
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    checks: page.map((row) => {
      const { source_text, ...item } = summaryOf(row, names, principal);
      return { ...item, source_text: Array.from(source_text.slice(0, 400)).slice(0, 200).join('') };
    }),
    open: counted?.open ?? 0,
    next_cursor: last
      ? writeCursor({
          updated_at: isoOf(last.checked_at ?? '1970-01-01'),
          id: last.check_id,
        })
      : null,
  };
}

const isoOf = (time: string) => new Date(time).toISOString();

function summaryOf(row: CheckRow, names: Map<string, string>, { user }: SessionPrincipal) {
  // The reviewer whose work was checked sees the result, but not who checked it.
  const isOwn = row.reviewed_by === user.id && user.role !== 'global_administrator';
  const { check_id, origin, item_kind, item_id, position, source_lang, target_lang, domain, name, day } = row;
  return {
    ...{ check_id, origin, item_kind, item_id, position, source_lang, target_lang, domain, name, day },
    source_text: row.segment_source ?? '',
    checked_by: isOwn ? null : row.checked_by && (names.get(row.checked_by) || row.checked_by),
    item_id: row.state === 'open' ? null : item_id,
    checked_at: row.checked_at && isoOf(row.checked_at),
    verdict: row.verdict,
  };
}

/** @throws AppError 404 for an unknown check, one of another tenant, or one whose text was deleted */
async function selectCheck(
  tx: Tx,
  tenantId: string,
  checkId: string,
  condition = sql`true`,
): Promise<CheckRow> {
  const [row] = await tx.execute<CheckRow & Record<string, unknown>>(
    sql`${rows(tenantId)} and c.check_id = ${checkId} and c.origin <> 'review' and ${condition}`,
  );
  if (!row) throw new AppError('not_found', 'check not found');
  return row;
}

async function targetOf(tx: Tx, tenantId: string, row: CheckRow): Promise<string> {
  const isMachine = row.origin === 'spot_check';
  if (row.item_kind === 'document') return (isMachine ? row.machine_text : row.present_text) ?? '';
  const job = await selectJob(tx, tenantId, row.item_id);
  return (job && (isMachine ? pipelineText(job) : job.final_translation)) ?? '';
}

async function viewOf(tx: Tx, principal: SessionPrincipal, row: CheckRow): Promise<FullCheck> {
  const tenantId = principal.tenant.id;
  const names = await emailsOf(tx, tenantId, row.checked_by === null ? [] : [row.checked_by]);
  return {
    ...summaryOf(row, names, principal),
    target_text: await targetOf(tx, tenantId, row),
    score: row.verdict === null ? null : row.score,
    errors: row.errors,
    words: row.words,
  };
}

/** @throws AppError 404, also for a check that the caller may not read or do */
export async function getCheck(tx: Tx, principal: SessionPrincipal, checkId: string): Promise<FullCheck> {
  const { tenant } = principal;
  const isAllowed = sql`case when c.state = 'open' then ${mayCheck(principal)} else ${mayRead(principal)} end`;
  return viewOf(tx, principal, await selectCheck(tx, tenant.id, checkId, isAllowed));
}

const severities = ['critical', 'major', 'minor'] as const;

/**
 * Stores the result of an open check. Sending the same result again changes nothing.
 * @throws AppError 404; 403 if the caller reviewed the text; 409 conflict if the check has another result; 422 if an
 *   error is not in the translation
 */
export async function decideCheck(
  tx: Tx,
  principal: SessionPrincipal,
  { check_id, errors, skip }: DecideCheckInput,
): Promise<FullCheck> {
  const { tenant, user } = principal;
  const [locked] = await tx.execute<{ may: boolean }>(sql`
    select ${mayCheck(principal)} as may from quality_checks c
    where tenant_id = ${tenant.id} and check_id = ${check_id} for no key update`);
  const row = await selectCheck(tx, tenant.id, check_id);
  if (!locked?.may)
    throw new AppError('forbidden', 'a text is checked by a member who has not reviewed or checked it');
  if (row.state !== 'open') {
    const isSame =
      row.checked_by === user.id &&
      row.state === (skip ? 'skipped' : 'done') &&
      isEqual(row.errors, skip ? [] : errors);
    if (!isSame) throw new AppError('conflict', 'the check already has a result');
    return viewOf(tx, principal, row);
  }
  const target = await targetOf(tx, tenant.id, row);
  requirePlaces(errors, target);
  const verdict =
    severities.find((severity) => errors.some((error) => error.severity === severity)) ?? 'none';
  await tx.execute(sql`
    update quality_checks set state = ${skip ? 'skipped' : 'done'}, checked_at = now(), checked_by = ${user.id},
      verdict = ${skip ? null : verdict}, errors = ${JSON.stringify(skip ? [] : errors)}::jsonb,
      words = coalesce((select count_words_of(request) from translation_jobs
        where tenant_id = ${tenant.id} and item_kind = 'job' and job_id = item_id),
        count_words(${row.segment_source ?? ''}::text))
    where tenant_id = ${tenant.id} and check_id = ${check_id}`);
  return getCheck(tx, principal, check_id);
}

function isEqual(stored: readonly CheckError[], sent: readonly CheckError[]): boolean {
  const keyOf = ({ category, severity, start, end, note }: CheckError) =>
    JSON.stringify([category, severity, start, end, note]);
  return (
    stored.length === sent.length &&
    stored.every((error, at) => keyOf(error) === keyOf(sent[at] as CheckError))
  );
}

/** @throws AppError 422 */
export function requirePlaces(errors: readonly CheckError[], target: string): void {
  const wrong = errors.findIndex(({ start, end }) => start > end || end > target.length);
  if (wrong === -1) return;
  throw new AppError('invalid_fields', [
    {
      loc: ['body', 'errors', wrong, 'end'],
      msg: `must be a place in the translation, from start to ${target.length}`,
      type: 'invalid_range',
    },
  ]);
}

/** Draws texts for checks at random, from the latest ones. @returns the number of drawn texts */
export async function drawTexts(
  tx: Tx,
  tenantId: string,
  { origin, target_lang, count, reviewer, document_id }: DrawInput,
): Promise<number> {
  const since = sql`now() - make_interval(days => ${drawDays[origin]})`;
  // Two drawings at the same time must not draw more than allowed.
  await tx.execute(sql`insert into quality_settings (tenant_id) values (${tenantId}) on conflict do nothing`);
  await tx.execute(sql`select from quality_settings where tenant_id = ${tenantId} for no key update`);
  const candidates =
    origin === 'spot_check'
      ? publishedTexts(tenantId, target_lang, since)
      : reviewedTexts(tenantId, { target_lang, since, reviewer, document_id });
  const drawn = await tx.execute(sql`
    with candidate as materialized (
      select * from (${candidates}) found where not exists (
        select from quality_checks c where c.tenant_id = ${tenantId} and c.item_id = found.job_id
          and c.position = found.position and c.origin = ${origin})),
    room as (select greatest(0, ${maxOpen} - count(*)) as left from quality_checks
      where tenant_id = ${tenantId} and state = 'open' and origin <> 'review')
    insert into quality_checks (tenant_id, check_id, origin, item_kind, item_id, position, source_lang, target_lang,
      domain, day, score, route, probability, reviewed_by, state)
    select ${tenantId}, ${checkIdOf(origin, sql`job_id`, sql`position`)}, ${origin}, item_kind, job_id, position,
      source_lang, target_lang, domain, ${dayOf(sql`recorded_at`)}, score, route,
      least(1, ${count}::real / (select count(*) from candidate)), reviewed_by, 'open'
    from candidate order by random() limit least(${count}::int, (select "left" from room))
    on conflict do nothing returning 1`);
  return drawn.length;
}

function publishedTexts(tenantId: string, targetLang: string, since: SQL): SQL {
  return sql`
    with taken as materialized (
      select job_id, kind, source_lang, target_lang, recorded_at from usage_records
      where tenant_id = ${tenantId} and recorded_at > ${since} and target_lang = ${targetLang}
      order by recorded_at desc limit ${maxCandidates}::int)
    select *, null::text as reviewed_by from (${judgedTexts(tenantId)}) judged where route = 'published'`;
}

/** SQL: texts whose review a member closed. The work on a segment is that of the last member who edited or confirmed it. */
function reviewedTexts(
  tenantId: string,
  of: { target_lang: string; since: SQL; reviewer: string | undefined; document_id: string | undefined },
): SQL {
  const { target_lang, since, reviewer, document_id } = of;
  const isBy = (column: SQL) =>
    reviewer === undefined ? sql`${column} is not null` : sql`${column} = ${reviewer}`;
  return sql`
    (select 'job' as item_kind, j.job_id, 0 as position, j.request ->> 'source_lang' as source_lang,
      j.request ->> 'target_lang' as target_lang, j.created_at as recorded_at, ${domainOf(sql`j.request`)} as domain,
      ${scoreOfJob} as score, ${routeOfJob} as route, j.decided_by as reviewed_by
    from translation_jobs j where j.tenant_id = ${tenantId} and j.decided_at > ${since} and ${document_id === undefined}
      and j.status in ('published', 'human_edited') and ${isBy(sql`j.decided_by`)}
      and j.request ->> 'target_lang' = ${target_lang}
    order by j.decided_at desc limit ${maxCandidates}::int)
    union all
    (select 'document', d.document_id, s.position, d.request ->> 'source_lang', d.request ->> 'target_lang', d.created_at,
      ${domainOf(sql`d.request`)}, s.score, 'held', r.reviewed_by
    from document_jobs d join document_segments s on s.tenant_id = ${tenantId} and s.document_id = d.document_id
    left join lateral (
      select e.user_id from segment_events e
      where e.tenant_id = ${tenantId} and e.document_id = s.document_id and e.position = s.position
        and e.kind in ('edited', 'confirmed') and e.user_id is not null
      order by e.created_at desc limit 1) last on true
    cross join lateral (select coalesce(last.user_id, d.approved_by_user) as reviewed_by) r
    where d.tenant_id = ${tenantId} and d.approved_at > ${since} and ${isBy(sql`r.reviewed_by`)}
      and ${document_id === undefined ? sql`true` : sql`d.document_id = ${document_id}`}
      and d.request ->> 'target_lang' = ${target_lang} and (s.confirmed_at is not null or s.corrected)
    order by d.approved_at desc, s.position limit ${maxCandidates}::int)`;
}
