import { z } from 'zod';
import { isTenantId } from '#db/client.ts';

/** Only by its form: whether there is such a tenant is asked in the transaction that the command works in. */
export const tenantId = z.string().refine(isTenantId, 'is no tenant id');

/** The same, or empty: no tenant at all. */
export const tenantIdOrNone = z.string().refine((id) => id === '' || isTenantId(id), 'is no tenant id');

export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(320, 'is no e-mail address')
  .pipe(z.email('is no e-mail address'));

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`));

/** A moment with its zone, or a day's beginning in UTC. */
export const moment = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], {
    error: 'must be a moment with its zone (2026-07-31T09:00:00Z) or a day (2026-07-31)',
  })
  .transform((text) => new Date(text))
  .pipe(
    z
      .date()
      .min(new Date('1970-01-01T00:00:00Z'), 'must not be before 1970')
      .max(new Date('9999-12-31T00:00:00Z'), 'must not be after 9999'),
  );
