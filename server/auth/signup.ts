import { z } from 'zod';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { foundTenant } from '#server/tenants/service.ts';
import { hashSecret, newSecret } from './credentials.ts';
import { hashPassword } from './passwords/hashing.ts';
import { checkPasswordPolicy, normalizePassword } from './passwords/policy.ts';
import { insertApiKey, insertUser } from './queries.ts';
import type { EmailSignupRequest, SignupResponse } from './schema.ts';
import { issueTokens } from './sessions.ts';

const emailAddress = z.email();

/**
 * Creates a tenant with its founding administrator (A 4.2), or nothing at all: everything that can be refused is
 * refused, and the password hashed, before the one transaction. The key is returned this once.
 */
export async function signUp(
  { settings, database }: Services,
  request: EmailSignupRequest,
): Promise<SignupResponse> {
  if (!settings.EMAIL_SIGNUP_ENABLED) throw new AppError('forbidden', 'email signup is disabled');
  // Without enrolment a founder could never pass the factor: better no workspace than one without it.
  if (settings.MFA_REQUIRED)
    throw new AppError('capability_off', 'multi-factor sign-in is required, and not available here');
  if (request.invite_token) throw new AppError('malformed_request', 'invalid or expired invite');

  const email = request.email.trim().toLowerCase();
  if (!emailAddress.safeParse(email).success)
    throw new AppError('malformed_request', 'invalid email address');
  const password = normalizePassword(request.password);
  await checkPasswordPolicy(password, email);
  const passwordHash = await hashPassword(password);

  const tenantId = newId();
  const user = {
    tenantId,
    userId: newId(),
    email,
    provider: 'email' as const,
    role: 'global_administrator',
  };
  const apiKey = newSecret();
  const limit = settings.DEFAULT_MONTHLY_CHAR_LIMIT;
  const { account, token } = await database.inTenant(tenantId, async (tx) => {
    const founded = await foundTenant(tx, {
      id: tenantId,
      name: request.tenant_name,
      apiKey,
      monthlyCharLimit: Math.min(request.monthly_char_limit ?? limit, limit),
      metadata: request.metadata ?? {},
    });
    const { userId, role } = user;
    await insertUser(tx, { tenantId, userId, email, role, passwordHash });
    await insertApiKey(tx, tenantId, hashSecret(apiKey));
    return { account: founded, token: await issueTokens(tx, user, settings) };
  });
  return {
    account,
    tenant_api_key: apiKey,
    mfa_required: false,
    token,
    next: { translations: '/api/translations' },
  };
}
