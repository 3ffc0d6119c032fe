import { and, eq } from 'drizzle-orm';
import { users } from '#db/schema/identity.ts';
import { newFamily, startSession } from '#server/identity/access/sessions.ts';
import { addMember } from '#server/identity/members/members.ts';
import { registerTenant } from '#server/identity/tenants/accounts.ts';
import { newId } from '#server/platform/ids.ts';
import { administrator, bearer, env } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';

/** The ID of the operators' workspace. The environment names it before the workspace exists. */
export const operatorWorkspace = 'operators';

/** A deployment with two designated operators. */
export const operatorEnv = {
  ...env,
  OPERATOR_TENANT_ID: operatorWorkspace,
  OPERATOR_EMAILS: 'First@ops.example, second@ops.example',
};

export interface WorkspaceMember {
  userId: string;
  email: string;
  accessToken: string;
  bearer: { authorization: string };
}

export const openOperators = ({ database }: Pick<TestApp, 'database'>) =>
  database.inTenant(operatorWorkspace, (tx) =>
    registerTenant(tx, {
      id: operatorWorkspace,
      name: 'Operators',
      apiKey: 'not used',
      monthlyCharLimit: 500_000,
      metadata: {},
    }),
  );

/**
 * Adds an administrator to the operators' workspace and signs in. The administrator has an authenticator, unless
 * `options` say otherwise.
 */
export async function addAdministrator(
  { database, services }: Pick<TestApp, 'database' | 'services'>,
  email: string,
  { enrolled = true } = {},
): Promise<WorkspaceMember> {
  const userId = newId();
  const member = { tenantId: operatorWorkspace, userId, email, provider: 'email', role: administrator };
  const { accessToken } = await database.inTenant(operatorWorkspace, async (tx) => {
    await addMember(tx, { ...member, passwordHash: null });
    if (enrolled)
      await tx
        .update(users)
        .set({ totpSecret: Buffer.from([1]) })
        .where(and(eq(users.tenantId, operatorWorkspace), eq(users.userId, userId)));
    return startSession(tx, member, services.settings, newFamily({ secondFactor: true }));
  });
  return { userId, email, accessToken, bearer: bearer(accessToken) };
}
