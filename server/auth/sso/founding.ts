import { hashSecret, insertApiKey, newSecret } from '#server/access/service.ts';
import { type Origin, recordEvent } from '#server/audit/service.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { newId } from '#server/ids.ts';
import { addMember } from '#server/members/service.ts';
import { foundTenant } from '#server/tenants/service.ts';
import { findMemberships, hasTenantOfOrganization, lockFounding } from '../queries.ts';
import { certain, completeSignIn } from '../sign-in.ts';
import type { Person, SsoSignIn } from './tenant-choice.ts';

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
  const apiKey = newSecret();
  return services.database.inPlatform(async (tx): Promise<SsoSignIn> => {
    await lockFounding(tx, [`subject ${subject}`, `organization ${organization ?? subject}`]);
    if ((await findMemberships(tx, subject)).length > 0)
      throw new AppError('state_conflict', 'another sign-in of this person is under way; try again');
    if (organization !== null && (await hasTenantOfOrganization(tx, organization)))
      throw new AppError('forbidden', 'invitation required');
    const tenantId = newId();
    const userId = newId();
    const founded = {
      id: tenantId,
      name: email.slice(email.lastIndexOf('@') + 1),
      apiKey,
      monthlyCharLimit: services.settings.DEFAULT_MONTHLY_CHAR_LIMIT,
      metadata: {},
    };
    const platformMetadata = organization === null ? {} : { oidc_org_id: organization };
    await foundTenant(tx, { ...founded, platformMetadata });
    await addMember(tx, {
      tenantId,
      userId,
      email,
      provider: 'oidc',
      providerSubject: subject,
      role: 'global_administrator',
      passwordHash: null,
    });
    await insertApiKey(tx, tenantId, hashSecret(apiKey));
    await recordEvent(tx, origin, {
      action: 'tenant_founded',
      tenantId,
      actor: { kind: 'member', userId },
      target: tenantId,
      details: { way: 'sso' },
    });
    const signIn = await completeSignIn(tx, services, origin, { tenantId, userId, way: 'sso' });
    return { ...certain(signIn), apiKey };
  });
}
