import { newFamily, startSession } from '#server/access/sessions.ts';
import { newId } from '#server/ids.ts';
import { addMember } from '#server/members/members.ts';
import { registerTenant } from '#server/tenants/accounts.ts';
import { env as membersEnv } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import { openSuperuser } from '#test/setup/database.ts';

export const workspace = 'operators';

/** A deployment with two designated operators. */
export const env = {
  ...membersEnv,
  OPERATOR_TENANT_ID: workspace,
  OPERATOR_EMAILS: 'First@ops.example, second@ops.example',
};

export interface WorkspaceMember {
  userId: string;
  email: string;
  bearer: { authorization: string };
}

export const foundWorkspace = ({ database }: TestApp) =>
  database.inTenant(workspace, (tx) =>
    registerTenant(tx, {
      id: workspace,
      name: 'Operators',
      apiKey: 'not used',
      monthlyCharLimit: 1,
      metadata: {},
    }),
  );

/** An administrator of the operators' workspace, signed in, with an authenticator. */
export async function addAdministrator(app: TestApp, email: string): Promise<WorkspaceMember> {
  const userId = newId();
  const role = 'global_administrator';
  const member = { tenantId: workspace, userId, email, provider: 'email', role };
  const { accessToken } = await app.database.inTenant(workspace, async (tx) => {
    await addMember(tx, { ...member, passwordHash: null });
    return startSession(tx, member, app.services.settings, newFamily({ secondFactor: true }));
  });
  await openSuperuser(app.superuserUrl)`update users set totp_secret = '\\x01' where user_id = ${userId}`;
  return { userId, email, bearer: { authorization: `Bearer ${accessToken}` } };
}
