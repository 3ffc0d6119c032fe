import type { TenantAccount } from '#server/tenants/service.ts';

/** What moves a terminal's cursor, breaks a line or turns the reading direction, or is no character at all. */
const unprintable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}]/gu;

/**
 * Text that strangers may have chosen (names, addresses), so that it cannot forge a line or drive the terminal. The
 * escapes are JSON's: JSON stays the same JSON.
 */
export function printable(text: string): string {
  return text.replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** One line of columns, a tab between them. */
export function columns(values: readonly (string | number | boolean)[]): string {
  return values.map((value) => printable(String(value))).join('\t');
}

/** One line of JSON. */
export function jsonLine(value: object): string {
  return printable(JSON.stringify(value));
}

/** A tenant as the commands name it. */
export const named = ({ id, name }: TenantAccount) => `${printable(JSON.stringify(name))} (${id})`;

/** That nobody signs in to this tenant for now, where it is so. */
export function inactiveNote(account: TenantAccount): string[] {
  if (account.active) return [];
  return [`${named(account)} is deactivated: nobody signs in before reactivate-tenant ${account.id}.`];
}
