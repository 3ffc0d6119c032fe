import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { siteSubject } from '#server/http/client-address.ts';
import { insertWorkspaceKey } from '#server/identity/access/api-keys.ts';
import { newSecret } from '#server/identity/access/credentials.ts';
import { requireEmail } from '#server/identity/access/email-address.ts';
import { countAttempt } from '#server/identity/access/rate-limit.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { provesEmail } from '#server/identity/mail/confirmation.ts';
import { queueConfirmationMail } from '#server/identity/mail/outbox.ts';
import { redeemInvite } from '#server/identity/members/invite-redemption.ts';
import { addMember } from '#server/identity/members/members.ts';
import { type NewTenant, registerTenant } from '#server/identity/tenants/accounts.ts';
import type { TenantAccount } from '#server/identity/tenants/schema.ts';
import type { Settings } from '#server/settings.ts';
import type { SignInWay } from './mfa/requirement.ts';
import { completeSignIn, type SignIn } from './sign-in.ts';

/** The person who registers, with a password or through the identity provider. */
export interface Registrant {
  userId: string;
  /** In lower case. */
  email: string;
  provider: 'email' | 'oidc';
  providerSubject: string | null;
  passwordHash: string | null;
  /** The proof from the mail of the invite that the address belongs to the person. */
  emailProof?: string | null | undefined;
  way: SignInWay;
}

/** The result of creating a tenant. `apiKey` is returned once and cannot be read again. */
export interface RegisteredTenant {
  account: TenantAccount;
  apiKey: string;
  signIn: SignIn;
}

/** The tenant to create. The service, not the caller, sets `platformMetadata`. */
type RequestedTenant = Omit<NewTenant, 'apiKey'> & { platformMetadata?: Record<string, unknown> };

/**
 * Creates a tenant, its API key and its first administrator, and signs this administrator in. Runs in the caller's
 * transaction.
 */
export async function registerWithNewTenant(
  tx: Tx,
  services: Pick<Services, 'settings'>,
  origin: Origin,
  { way, emailProof: _, ...registrant }: Registrant,
  tenant: RequestedTenant,
): Promise<RegisteredTenant> {
  const tenantId = tenant.id;
  const { userId } = registrant;
  const apiKey = newSecret();
  const grant = await trialGrant(tx, services.settings, origin.clientAddress);
  const platformMetadata = { ...tenant.platformMetadata, ...grant };
  const account = await registerTenant(tx, { ...tenant, apiKey, platformMetadata });
  await addPerson(tx, { ...registrant, tenantId, role: 'global_administrator' });
  if (registrant.provider === 'email')
    await queueConfirmationMail(tx, services.settings, { tenantId, userId });
  await insertWorkspaceKey(tx, tenantId, apiKey, userId);
  await recordEvent(tx, origin, {
    action: 'tenant_founded',
    tenantId,
    actor: { kind: 'member', userId },
    target: tenantId,
    details: { way },
  });
  const signIn = await completeSignIn(tx, services, origin, { tenantId, userId, way });
  if (!signIn) throw new Error('the creator of a new workspace is not allowed to sign in');
  return { account, apiKey, signIn };
}

/** Identifies an invite: its tenant and the SHA-256 of its secret. */
export interface InviteKey {
  tenantId: string;
  secretHash: Uint8Array;
}

/**
 * Redeems an invite, creates the member and signs the member in. Runs in the caller's transaction.
 * @throws AppError 400 if the invite cannot be redeemed, or if the tenant already has a member with this email address
 */
export async function registerByInvite(
  tx: Tx,
  services: Pick<Services, 'settings' | 'secretsKeys'>,
  origin: Origin,
  { way, emailProof, ...registrant }: Registrant,
  { tenantId, secretHash }: InviteKey,
): Promise<SignIn> {
  const { userId, email, provider } = registrant;
  const { inviteId, role } = await redeemInvite(tx, tenantId, secretHash, registrant);
  const isProven =
    typeof emailProof === 'string' &&
    provesEmail(services.secretsKeys, { tenantId, subject: inviteId, email }, emailProof);
  await addPerson(tx, { ...registrant, tenantId, role, emailConfirmedAt: isProven ? new Date() : null });
  if (provider === 'email' && !isProven)
    await queueConfirmationMail(tx, services.settings, { tenantId, userId });
  await recordEvent(tx, origin, {
    action: 'member_joined',
    tenantId,
    actor: { kind: 'member', userId },
    target: inviteId,
    details: { role, way },
  });
  const signIn = await completeSignIn(tx, services, origin, { tenantId, userId, way });
  if (!signIn) throw invalidInvite();
  return signIn;
}

/**
 * Adds the member. Every way to become a member ends here, so this checks the address.
 * @throws AppError 400 for an invalid email address, or one that a member of the tenant has
 */
async function addPerson(tx: Tx, member: Parameters<typeof addMember>[1]): Promise<void> {
  await addMember(tx, { ...member, email: requireEmail(member.email) });
}

export function invalidInvite(): AppError {
  return new AppError('malformed_request', 'invalid or expired invite');
}

const day = 86_400;

/**
 * Returns the trial grant of a new tenant as metadata. Empty if billing is off, if no trial is configured, or if the
 * client address (for IPv6, the /48 network) has already received TRIAL_GRANTS_PER_ADDRESS grants in the 24 hours that began with its first grant.
 * Call this in the transaction that creates the tenant: if it is rolled back, the grant is not counted.
 * @param clientAddress null without a client
 */
async function trialGrant(
  tx: Tx,
  { BILLING_ENABLED, TRIAL_CHARS, TRIAL_GRANTS_PER_ADDRESS }: Settings,
  clientAddress: string | null,
): Promise<{ trial_chars_granted?: number }> {
  if (!BILLING_ENABLED || TRIAL_CHARS === 0) return {};
  if (clientAddress !== null) {
    const { attempts } = await countAttempt(tx, 'trial_grant', siteSubject(clientAddress), day);
    if (attempts > TRIAL_GRANTS_PER_ADDRESS) return {};
  }
  return { trial_chars_granted: TRIAL_CHARS };
}
