import type { Access, Scope } from '#server/context.ts';
import { AppError } from '#server/errors.ts';

/** All scopes, in the order in which keys list them. */
export const scopes = ['translate', 'read', 'review', 'admin'] as const satisfies readonly Scope[];

/** The scopes that allow a call: one of them is enough. */
export type AllowingScopes = NonNullable<Access['scopes']>;

/** Returns the scopes that are stored as words separated by spaces. */
export function readScopes(stored: string): Scope[] {
  const words = new Set(stored.split(' '));
  return scopes.filter((scope) => words.has(scope));
}

/** Returns the stored form of scopes: each once, in the order of `scopes`. */
export function writeScopes(given: readonly Scope[]): string {
  return scopes.filter((scope) => given.includes(scope)).join(' ');
}

/**
 * Rejects an API key that has none of the allowing scopes.
 * @param held the scopes of the key; null for all
 * @throws AppError 403, whose message names the missing scope
 */
export function requireScope(held: readonly Scope[] | null, allowing: AllowingScopes): void {
  if (held === null || allowing.some((scope) => held.includes(scope))) return;
  throw new AppError('forbidden', `this API key lacks the scope ${allowing.join(' or ')}`);
}
