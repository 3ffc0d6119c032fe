/** Returns a new random key, for idempotency or to repeat a refresh of tokens. */
export function newIdempotencyKey(): string {
  // Browsers do not provide randomUUID to pages that were loaded over plain HTTP.
  if (crypto.randomUUID) return crypto.randomUUID();
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
