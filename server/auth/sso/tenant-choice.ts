import type { Origin } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WorkspaceSelection } from '../grants/password.ts';
import { joinWorkspace } from '../newcomers.ts';
import { findMemberships, type Membership } from '../queries.ts';
import { completeSignIn, type SignIn } from '../sign-in.ts';
import { foundByProvider } from './founding.ts';
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
