import type { TokenCredential } from '@azure/identity';
import { StoreError } from '../store-error.ts';
import { toStoreError } from './failures.ts';

/** Milliseconds to get a token. */
const timeout = 20_000;

/**
 * One for each client id, so that a process requests a token once, however many lakes use it. The package keeps
 * tokens.
 */
const identities = new Map<string | undefined, Promise<TokenCredential>>();

/**
 * The identity of this deployment: workload identity (Kubernetes), then the managed identity of its machine.
 * Developers' tools are not used, so no process is started.
 * @param clientId which of several identities; without it, the one that the environment names
 */
export function managedIdentity(clientId: string | undefined): Promise<TokenCredential> {
  const known = identities.get(clientId);
  if (known) return known;
  const opened = openIdentity(clientId);
  identities.set(clientId, opened);
  opened.catch(() => identities.delete(clientId));
  return opened;
}

async function openIdentity(clientId: string | undefined): Promise<TokenCredential> {
  const identity = await import('@azure/identity');
  const named = clientId === undefined ? {} : { clientId };
  const managed = new identity.ManagedIdentityCredential({ ...named, retryOptions: { maxRetries: 1 } });
  const chain = new identity.ChainedTokenCredential(...workloadIdentity(identity, named), managed);
  return {
    async getToken(scopes, options) {
      const abortSignal = AbortSignal.timeout(timeout);
      try {
        // The package does not pass the signal on to each of its requests.
        return await Promise.race([chain.getToken(scopes, { ...options, abortSignal }), failAt(abortSignal)]);
      } catch (error) {
        throw toStoreError(error);
      }
    },
  };
}

/** The constructor throws if the environment has no workload identity. */
function workloadIdentity(
  { CredentialUnavailableError, WorkloadIdentityCredential }: typeof import('@azure/identity'),
  named: { clientId?: string },
): TokenCredential[] {
  try {
    return [new WorkloadIdentityCredential(named)];
  } catch (error) {
    if (error instanceof CredentialUnavailableError) return [];
    throw error;
  }
}

function failAt(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new StoreError('no token of the managed identity', 'timeout')),
    );
  });
}
