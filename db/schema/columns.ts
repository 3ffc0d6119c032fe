import { customType, timestamp } from 'drizzle-orm/pg-core';

/** An identifier: text that is compared byte by byte, so that its order is the same on every server. */
export const identifier = customType<{ data: string; driverData: string }>({
  dataType: () => 'text collate "C"',
});

/** Raw bytes; the SHA-256 of a credential is 32 of them. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
});

/** A time in UTC, with millisecond precision, so that a JavaScript Date holds it without loss. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
