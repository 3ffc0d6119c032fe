import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { endSessionsOf } from '#server/identity/access/sessions.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { queueSecurityMail } from '#server/identity/mail/outbox.ts';
import { redeemInvite } from '#server/identity/members/invite-redemption.ts';
import { deleteChallenges, updateMember } from '#server/identity/members/members.ts';
import { deleteAuthenticator } from '#server/identity/members/mfa-reset.ts';
import { deleteResetLink } from '#server/identity/members/password-reset-links.ts';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import { newId } from '#server/platform/ids.ts';
import type { WorkspaceSelection } from '../password-grant.ts';
import { type Registrant, registerByInvite, registerWithNewTenant } from '../registration.ts';
import { completeSignIn, type SignIn } from '../sign-in.ts';
import type { SsoState } from './state.ts';

/** The result of a single sign-on. `apiKey` is the key of the tenant that this sign-in created; it is returned once. */
export type SsoSignIn =
  | ((SignIn | WorkspaceSelection) & { apiKey?: string })
  /** The person belongs to no workspace, and the sign-in may not create one. */
  | { kind: 'creation_required'; email: string };

/**
 * Selects the tenant for a person whom the provider has authenticated: the tenant in the request, the person's only
 * tenant, the tenant of an invite, or a new tenant. A member with a password links the provider's account: with a proof in
 * a session, by an invite, or, where passwords are switched off, by the confirmed address.
 */
export async function signInPerson(
  services: Pick<Services, 'database' | 'secretsKeys' | 'settings'>,
  origin: Origin,
  person: Person,
  { tenantId, invite, link, mayCreate }: Pick<SsoState, 'tenantId' | 'invite' | 'link' | 'mayCreate'>,
): Promise<SsoSignIn> {
  const { database, settings } = services;
  const signIn = (membership: Membership) => signInMember(services, origin, membership, person.secondFactor);
  if (link) {
    await database.inTenant(link.tenantId, (tx) => linkMember(tx, services, origin, link, person));
    return signInMember(services, origin, link, person.secondFactor);
  }
  let memberships = await database.inPlatform((tx) => findMemberships(tx, person.subject));
  if (memberships.length === 0 && !invite && !settings.PASSWORD_SIGNIN_ENABLED) {
    const accounts = await database.inPlatform((tx) => findConfirmed(tx, person.email));
    for (const account of accounts)
      await database.inTenant(account.tenantId, (tx) => linkMember(tx, services, origin, account, person));
    memberships = await database.inPlatform((tx) => findMemberships(tx, person.subject));
  }
  if (invite) {
    const known = memberships.find((membership) => membership.tenantId === invite.tenantId);
    // If the person is already a member, the invite is not redeemed: it stays usable for someone else.
    return known ? signIn(known) : joinByInvite(services, origin, person, invite);
  }
  if (memberships.length > 0) {
    const usable = memberships.filter(({ usable }) => usable);
    const [only, ...others] = usable;
    if (!only) throw revoked();
    if (others.length === 0) return signIn(only);
    const named = usable.find((membership) => membership.tenantId === tenantId);
    return named ? signIn(named) : { kind: 'selection', workspaces: usable };
  }
  if (mayCreate === false) {
    await database.inPlatform((tx) => requireNoOrganization(tx, person.organization));
    return { kind: 'creation_required', email: person.email };
  }
  return registerWithOrganization(services, origin, person);
}

async function signInMember(
  services: Pick<Services, 'database' | 'settings'>,
  origin: Origin,
  { tenantId, userId }: Pick<Membership, 'tenantId' | 'userId'>,
  providerFactor: boolean,
): Promise<SignIn> {
  const signIn = await services.database.inTenant(tenantId, (tx) =>
    completeSignIn(tx, services, origin, { tenantId, userId, way: 'sso', providerFactor }),
  );
  if (!signIn) throw revoked();
  return signIn;
}

function revoked(): AppError {
  return new AppError('forbidden', 'access to this workspace was revoked');
}

