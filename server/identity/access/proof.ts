import { AppError } from '#server/errors.ts';

/**
 * Requires a recent proof of identity, for changes that give a person more power: someone with a stolen session cannot
 * give the proof. `auth.prove` records one, and so does each sign-in.
 * @param caller the guard sets `isProved` for callers of whom no proof is demanded: over REST, and with a key
 * @throws AppError 403 `proof_required`
 */
export function requireProof({ isProved }: { isProved: boolean }): void {
  if (isProved) return;
  throw new AppError(
    'proof_required',
    'confirm your identity with the password or a verification code first',
  );
}
