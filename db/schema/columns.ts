import { customType, timestamp } from 'drizzle-orm/pg-core';

/** An identifier: text compared byte by byte, in the same order on every server. */
export const identifier = customType<{ data: string; driverData: string }>({
  dataType: () => 'text collate "C"',
});

/** Raw bytes; the SHA-256 of a credential is 32 of them. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
});

/** A moment in UTC, kept to the millisecond so that a JavaScript Date holds it without loss. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
