import type { InviteRecord } from '#sdk/types.ts';
import { deployment } from '../../deployment.ts';

/** The URL at which an invite is accepted. The token is in the fragment, which browsers do not send to servers. */
export function inviteLink(token: string): string {
  return `${location.origin}${deployment.basePath}/signin#invite_token=${encodeURIComponent(token)}`;
}

/** The request that creates an invite like an existing one, with the default validity. */
export function requestOf({ email, role }: InviteRecord) {
  return { role: role as never, ...(email !== null && { email }) };
}
