/** A problem that the operator has to know or fix, described in one sentence. Nothing was changed. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/**
 * Thrown if a command ended before it had done all its work. The message describes in one sentence what is done and
 * what remains.
 */
export class IncompleteError extends Error {
  override name = 'IncompleteError';
}
