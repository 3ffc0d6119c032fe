import postgres from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { addAdministrator, openOperators, operatorWorkspace } from '#test/factories/operators.ts';
import { addDocument, addMemory, approvePair, beginImport } from '#test/factories.ts';
import { found, invite, join, type Person, submitHeld } from '../../factories.ts';
import { type ContractFixture, useContractFixture } from '../fixture.ts';

const administrator = 'global_administrator';

/** The contract fixture, with every kind of caller and the resources that the procedures are called with. */
export interface GuardFixture extends ContractFixture {
  sql: postgres.Sql;
  /** Administrators of the founder's workspace who were revoked or demoted: see `useStage`. */
  revoked: Person;
  expired: Person;
  /** An administrator of a workspace that is not active. */
  inactive: Person;
  /** Access tokens of the operators' workspace: a platform operator, and one without an authenticator. */
  operatorToken: string;
  unenrolledToken: string;
  /** Members of the founder's workspace, to be administered; one of them to be revoked. */
  target: Person;
  leaver: Person;
  inviteId: string;
  heldJobId: string;
  /** A running import and a set of the founder's memory, which has an approved pair, too. */
  importId: string;
  memoryId: string;
  /** A translated document of the founder. */
  documentId: string;
}

/**
 * Creates the fixture of a test file.
 * @param more environment variables
 * @param start the application in this process, or a deployment of several
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
      // With billing on, a document needs a subscription.
      documentId: 'BILLING_ENABLED' in more ? '' : await addDocument(app, founder),
    });
    // The API would delete the token, too. Here only the guard can find that the member is revoked.
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
  afterAll(() => fixture.sql?.end());
  return fixture;
}

/** Restores the sessions that a call has ended. */
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