async function joinByInvite(
  services: Pick<Services, 'database' | 'secretsKeys' | 'settings'>,
  origin: Origin,
  person: Person,
  { tenantId, secretHash }: NonNullable<SsoState['invite']>,
): Promise<SignIn> {
  const invite = { tenantId, secretHash: Buffer.from(secretHash, 'hex') };
  const [account] = await services.database.inTenant(tenantId, (tx) =>
    tx
      .select({ userId: users.userId, isConfirmed: sql<boolean>`${users.emailConfirmedAt} is not null` })
      .from(users)
      .where(and(eq(users.tenantId, tenantId), eq(users.email, person.email), canLink)),
  );
  if (account) {
    const member = { tenantId, userId: account.userId };
    await services.database.inTenant(tenantId, async (tx) => {
      await redeemInvite(tx, tenantId, invite.secretHash, { ...account, email: person.email });
      if (!account.isConfirmed) await forgetFormerOwner(tx, member);
      await linkMember(tx, services, origin, member, person);
    });
    return signInMember(services, origin, member, person.secondFactor);
  }
  return services.database.inTenant(tenantId, (tx) =>
    registerByInvite(tx, services, origin, registrantOf(person), invite),
  );
}

/**
 * Ends every other way into an account whose address is not confirmed. Anyone with an invite may have created it with
 * someone else's address, and would share it with the owner of the address.
 */
async function forgetFormerOwner(
  tx: Tx,
  { tenantId, userId }: Pick<Membership, 'tenantId' | 'userId'>,
): Promise<void> {
  await endSessionsOf(tx, tenantId, userId);
  await updateMember(tx, tenantId, userId, { passwordHash: null });
  await deleteAuthenticator(tx, tenantId, userId);
  await deleteChallenges(tx, tenantId, userId);
  await deleteResetLink(tx, tenantId, userId);
}

/**
 * The person whom the provider has authenticated. `subject` consists of issuer and `sub`; `email` is verified and in
 * lower case.
 */
interface Person {
  subject: string;
  email: string;
  organization: string | null;
  /** Whether the person passed a second factor at the provider. */
  secondFactor: boolean;
}

/** Returns the data of a new member for the person. */
function registrantOf({ subject, email }: Person): Registrant {
  return {
    userId: newId(),
    email,
    provider: 'oidc',
    providerSubject: subject,
    passwordHash: null,
    way: 'sso',
  };
}

/**
 * Registers a person who is not a member of any tenant. If a tenant has the person's organization, an invite is
 * required. Otherwise creates a tenant, which stores the organization claim. Takes locks on the person and the
 * organization, so that two concurrent callbacks do not create two tenants. The transaction has platform scope, because
 * it searches all tenants.
 * @throws AppError 403 `invitation required`
 */
export async function registerWithOrganization(
  services: Pick<Services, 'database' | 'settings'>,
  origin: Origin,
  person: Person,
): Promise<SsoSignIn> {
  const { subject, email, organization } = person;
  return services.database.inPlatform(async (tx): Promise<SsoSignIn> => {
    await lockFounding(tx, [`subject ${subject}`, `organization ${organization ?? subject}`]);
    if ((await findMemberships(tx, subject)).length > 0)
      throw new AppError('state_conflict', 'another sign-in of the same person is in progress; try again');
    await requireNoOrganization(tx, organization);
    const tenant = {
      id: newId(),
      name: email.slice(email.lastIndexOf('@') + 1),
      monthlyCharLimit: services.settings.DEFAULT_MONTHLY_CHAR_LIMIT,
      metadata: {},
      platformMetadata: organization === null ? {} : { oidc_org_id: organization },
    };
    const { signIn, apiKey } = await registerWithNewTenant(
      tx,
      services,
      origin,
      registrantOf(person),
      tenant,
    );
    return { ...signIn, apiKey };
  });
}

/** @throws AppError 403 `invitation required` if a tenant has the organization */
async function requireNoOrganization(tx: Tx, organization: string | null): Promise<void> {
  if (organization !== null && (await hasTenantOfOrganization(tx, organization)))
    throw new AppError('forbidden', 'invitation required');
}

