import { inArray, type SQL, sql } from 'drizzle-orm';
import { invites } from '#db/schema/identity.ts';
import type { InviteStatus } from './schema.ts';

/** The transitions of an invite (A 3.5, C 2), the only ones there are. Expiry comes by itself. */
const transitions: Record<InviteStatus, readonly InviteStatus[]> = {
  pending: ['redeemed', 'withdrawn', 'expired'],
  redeemed: [],
  withdrawn: [],
  expired: [],
};

/** The state that a row is in, by the database's clock. */
export const inviteStatus = sql<InviteStatus>`case
  when ${invites.redeemedAt} is not null then 'redeemed'
  when ${invites.withdrawnAt} is not null then 'withdrawn'
  when ${invites.expiresAt} <= now() then 'expired'
  else 'pending' end`;

/** That the state is `pending`, in the words of the index of open invites. */
export const isPending = sql`(${invites.redeemedAt} is null and ${invites.withdrawnAt} is null
  and ${invites.expiresAt} > now())`;

/** What a row holds once it is in a state that somebody brought it to. */
export const entering = {
  redeemed: (userId: string) => ({ redeemedAt: sql`now()`, redeemedBy: userId }),
  withdrawn: () => ({ withdrawnAt: sql`now()` }),
};

/** What an update's `where` says: that the invite is in a state from which it may become `to`. */
export function mayBecome(to: keyof typeof entering): SQL {
  const sources = (Object.keys(transitions) as InviteStatus[]).filter((from) =>
    transitions[from].includes(to),
  );
  return inArray(inviteStatus, sources);
}
