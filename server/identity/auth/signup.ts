import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { requireEmail } from '#server/identity/access/email-address.ts';
import { publicProcedure } from '#server/identity/access/guards/authenticate.ts';
import { isDesignatedOperator } from '#server/identity/access/principal.ts';
import { rateLimited } from '#server/identity/access/rate-limit.ts';
import { sameSiteOnly } from '#server/identity/access/session-cookie.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { findPendingInvite } from '#server/identity/members/invite-redemption.ts';
import { readTenantToken } from '#server/identity/members/tenant-token.ts';
import { memberViewOf } from '#server/identity/tenants/accounts.ts';
import type { TenantAccount } from '#server/identity/tenants/schema.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { newId } from '#server/platform/ids.ts';
import { middleware } from '#server/trpc.ts';
import { challengeResponse, nextAfter } from './mfa/challenge.ts';
import { hashPassword } from './passwords/hashing.ts';
import { checkPasswordPolicy, normalizePassword } from './passwords/policy.ts';
import {
  type InviteKey,
  invalidInvite,
  type Registrant,
  registerByInvite,
  registerWithNewTenant,
} from './registration.ts';
import { type EmailSignupRequest, emailSignupRequest, signupResponse } from './schema.ts';
import type { SignIn } from './sign-in.ts';
import { setSessionCookie, tokenResponseOf } from './token-response.ts';

interface Signup {
  account: TenantAccount;
  /** The API key of the new tenant, which is returned once; null if the member joined an existing tenant. */
  apiKey: string | null;
  signIn: SignIn;
}

/**
 * Creates a tenant with its first administrator, or joins an existing tenant with an invite. First checks the request
 * and hashes the password; then one transaction makes all changes.
 */
async function signUp(
  services: Pick<Services, 'database' | 'secretsKeys' | 'settings'>,
  origin: Origin,
  request: EmailSignupRequest,
): Promise<Signup> {
  const { settings, secretsKeys } = services;
  if (!settings.EMAIL_SIGNUP_ENABLED) throw new AppError('forbidden', 'email signup is disabled');
  const email = requireEmail(request.email);
  const password = normalizePassword(request.password);
  const token = request.invite_token ?? undefined;
  // An empty token is an invalid invite: only a request without a token creates a workspace.
  const join = token === undefined ? undefined : await checkInvite(services, token, email);
  await checkPasswordPolicy(password, email, join?.tenantName ?? request.tenant_name);
  const passwordHash = await hashPassword(password, email, secretsKeys);
  const registrant: Registrant = {
    userId: newId(),
    email,
    provider: 'email',
    providerSubject: null,
    passwordHash,
    emailProof: request.email_proof,
    way: 'signup',
  };
  return join ? joinTenant(services, origin, registrant, join) : found(services, origin, registrant, request);
}

async function found(
  services: Pick<Services, 'database' | 'settings'>,
  origin: Origin,
  registrant: Registrant,
  request: EmailSignupRequest,
): Promise<Signup> {
  const limit = services.settings.DEFAULT_MONTHLY_CHAR_LIMIT;
  const tenant = {
    id: newId(),
    name: request.tenant_name,
    monthlyCharLimit: Math.min(request.monthly_char_limit ?? limit, limit),
    metadata: request.metadata ?? {},
  };
  return services.database.inTenant(tenant.id, (tx) =>
    registerWithNewTenant(tx, services, origin, registrant, tenant),
  );
}

/**
 * Checks an invite before the password is hashed. The invite is checked again when it is redeemed in the transaction.
 * @throws AppError 400
 */
async function checkInvite(
  { database, settings }: Pick<Services, 'database' | 'settings'>,
  token: string,
  email: string,
): Promise<InviteKey & { tenantName: string }> {
  const invite = readTenantToken(token);
  if (!invite) throw invalidInvite();
  const pending = await database.inTenant(invite.tenantId, (tx) =>
    findPendingInvite(tx, invite.tenantId, invite.secretHash),
  );
  if (!pending) throw invalidInvite();
  // A signup does not prove to whom the email address belongs. So for the address of a designated operator, an operator
  // must have issued the invite for this address.
  const listed = isDesignatedOperator(invite.tenantId, email, settings);
  const bound = pending.email ?? (listed ? null : email);
  if (bound !== email || (listed && !pending.byOperator))
    throw new AppError('malformed_request', 'this invite was issued for a different email address');
  return { ...invite, tenantName: pending.tenantName };
}

async function joinTenant(
  services: Pick<Services, 'database' | 'secretsKeys' | 'settings'>,
  origin: Origin,
  registrant: Registrant,
  invite: InviteKey,
): Promise<Signup> {
  const { tenantId } = invite;
  return services.database.inTenant(tenantId, async (tx) => {
    const signIn = await registerByInvite(tx, services, origin, registrant, invite);
    const tenant = await readTenant(tx, tenantId);
    if (!tenant) throw invalidInvite();
    return { account: memberViewOf(tenant), apiKey: null, signIn };
  });
}

/** A signup with an invite ignores the fields for a new workspace, so their values need not be valid. */
const ignoredByJoin = middleware(({ getRawInput, next }) =>
  next({
    getRawInput: async () => {
      const input = await getRawInput();
      if (typeof input !== 'object' || input === null) return input;
      const {
        invite_token = null,
        tenant_name,
        monthly_char_limit,
        metadata,
        ...rest
      } = input as Record<string, unknown>;
      if (invite_token === null) return input;
      return { ...rest, invite_token, ...(tenant_name !== undefined && { tenant_name: 'ignored' }) };
    },
  }),
);

export const signUpWithEmail = publicProcedure
  .meta({
    route: {
      method: 'POST',
      path: '/api/auth/signup/email',
      tag: 'Sign-in',
      summary: 'Create a workspace, or join one with an invite',
      description: 'Only this response contains the API key of a new workspace.',
    },
    onlyHashed: ['invite_token'],
  })
  .use(sameSiteOnly)
  .use(rateLimited('signup'))
  .use(ignoredByJoin)
  .input(emailSignupRequest)
  .output(signupResponse)
  .mutation(async ({ ctx, input }) => {
    const { account, apiKey, signIn } = await signUp(ctx.services, ctx, input);
    const common = { account, tenant_api_key: apiKey };
    if (signIn.kind === 'challenge')
      return {
        ...common,
        mfa_required: true,
        mfa_challenge: challengeResponse(signIn.challenge),
        next: nextAfter(signIn.challenge),
      };
    setSessionCookie(ctx, signIn.tokens);
    return {
      ...common,
      mfa_required: false,
      token: tokenResponseOf(signIn.tokens),
      next: { translations: '/api/translations' },
    };
  });
