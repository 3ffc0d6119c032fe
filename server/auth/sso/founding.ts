import type { Origin } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { foundWorkspace } from '../newcomers.ts';
import { findMemberships, hasTenantOfOrganization, lockFounding } from '../queries.ts';
import { type Person, registrantOf } from './person.ts';
import type { SsoSignIn } from './tenant-choice.ts';

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
