import type { Origin } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import type { WorkspaceSelection } from '../grants/password.ts';
import { foundWorkspace, joinWorkspace } from '../newcomers.ts';
import { findMemberships, hasTenantOfOrganization, lockFounding, type Membership } from '../queries.ts';
import { completeSignIn, type SignIn } from '../sign-in.ts';
import { type Person, registrantOf } from './person.ts';
import type { SsoState } from './states.ts';

/** `apiKey` is the key of a tenant that this sign-in created, this once. */
export type SsoSignIn = (SignIn | WorkspaceSelection) & { apiKey?: string };

/** Where a person who came back from the provider is signed in to: the four rules of C 2, in their order. */
export async function signInAs(
  services: Services,
  origin: Origin,
  person: Person,
  { tenantId, invite }: Pick<SsoState, 'tenantId' | 'invite'>,
): Promise<SsoSignIn> {
  const { database } = services;
  const memberships = await database.inPlatform((tx) => findMemberships(tx, person.subject));
  if (invite) {
    const known = memberships.find((membership) => membership.tenantId === invite.tenantId);
    // Who is a member already has no use for it; it stays for somebody else.
    return known ? signInTo(services, origin, known) : joinByInvite(services, origin, person, invite);
  }
  if (memberships.length > 0) {
    const usable = memberships.filter(({ usable }) => usable);
    const [only, ...others] = usable;
    if (!only) throw revoked();
    if (others.length === 0) return signInTo(services, origin, only);
    const named = usable.find((membership) => membership.tenantId === tenantId);
    return named ? signInTo(services, origin, named) : { kind: 'selection', workspaces: usable };
  }
  return foundByProvider(services, origin, person);
}

async function signInTo(
  services: Services,
  origin: Origin,
  { tenantId, userId }: Membership,
): Promise<SignIn> {
  const signIn = await services.database.inTenant(tenantId, (tx) =>
    completeSignIn(tx, services, origin, { tenantId, userId, way: 'sso' }),
  );
  if (!signIn) throw revoked();
  return signIn;
}

function revoked(): AppError {
  return new AppError('forbidden', 'access to this workspace was revoked');
}

async function joinByInvite(
  services: Services,
  origin: Origin,
  person: Person,
  { tenantId, secretHash }: NonNullable<SsoState['invite']>,
): Promise<SignIn> {
  const invite = { tenantId, secretHash: Buffer.from(secretHash, 'hex') };
  return services.database.inTenant(tenantId, (tx) =>
    joinWorkspace(tx, services, origin, registrantOf(person), invite),
  );
}

/**
 * Rules 3 and 4 of C 2 for somebody who is no member anywhere: the organization's tenant asks for an invite; without one,
 * a new tenant keeps the claim. One at a time for a person and for an organization: two callbacks at once must
 * not found two tenants. The transaction is the platform's, because the look over all tenants must be in it.
 * @throws AppError 403 `invitation required`
 */
export async function foundByProvider(
  services: Services,
  origin: Origin,
  person: Person,
): Promise<SsoSignIn> {
  const { subject, email, organization } = person;
  return services.database.inPlatform(async (tx): Promise<SsoSignIn> => {
    await lockFounding(tx, [`subject ${subject}`, `organization ${organization ?? subject}`]);
    if ((await findMemberships(tx, subject)).length > 0)
      throw new AppError('state_conflict', 'another sign-in of this person is under way; try again');
    if (organization !== null && (await hasTenantOfOrganization(tx, organization)))
      throw new AppError('forbidden', 'invitation required');
    const tenant = {
      id: newId(),
      name: email.slice(email.lastIndexOf('@') + 1),
      monthlyCharLimit: services.settings.DEFAULT_MONTHLY_CHAR_LIMIT,
      metadata: {},
      platformMetadata: organization === null ? {} : { oidc_org_id: organization },
    };
    const { signIn, apiKey } = await foundWorkspace(tx, services, origin, registrantOf(person), tenant);
    return { ...signIn, apiKey };
  });
}
