import { createTRPCClientProxy, type TRPCUntypedClient } from '@trpc/client';
import type { Connection } from '#sdk/connection.ts';
import type { AppRouter, MutationName, QueryName } from '#sdk/procedure-types.ts';
import { connection, patientConnection } from './client.ts';
import { onSessionChange, sessionState } from './session/keeper.ts';

/**
 * The mutations that are resent after a temporary failure, because a second call changes nothing more, or fails if the
 * first one was applied: a review names the version of the item that it applies to. Others are not resent: if the
 * response is lost, the first request may have had its effect.
 */
const repeatable: ReadonlySet<string> = new Set<MutationName>([
  'documents.approve',
  'mail.setPreferences',
  'operations.retry',
  'reviews.comment',
  'storage.bind',
  'terminology.addTerm',
  'terminology.deleteTerm',
  'terminology.matchesOfTexts',
  'terminology.updateTerm',
  'translations.act',
  'translations.reviewMany',
]);

/** Aborts at sign-out, so that a queued retry is not sent for the next member who signs in. */
let signedIn = new AbortController();
onSessionChange(() => {
  if (sessionState().kind !== 'signed_out') return;
  signedIn.abort();
  signedIn = new AbortController();
});

/**
 * Returns a typed client whose calls use a connection of the SDK, with its session, retries and errors. It has no chain
 * of links: their code is twice as large as that of the typed client, and they wrap errors.
 * @param stop returns a signal that ends the calls
 */
function clientOver({ query, mutate, mutateOnce }: Connection, stop?: () => AbortSignal) {
  const calls: Pick<TRPCUntypedClient<AppRouter>, 'query' | 'mutation'> = {
    query: (name, input, options) => query(name as QueryName, input as never, options),
    mutation: (name, input, options) => {
      const call = repeatable.has(name) ? mutate : mutateOnce;
      return call(name as MutationName, input as never, { signal: stop?.(), ...options });
    },
  };
  return createTRPCClientProxy(calls as TRPCUntypedClient<AppRouter>);
}

/**
 * The procedures that only this application calls, as the signed-in member. Names, inputs and outputs are those of the
 * service's router.
 *
 * ```ts
 * const { covers } = await procedures.billing.coverage.query();
 * ```
 */
export const procedures = clientOver(connection);

/** The same for requests in the background: a retry waits as long as the service asks. */
export const background = clientOver(patientConnection, () => signedIn.signal);
