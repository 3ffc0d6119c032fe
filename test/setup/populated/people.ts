import type postgres from 'postgres';
import {
  addKey,
  administrator,
  askKeys,
  developer,
  found,
  invite,
  join,
  openSession,
  type Person,
  resetToken,
  revoke,
  withAuthenticator,
} from '#test/factories.ts';
import type { Deployment } from './deployment.ts';
import { prose } from './words.ts';

/** A workspace, its first administrator, and all active members. */
export interface Workspace {
  founder: Person;
  members: Person[];
}

/** Creates a workspace with members, sessions, authenticators, invites and API keys. */
export async function addWorkspace(
  deployment: Deployment,
  { name, domain, members: count }: { name: string; domain: string; members: number },
): Promise<Workspace> {
  const { japanese } = prose(count);
  const founder = await found(deployment, {
    ...{ tenant_name: name, email: `ada@${domain}` },
    metadata: { customer_since: 2019, notes: japanese(16_000) },
  });
  const members = [founder];
  while (members.length < count) {
    const member = await join(deployment, founder, members.length % 5 === 1 ? administrator : developer);
    members.push(members.length % 4 === 1 ? await withAuthenticator(deployment, member) : member);
    if (members.length % 3 === 0) await openSession(deployment, member);
  }
  const left = await join(deployment, founder);
  await revoke(deployment, founder, left);
  await resetToken(deployment, { ...founder, userId: members.at(-1)!.userId });
  for (let n = 0; n < 5; n++) await invite(deployment, founder, { email: `invited${n}@${domain}` });
  for (let n = 0; n < Math.min(12, count); n++) {
    const { key_id } = await addKey(deployment, founder, {
      name: `Integration ${n}`,
      scopes: n % 3 === 0 ? ['read', 'translate'] : ['read'],
    });
    if (n % 4 === 3) await askKeys(deployment, founder, 'rotate', { key_id, overlap_seconds: 3600 });
  }
  return { founder, members };
}

/** Adds the audit events of a year of sign-ins, some of them with the largest details that the service writes. */
export async function addAudit(sql: postgres.Sql, { founder, members }: Workspace, events: number) {
  const ids = members.map(({ userId }) => userId);
  await sql`
    insert into audit_log (tenant_id, event_id, recorded_at, action, actor_kind, actor_id, target, address, request_id, details)
    select ${founder.tenantId}, md5(${founder.tenantId} || n), now() - n * interval '364 days' / ${events}::float8,
      'signed_in', 'member', (${ids}::text[])[1 + n % ${ids.length}::int], md5('family' || n), '192.0.2.' || n % 250,
      md5('request' || n), '{"grant": "password"}'
    from generate_series(1, ${events}::int) n`;
}
