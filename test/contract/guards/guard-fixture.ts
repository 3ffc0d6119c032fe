import postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { addAdministrator, openOperators, operatorWorkspace } from '#test/factories/operators.ts';
import { addDocument, addMemory, approvePair, beginImport } from '#test/factories.ts';
import { found, invite, join, type Person, submitHeld } from '../../factories.ts';
import { type ContractFixture, useContractFixture } from '../fixture.ts';

const administrator = 'global_administrator';

/** The contract fixture with all kinds of callers, and with the resources to which the calls refer. */
export interface GuardFixture extends ContractFixture {
  sql: postgres.Sql;
  /** Administrators of the founder's workspace: one was revoked, and the session of the other has expired. */
  revoked: Person;
  expired: Person;
  /** An administrator of a workspace that is not active. */
  inactive: Person;
  /**
   * Access tokens of two members of the operators' workspace: a platform operator, and a member without an
   * authenticator.
   */
  operatorToken: string;
  unenrolledToken: string;
  /** Members of the founder's workspace whom calls administer. `leaver` may be revoked. */
  target: Person;
  leaver: Person;
  inviteId: string;
  heldJobId: string;
  /** A running import and a TM in the founder's workspace, which also has an approved translation. */
  importId: string;
  memoryId: string;
  /** A translated document in the founder's workspace. */
  documentId: string;
}

/**
 * Creates the fixture of a test file.
 * @param more environment variables
 * @param start starts the deployment: the application in this process, or several processes
 */
export function useGuardFixture(
  more: Record<string, string> = {},
  start?: Parameters<typeof useContractFixture>[1],
): GuardFixture {
  const operators = {
    OPERATOR_TENANT_ID: operatorWorkspace,
    OPERATOR_EMAILS: 'enrolled@ops.example, unenrolled@ops.example',
  };
  const fixture = useContractFixture({ ...more, ...operators }, start) as GuardFixture;
  const { app } = fixture;

  beforeAll(async () => {
    const sql = postgres(app.superuserUrl, { max: 1, onnotice: () => {} });
    const { founder } = fixture;
    Object.assign(fixture, {
      sql,
      target: await join(app, founder),
      leaver: await join(app, founder),
      revoked: await join(app, founder, administrator),
      expired: await join(app, founder, administrator),
      inactive: await found(app),
      inviteId: (await invite(app, founder)).invite_id,
      heldJobId: await submitHeld(app, founder),
      importId: await beginImport(app, founder),
      memoryId: await addMemory(app, founder),
      // On a deployment with billing, a document would need a subscription.
      documentId: 'BILLING_ENABLED' in more ? '' : await addDocument(app, founder),
    });
    // The member is revoked in the database, because the API would also delete the token. With a valid token, only the
    // guard can reject the member.
    await sql`update users set active = false where user_id = ${fixture.revoked.userId}`;
    await expire(sql, fixture.expired);
    await sql`update tenants set active = false where tenant_id = ${fixture.inactive.tenantId}`;

    await approvePair(app, founder);
    await openOperators(app);
    fixture.operatorToken = (await addAdministrator(app, 'enrolled@ops.example')).accessToken;
    fixture.unenrolledToken = (
      await addAdministrator(app, 'unenrolled@ops.example', { enrolled: false })
    ).accessToken;
    await sql`create table kept_tokens as select * from tokens`;
    await sql`create table kept_directory as select * from credential_directory`;
  });
  afterAll(async () => {
    if (!fixture.sql) return;
    await fixture.sql`drop table if exists kept_tokens, kept_directory`;
    await fixture.sql.end();
  });
  return fixture;
}

/** Restores sessions that a call has ended. */
export async function restoreSessions({ sql }: GuardFixture): Promise<void> {
  await sql`insert into tokens select * from kept_tokens on conflict do nothing`;
  await sql`insert into credential_directory select * from kept_directory on conflict do nothing`;
}

async function expire(sql: postgres.Sql, { userId }: Person): Promise<void> {
  await sql`
    update credential_directory set expires_at = now() - interval '1 second' where credential_hash in
      (select token_hash from tokens where user_id = ${userId})`;
  await sql`update tokens set expires_at = now() - interval '1 second' where user_id = ${userId}`;
}
