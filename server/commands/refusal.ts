/** A problem that the operator has to know or to correct, in one sentence. Nothing was changed. */
export class Refusal extends Error {
  override name = 'Refusal';
}

/** The completed and the remaining work, in one sentence: a command has ended between the two. */
export class IncompleteError extends Error {
  override name = 'IncompleteError';
}
