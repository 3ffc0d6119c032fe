import { customType, timestamp } from 'drizzle-orm/pg-core';

/** An identifier: text that is compared byte by byte, so that the order is the same on every server. */
export const identifier = customType<{ data: string; driverData: string }>({
  dataType: () => 'text collate "C"',
});

/** Raw bytes, such as the 32 bytes of a credential's SHA-256. */
export const bytes = customType<{ data: Uint8Array; driverData: Uint8Array }>({
  dataType: () => 'bytea',
});

/** A time in UTC with millisecond precision, which a JavaScript Date represents exactly. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
