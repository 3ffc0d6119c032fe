import { newId } from '#server/ids.ts';
import type { Registrant } from '../newcomers.ts';

/** Who came back from the provider: `subject` is issuer and `sub`, the address is verified and lowercase. */
export interface Person {
  subject: string;
  email: string;
  organization: string | null;
}

/** A person as a member that is still to be made. */
export function registrantOf({ subject, email }: Person): Registrant {
  return {
    userId: newId(),
    email,
    provider: 'oidc',
    providerSubject: subject,
    passwordHash: null,
    way: 'sso',
  };
}