/** SQL: whether an account has a password and no account of the provider. */
const canLink = and(eq(users.provider, 'email'), isNull(users.providerSubject), eq(users.active, true));

/** Finds the accounts with a password whose owner has confirmed the address, in active tenants. */
function findConfirmed(tx: Tx, email: string): Promise<{ tenantId: string; userId: string }[]> {
  return tx
    .select({ tenantId: users.tenantId, userId: users.userId })
    .from(users)
    .innerJoin(tenants, eq(tenants.tenantId, users.tenantId))
    .where(and(eq(users.email, email), canLink, isNotNull(users.emailConfirmedAt), eq(tenants.active, true)))
    .limit(100);
}

/**
 * Links the provider's account of a person to a member, who then signs in with either. The member gets a mail.
 * @throws AppError 409 if the member, or another one of the tenant, has an account of the provider
 */
async function linkMember(
  tx: Tx,
  { settings }: Pick<Services, 'settings'>,
  origin: Origin,
  { tenantId, userId }: Pick<Membership, 'tenantId' | 'userId'>,
  { subject, email }: Person,
): Promise<void> {
  await lockTenant(tx, tenantId);
  const taken = await tx
    .select({ userId: users.userId })
    .from(users)
    .where(and(eq(users.tenantId, tenantId), eq(users.providerSubject, subject)));
  if (taken.some((one) => one.userId === userId)) return;
  const linked = taken.length > 0 ? [] : await setSubject(tx, { tenantId, userId }, { subject, email });
  if (linked.length === 0)
    throw new AppError(
      'state_conflict',
      'this member or another one is already linked to the identity provider',
    );
  await recordEvent(tx, origin, {
    action: 'provider_linked',
    tenantId,
    actor: { kind: 'member', userId },
    target: userId,
  });
  await queueSecurityMail(tx, settings, { tenantId, userId, event: 'provider' });
}

/** The provider has verified the address, so that it is confirmed if it is the same. */
function setSubject(
  tx: Tx,
  { tenantId, userId }: Pick<Membership, 'tenantId' | 'userId'>,
  { subject, email }: Pick<Person, 'subject' | 'email'>,
) {
  return tx
    .update(users)
    .set({
      providerSubject: subject,
      emailConfirmedAt: sql`coalesce(${users.emailConfirmedAt}, case when ${users.email} = ${email} then now() end)`,
    })
    .where(and(eq(users.tenantId, tenantId), eq(users.userId, userId), canLink))
    .returning({ userId: users.userId });
}

interface Membership {
  tenantId: string;
  tenantName: string;
  userId: string;
  /** Whether both the member and the tenant are active. */
  usable: boolean;
}

/** Finds a person's memberships among all tenants, oldest first. */
async function findMemberships(tx: Tx, providerSubject: string): Promise<Membership[]> {
  const usable = sql<boolean>`${users.active} and ${tenants.active}`;
  return tx
    .select({ tenantId: users.tenantId, tenantName: tenants.name, userId: users.userId, usable })
    .from(users)
    .innerJoin(tenants, eq(tenants.tenantId, users.tenantId))
    .where(eq(users.providerSubject, providerSubject))
    .orderBy(asc(users.createdAt), asc(users.userId));
}

/** Whether a tenant has stored this value of the organization claim. */
async function hasTenantOfOrganization(tx: Tx, organization: string): Promise<boolean> {
  const rows = await tx
    .select({ tenantId: tenants.tenantId })
    .from(tenants)
    .where(eq(tenants.organization, organization))
    .limit(1);
  return rows.length > 0;
}

/**
 * For each of these names, allows only one transaction at a time to create a tenant. The names are sorted, which
 * prevents deadlocks.
 */
async function lockFounding(tx: Tx, names: string[]): Promise<void> {
  for (const name of names.toSorted())
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`found ${name}`}, 0))`);
}
