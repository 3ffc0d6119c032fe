/** What the operator has to know or to correct, in one sentence. Nothing was changed. */
export class Refusal extends Error {
  override name = 'Refusal';
}
