import { z } from 'zod';

const authMode = z.enum(
  ['managed_identity', 'sas', 'connection_string'],
  'auth_mode must be managed_identity, sas or connection_string',
);

/** Directories in the container by kind of content. `terminology` is reserved for later use. */
export const defaultPrefixes = {
  documents: 'documents/',
  golden: 'golden/',
  terminology: 'terminology/',
} as const;

const prefixes = z.object(
  {
    documents: z.string('prefixes.documents must be a string').describe('The directory of document files.'),
    golden: z
      .string('prefixes.golden must be a string')
      .describe('The directory of golden records and their daily manifest.'),
    terminology: z
      .string('prefixes.terminology must be a string')
      .describe('Reserved: nothing is written there.'),
  },
  'prefixes must be an object',
);

export const replaySummary = z
  .object({
    published: z.int().min(0).describe('Parked jobs that were published.'),
    failed: z.int().min(0).describe('Parked jobs whose record still could not be written; they stay parked.'),
    remaining: z
      .int()
      .min(0)
      .describe('Parked jobs that were not tried before this response; workers continue with them.'),
  })
  .meta({
    id: 'ReplaySummary',
    description: 'The result for jobs that were parked because their record could not be written.',
  });

export type ReplaySummary = z.infer<typeof replaySummary>;

export const storageBinding = z
  .object({
    provider: z.enum(['platform', 'datalake']).describe("The storage of the tenant's records and files."),
    account_url: z.string().nullable().describe('`https://<account>.dfs.core.windows.net`'),
    filesystem: z.string().nullable().describe('The name of the container.'),
    auth_mode: authMode.nullable().describe('How the account is opened; null for platform storage.'),
    has_secret: z.boolean().describe('Whether a secret is stored. It is never returned.'),
    prefixes: prefixes.describe('The directories in the container.'),
    status: z
      .enum(['unverified', 'verified', 'error'])
      .describe('Records and files are written there, and work is accepted, only while this is `verified`.'),
    last_error: z.string().nullable().describe("The provider's own message after a failed probe."),
    principal_client_id: z
      .string()
      .nullable()
      .describe('The application id to authorize for `managed_identity`; null if the deployment has none.'),
    created_at: z.string().nullable().describe('When an account was first connected, ISO 8601 in UTC.'),
    updated_at: z.string().nullable().describe('When it was last changed, ISO 8601 in UTC.'),
    updated_by: z
      .string()
      .nullable()
      .describe('The email of the member who last changed it; null for an API key.'),
    last_verified_at: z.string().nullable().describe('When a probe last succeeded, ISO 8601 in UTC.'),
    replay: replaySummary
      .optional()
      .describe('Set if this request published parked jobs: how many, and how many remain.'),
  })
  .meta({ id: 'StorageBinding', description: "The storage of a tenant's records and files." });

export type StorageBinding = z.infer<typeof storageBinding>;

/** The details of a rejection are a string, so each message names its field. */
export const storageBindingRequest = z
  .object({
    provider: z
      .enum(['platform', 'datalake'], 'provider must be platform or datalake')
      .default('datalake')
      .describe('`platform` ends the binding.'),
    account_url: z
      .string('account_url must be a string')
      .nullish()
      .describe(
        "The account's own endpoint over https, in its dfs form, or its blob form, which is saved as dfs.",
      ),
    filesystem: z.string('filesystem must be a string').nullish().describe('The name of the container.'),
    auth_mode: authMode.nullish().describe('How the account is opened.'),
    secret: z
      .string('secret must be a string')
      .nullish()
      .describe(
        'A SAS token or a connection string. Omit it to keep the stored one, if `auth_mode` and `account_url` do not change.',
      ),
    prefixes: prefixes.partial().nullish().describe('Missing directories get their defaults.'),
  })
  .meta({
    id: 'StorageBindingRequest',
    description: 'The complete desired binding; missing fields get their defaults.',
  });

export type StorageBindingRequest = z.infer<typeof storageBindingRequest>;

export const storageUsage = z
  .object({
    provider: z.enum(['platform', 'datalake']).describe('The storage of new files.'),
    bytes_used: z
      .int()
      .min(0)
      .describe(
        "Bytes of the tenant's document files in the platform's storage. Files in its own storage do not count.",
      ),
    bytes_allowed: z.int().min(0).nullable().describe('Null without a limit.'),
    objects: z.int().min(0).describe('The number of these files.'),
  })
  .meta({ id: 'StorageUsage', description: "The storage that a tenant's documents use." });

export type StorageUsage = z.infer<typeof storageUsage>;
