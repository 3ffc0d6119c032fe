import type { Tx } from '#db/client.ts';
import { hashSecret, insertApiKey, isDesignatedOperator, newSecret } from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { addMember, findPendingInvite, readInviteToken, redeemInvite } from '#server/members/service.ts';
import { foundTenant, memberViewOf, readTenant, type TenantAccount } from '#server/tenants/service.ts';
import { requireEmail } from './email-address.ts';
import { hashPassword } from './passwords/hashing.ts';
import { checkPasswordPolicy, normalizePassword } from './passwords/policy.ts';
import type { EmailSignupRequest } from './schema.ts';
import { certain, completeSignIn, type SignIn } from './sign-in.ts';

export interface Signup {
  account: TenantAccount;
  /** The tenant's key, this once; null where a tenant was joined. */
  apiKey: string | null;
  signIn: SignIn;
}

/** A registrant whose address and password are acceptable. */
interface Registrant {
  userId: string;
  email: string;
  passwordHash: string;
}

/**
 * Creates a tenant with its founding administrator (A 4.2), or joins one by an invite; or nothing at all: everything that
 * can be refused is refused, and the password hashed, before the one transaction.
 */
export async function signUp(
  services: Services,
  origin: Origin,
  request: EmailSignupRequest,
): Promise<Signup> {
  const { settings, secretsKey } = services;
  if (!settings.EMAIL_SIGNUP_ENABLED) throw new AppError('forbidden', 'email signup is disabled');
  const email = requireEmail(request.email);
  const password = normalizePassword(request.password);
  await checkPasswordPolicy(password, email);
  const join = request.invite_token ? await checkInvite(services, request.invite_token, email) : undefined;
  const passwordHash = await hashPassword(password, email, secretsKey);
  const registrant = { userId: newId(), email, passwordHash };
  return join ? joinTenant(services, origin, registrant, join) : found(services, origin, registrant, request);
}

async function found(
  services: Services,
  origin: Origin,
  { userId, email, passwordHash }: Registrant,
  request: EmailSignupRequest,
): Promise<Signup> {
  const { settings, database } = services;
  const tenantId = newId();
  const apiKey = newSecret();
  const limit = settings.DEFAULT_MONTHLY_CHAR_LIMIT;
  return database.inTenant(tenantId, async (tx) => {
    const account = await foundTenant(tx, {
      id: tenantId,
      name: request.tenant_name,
      apiKey,
      monthlyCharLimit: Math.min(request.monthly_char_limit ?? limit, limit),
      metadata: request.metadata ?? {},
    });
    const role = 'global_administrator';
    await addMember(tx, { tenantId, userId, email, provider: 'email', role, passwordHash });
    await insertApiKey(tx, tenantId, hashSecret(apiKey));
    await recordEvent(tx, origin, {
      action: 'tenant_founded',
      tenantId,
      actor: { kind: 'member', userId },
      target: tenantId,
    });
    const signIn = await completeSignIn(tx, services, origin, { tenantId, userId, way: 'signup' });
    return { account, apiKey, signIn: certain(signIn) };
  });
}

interface Join {
  tenantId: string;
  secretHash: Uint8Array;
}

/**
 * Looks at an invite before the password is hashed; what counts is its redemption.
 * @throws AppError 400
 */
async function checkInvite({ database, settings }: Services, token: string, email: string): Promise<Join> {
  const invite = readInviteToken(token);
  if (!invite) throw invalidInvite();
  const pending = await database.inTenant(invite.tenantId, (tx) =>
    findPendingInvite(tx, invite.tenantId, invite.secretHash),
  );
  if (!pending) throw invalidInvite();
  // Nobody proves to own an address here: an operator's takes an invite that an operator bound to it.
  const unproven = isDesignatedOperator(invite.tenantId, email, settings) && !pending.byOperator;
  const bound = pending.email ?? (unproven ? null : email);
  if (bound !== email || unproven)
    throw new AppError('malformed_request', 'this invite was issued for a different email address');
  return invite;
}

async function joinTenant(
  services: Services,
  origin: Origin,
  { userId, email, passwordHash }: Registrant,
  { tenantId, secretHash }: Join,
): Promise<Signup> {
  return services.database.inTenant(tenantId, async (tx) => {
    const { inviteId, role } = await redeemInvite(tx, tenantId, secretHash, { userId, email });
    await addMember(tx, { tenantId, userId, email, provider: 'email', role, passwordHash });
    await recordJoin(tx, origin, { tenantId, userId, inviteId, role });
    const tenant = await readTenant(tx, tenantId);
    const signIn = await completeSignIn(tx, services, origin, { tenantId, userId, way: 'signup' });
    if (!tenant || !signIn) throw invalidInvite();
    return { account: memberViewOf(tenant), apiKey: null, signIn };
  });
}

/** Records that an invite made a member. */
export async function recordJoin(
  tx: Tx,
  origin: Origin,
  { tenantId, userId, inviteId, role }: { tenantId: string; userId: string; inviteId: string; role: string },
): Promise<void> {
  await recordEvent(tx, origin, {
    action: 'member_joined',
    tenantId,
    actor: { kind: 'member', userId },
    target: inviteId,
    details: { role },
  });
}

function invalidInvite(): AppError {
  return new AppError('malformed_request', 'invalid or expired invite');
}
