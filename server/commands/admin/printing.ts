import type { TenantAccount } from '#server/identity/tenants/schema.ts';

/** Characters that control a terminal, break a line or change the reading direction, and halves of surrogate pairs. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/**
 * Escapes text from callers, such as names and email addresses, so that it cannot imitate another line or control the
 * terminal. The escapes are those of JSON, so escaped JSON keeps its meaning.
 */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Returns one line with columns that are separated by tabs. */
export function columns(values: readonly (string | number | boolean)[]): string {
  return values.map((value) => printable(String(value))).join('\t');
}

/** Returns one line of JSON. */
export function jsonLine(value: object): string {
  return printable(JSON.stringify(value));
}

/** Returns the name of a tenant as commands print it. */
export const named = ({ id, name }: TenantAccount) => `${printable(JSON.stringify(name))} (${id})`;

/** Returns a warning line if the tenant is deactivated. */
export function inactiveNote(account: TenantAccount): string[] {
  if (account.active) return [];
  return [
    `${named(account)} is deactivated: its members cannot sign in until you run reactivate-tenant ${account.id}.`,
  ];
}
