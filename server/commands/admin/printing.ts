import type { TenantAccount } from '#server/identity/tenants/schema.ts';

/** Characters that move a terminal's cursor, break a line or change the reading direction, and lone surrogates. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/**
 * Escapes text from callers (names, addresses), so that it cannot forge a line or control the terminal. The escapes
 * are JSON's, so that escaped JSON means the same.
 */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One line of columns, separated by tabs. */
export function columns(values: readonly (string | number | boolean)[]): string {
  return values.map((value) => printable(String(value))).join('\t');
}

/** One line of JSON. */
export function jsonLine(value: object): string {
  return printable(JSON.stringify(value));
}

/** The name of a tenant in the output of commands. */
export const named = ({ id, name }: TenantAccount) => `${printable(JSON.stringify(name))} (${id})`;

/** A line of warning if the tenant is deactivated. */
export function inactiveNote(account: TenantAccount): string[] {
  if (account.active) return [];
  return [`${named(account)} is deactivated: sign-in is disabled until reactivate-tenant ${account.id}.`];
}
