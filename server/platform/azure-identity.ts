import type { TokenCredential } from '@azure/identity';

/** Timeout to get a token, in milliseconds. */
const timeout = 20_000;

/**
 * The identities by client id. They are shared, so that a process requests a token only once for each service of
 * Azure; the package keeps the tokens.
 */
const identities = new Map<string | undefined, Promise<TokenCredential>>();

/**
 * Returns the identity of this deployment: the workload identity (Kubernetes) or, without one, the managed identity
 * of the machine. Tools for developers are not asked for an identity, so no process is started. `getToken` rejects
 * with an error of the package, or with one whose code is `timeout`.
 * @param clientId selects one of several identities; by default, the one in the environment
 */
export function azureIdentity(clientId?: string): Promise<TokenCredential> {
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
    getToken(scopes, options) {
      const abortSignal = AbortSignal.timeout(timeout);
      // Race with the signal, because the package does not pass the signal to all of its requests.
      return Promise.race([chain.getToken(scopes, { ...options, abortSignal }), failAt(abortSignal)]);
    },
  };
}

/** Returns the workload identity. The constructor throws if the environment has none. */
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
      reject(Object.assign(new Error('the managed identity returned no token'), { code: 'timeout' })),
    );
  });
}
