import { z } from 'zod';

/** A 2.1 */
export const tenantAccount = z
  .object({
    id: z.string(),
    name: z.string(),
    api_key_prefix: z.string().meta({ description: 'first 8 characters of the tenant API key' }),
    monthly_char_limit: z.int().min(1),
    active: z.boolean(),
    created_at: z.string().meta({ format: 'date-time' }),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'TenantAccount' });

export type TenantAccount = z.infer<typeof tenantAccount>;
