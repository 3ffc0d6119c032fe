import { type Algorithm, hashSync } from '@node-rs/argon2';
import type { Services } from '#server/context.ts';
import { requireEmail } from '#server/identity/access/email-address.ts';
import { normalizePassword } from '#server/identity/auth/passwords/policy.ts';
import {
  type RegisteredTenant,
  type Registrant,
  registerByInvite,
  registerWithNewTenant,
} from '#server/identity/auth/registration.ts';
import type { SignIn } from '#server/identity/auth/sign-in.ts';
import { readTenantToken } from '#server/identity/members/tenant-token.ts';
import { newId } from '#server/platform/ids.ts';

export interface RegistrationFields {
  email: string;
  password: string;
  [field: string]: unknown;
}

/** The origin of a request from this machine. */
const origin = () => ({ requestId: newId(), clientAddress: '127.0.0.1' });

/**
 * The value of `Algorithm.Argon2id`. That enum is ambient, so its value is not available when Node strips the types.
 */
const argon2id = 2 as Algorithm;
const cheapHashes = new Map<string, string>();

/**
 * A hash of the password that takes almost no time to compute or to check. The service accepts it like a hash with
 * outdated parameters, and replaces it at the member's next sign-in. A test that depends on the stored hash must sign
 * up over HTTP.
 */
function cheapHashOf(password: string): string {
  const normalized = normalizePassword(password);
  const hash =
    cheapHashes.get(normalized) ??
    hashSync(normalized, { algorithm: argon2id, memoryCost: 8, timeCost: 1, parallelism: 1 });
  cheapHashes.set(normalized, hash);
  return hash;
}

const registrantOf = ({ email, password }: RegistrationFields): Registrant => ({
  userId: newId(),
  email: requireEmail(email),
  provider: 'email',
  providerSubject: null,
  passwordHash: cheapHashOf(password),
  way: 'signup',
});

/** Creates a workspace like a signup, but without the checks of a signup and with a cheap password hash. */
export async function registerFounder(
  services: Services,
  { tenant_name, monthly_char_limit, metadata, ...fields }: RegistrationFields,
): Promise<RegisteredTenant> {
  const limit = services.settings.DEFAULT_MONTHLY_CHAR_LIMIT;
  const tenant = {
    id: newId(),
    name: tenant_name as string,
    monthlyCharLimit: Math.min((monthly_char_limit as number | undefined) ?? limit, limit),
    metadata: (metadata as Record<string, unknown> | undefined) ?? {},
  };
  return services.database.inTenant(tenant.id, (tx) =>
    registerWithNewTenant(tx, services, origin(), registrantOf(fields), tenant),
  );
}

/** Adds a member like a signup with an invite, but without the checks of a signup and with a cheap password hash. */
export async function registerMember(
  services: Services,
  inviteToken: string,
  fields: RegistrationFields,
): Promise<SignIn> {
  const invite = readTenantToken(inviteToken);
  if (!invite) throw new Error(`${inviteToken} is no invite`);
  return services.database.inTenant(invite.tenantId, (tx) =>
    registerByInvite(tx, services, origin(), registrantOf(fields), invite),
  );
}

/** The tokens of a sign-in for which no second factor is required. */
export function tokensOf(signIn: SignIn) {
  if (signIn.kind !== 'tokens') throw new Error('the sign-in asks for a second factor');
  return signIn.tokens;
}
