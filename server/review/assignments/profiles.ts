import { type SQL, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { SessionPrincipal } from '#server/identity/access/principal.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { covers } from '#server/member-languages.ts';
import type { Profile, ProfilePage, ProfilesInput, SaveProfileInput } from './schema.ts';

/** SQL: the name that colleagues see of the user `u` with the profile `p`. */
export const shownName = sql`coalesce(nullif(p.display_name, ''), nullif(u.email, ''), u.user_id)`;

/** SQL: users `u` of a workspace with their profiles `p`. */
export const usersOf = (tenantId: string): SQL => sql`users u
  left join reviewer_profiles p on p.tenant_id = ${tenantId} and p.user_id = u.user_id
  where u.tenant_id = ${tenantId}`;

type ProfileRow = Omit<Profile, 'is_away'> & Record<string, unknown>;

const storedLanguages = sql`coalesce(p.languages, '[]')`;

async function selectProfiles(
  tx: Tx,
  tenantId: string,
  filter: SQL,
  languages = storedLanguages,
): Promise<Profile[]> {
  const rows = await tx.execute<ProfileRow>(sql`
    select u.user_id, u.email, ${shownName} as name, coalesce(p.display_name, '') as display_name,
      coalesce(p.time_zone, 'UTC') as time_zone, p.away_from::text, p.away_to::text,
      ${languages} as languages
    from ${usersOf(tenantId)} and u.active and ${filter}`);
  // A formatter of dates is slow to create.
  const days = new Map<string, string>();
  const today = (zone: string) => {
    const day = days.get(zone) ?? dayIn(zone, new Date());
    days.set(zone, day);
    return day;
  };
  return rows.map((row) => {
    const { away_from: from, away_to: to, time_zone: zone } = row;
    return { ...row, is_away: from !== null && to !== null && from <= today(zone) && today(zone) <= to };
  });
}

/** Returns the shown names of members, by ID. */
export async function namesOf(
  tx: Tx,
  tenantId: string,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.execute<{ id: string; name: string }>(sql`
    select u.user_id as id, ${shownName} as name from ${usersOf(tenantId)}
      and u.user_id = any(array(select json_array_elements_text(${JSON.stringify(userIds)}::json)))`);
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Returns a page of the active members of a workspace, with their languages or with none. */
export async function listProfiles(
  tx: Tx,
  tenantId: string,
  { user_id, limit, cursor = '' }: ProfilesInput,
  { withLanguages = true } = {},
): Promise<ProfilePage> {
  const found = await selectProfiles(
    tx,
    tenantId,
    sql`u.user_id > ${cursor} and ${user_id === undefined ? sql`true` : sql`u.user_id = ${user_id}`} order by u.user_id limit ${limit + 1}::int`,
    withLanguages ? storedLanguages : sql`'[]'::jsonb`,
  );
  const members = found.slice(0, limit);
  return { members, next_cursor: found.length > limit ? (members.at(-1)?.user_id ?? null) : null };
}

/**
 * Returns those of some users who are active members, by ID. They are locked, so that their access cannot be revoked
 * until the transaction ends.
 */
export async function lockProfiles(
  tx: Tx,
  tenantId: string,
  ids: readonly (string | null | undefined)[],
): Promise<Map<string, Profile>> {
  const wanted = JSON.stringify([...new Set(ids.filter((id) => typeof id === 'string'))]);
  const found = await selectProfiles(
    tx,
    tenantId,
    sql`u.user_id = any(array(select json_array_elements_text(${wanted}::json))) order by u.user_id for share of u`,
  );
  return new Map(found.map((one) => [one.user_id, one]));
}

/** Maximum number of members among whom a rule selects, in addition to those that rules name. */
const maxCandidates = 1000;

/** Returns the active members among whom rules select, by ID. @param named the members that rules name */
export function selectCandidates(tx: Tx, tenantId: string, named: readonly string[]): Promise<Profile[]> {
  return selectProfiles(
    tx,
    tenantId,
    sql`(u.user_id = any(array(select json_array_elements_text(${JSON.stringify(named)}::json))) or u.user_id = any(array(
      select user_id from users where tenant_id = ${tenantId} and active order by user_id limit ${maxCandidates}::int)))
      order by u.user_id`,
  );
}

/** Returns a day in a time zone as `YYYY-MM-DD`. */
export function dayIn(timeZone: string, at: Date): string {
  // The format of Sweden is that of ISO 8601.
  return new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short' }).format(at);
}

/**
 * Saves the profile of the caller or, for an administrator, of another member. Fields that are left out stay. Items
 * whose languages the member does not review any longer become unassigned.
 * @throws AppError 403; 404 for an unknown or revoked member
 */
export async function saveProfile(
  tx: Tx,
  origin: Origin,
  { tenant, user }: SessionPrincipal,
  { user_id = user.id, ...fields }: SaveProfileInput,
): Promise<Profile> {
  const isAdministrator = user.role === 'global_administrator';
  if (!isAdministrator && (user_id !== user.id || fields.languages))
    throw new AppError('forbidden', 'only administrators can change languages, and the profiles of others');
  const known = sql`select user_id from users where tenant_id = ${tenant.id} and user_id = ${user_id} and active`;
  const found = await tx.execute(sql`${known} for no key update`);
  if (found.length === 0) throw new AppError('not_found', 'member not found');
  const [present] = await selectProfiles(tx, tenant.id, sql`u.user_id = ${user_id}`);
  const given = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<Profile>;
  const { display_name, time_zone, away_from, away_to, languages } = { ...(present as Profile), ...given };
  const values = sql`${display_name}, ${time_zone}, ${away_from}::date, ${away_to}::date, ${JSON.stringify(languages)}::jsonb`;
  const columns = sql.raw('display_name, time_zone, away_from, away_to, languages');
  await tx.execute(sql`
    insert into reviewer_profiles (tenant_id, user_id, ${columns}) values (${tenant.id}, ${user_id}, ${values})
    on conflict (tenant_id, user_id) do update set (${columns}) = row (${values})`);
  if (fields.languages) await unassignUncovered(tx, tenant.id, user_id, languages);
  await recordEvent(tx, origin, {
    action: 'reviewer_profile_changed',
    tenantId: tenant.id,
    actor: { kind: 'member', userId: user.id },
    target: user_id,
    details: { fields: Object.keys(fields).sort().join(' '), languages: languages.length },
  });
  const [saved] = await selectProfiles(tx, tenant.id, sql`u.user_id = ${user_id}`);
  return saved as Profile;
}

async function unassignUncovered(
  tx: Tx,
  tenantId: string,
  userId: string,
  languages: Profile['languages'],
): Promise<void> {
  const pairs = await tx.execute<{ source_lang: string; target_lang: string }>(sql`
    select distinct source_lang, target_lang from review_assignments
    where tenant_id = ${tenantId} and closed_at is null and (holder = ${userId} or second = ${userId})`);
  const lost = (role: 'review' | 'second') =>
    JSON.stringify(pairs.filter((pair) => !covers(languages, role, pair)));
  const isLost = (role: 'review' | 'second') => sql`(source_lang, target_lang) in (
    select l ->> 'source_lang', l ->> 'target_lang' from json_array_elements(${lost(role)}::json) l)`;
  const hasRules = sql`exists(select from assignment_rules r where r.tenant_id = ${tenantId})`;
  await tx.execute(sql`
    update review_assignments set version = version + 1, assigned_at = now(),
      assignee = case when assignee = ${userId} and ${isLost('review')} then null else assignee end,
      second = case when second = ${userId} and ${isLost('second')} then null else second end,
      rules_from = case when ${hasRules} then now() else rules_from end
    where tenant_id = ${tenantId} and closed_at is null and (
      (holder = ${userId} and passed_at is null and ${isLost('review')})
      or (second = ${userId} and ${isLost('second')}))`);
}
