import { asc, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { Origin } from '#server/identity/audit/audit-log.ts';
import { newId } from '#server/platform/ids.ts';
import type { WorkspaceSelection } from '../password-grant.ts';
import { type Registrant, registerByInvite, registerWithNewTenant } from '../registration.ts';
import { completeSignIn, type SignIn } from '../sign-in.ts';
import type { SsoState } from './state.ts';

/** The result of a single sign-on. `apiKey` is the key of the tenant that this sign-in created; it is returned once. */
export type SsoSignIn = (SignIn | WorkspaceSelection) & { apiKey?: string };

/**
 * Selects the tenant for a person whom the provider has authenticated: the tenant in the request, the person's only
 * tenant, the tenant of an invite, or a new tenant.
 */
export async function signInPerson(
  services: Pick<Services, 'database' | 'secretsKeys' | 'settings'>,
  origin: Origin,
  person: Person,
  { tenantId, invite }: Pick<SsoState, 'tenantId' | 'invite'>,
): Promise<SsoSignIn> {
  const { database } = services;
  const signIn = (membership: Membership) => signInMember(services, origin, membership, person.secondFactor);
  const memberships = await database.inPlatform((tx) => findMemberships(tx, person.subject));
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
  return registerWithOrganization(services, origin, person);
}

async function signInMember(
  services: Pick<Services, 'database' | 'settings'>,
  origin: Origin,
  { tenantId, userId }: Membership,
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
  return services.database.inTenant(tenantId, (tx) =>
    registerByInvite(tx, services, origin, registrantOf(person), invite),
  );
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
    if (organization !== null && (await hasTenantOfOrganization(tx, organization)))
      throw new AppError('forbidden', 'invitation required');
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
