import { useSyncExternalStore } from 'react';
import { LinguaLoopError } from '#sdk/errors.ts';
import { procedures } from '../procedures.ts';

/** The request for a proof that the member sees; `settle` is called with whether the proof was given. */
interface ProofRequest {
  settle(isGiven: boolean): void;
}

let shown: ProofRequest | undefined;
const listeners = new Set<() => void>();

function show(next: ProofRequest | undefined): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Asks the member for the password or a code. Several callers share one dialog. */
function askForProof(): Promise<boolean> {
  return new Promise((resolve) => {
    const before = shown;
    show({
      settle(isGiven) {
        show(undefined);
        before?.settle(isGiven);
        resolve(isGiven);
      },
    });
  });
}

/** The dialog that `ProofDialog` shows; undefined if none is needed. */
export function useProofRequest(): ProofRequest | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}

/**
 * Runs work that may need a recent proof of identity. If the service demands one, asks the member and runs the work
 * again.
 * @throws LinguaLoopError of the work, and `proof_required` if the member gives no proof
 */
export async function proved<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof LinguaLoopError) || error.code !== 'proof_required') throw error;
    if (!(await askForProof())) throw error;
    return work();
  }
}

/** Asks for a proof of identity unless there is a recent one, before a file that only a link can save. */
export async function proveFirst(): Promise<boolean> {
  const { proved: isProved } = await procedures.auth.proof.query();
  return isProved || askForProof();
}
