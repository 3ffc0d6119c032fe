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
    documents: z
      .string('prefixes.documents must be a string')
      .describe('The directory of the files of documents.'),
    golden: z
      .string('prefixes.golden must be a string')
      .describe(
        'The directory of the records of published translations, and of the daily lists of these records.',
      ),
    terminology: z
      .string('prefixes.terminology must be a string')
      .describe('Reserved for later use: nothing is written to this directory.'),
  },
  'prefixes must be an object',
);

const replaySummary = z
  .object({
    published: z.int().min(0).describe('The number of jobs that could be published now.'),
    failed: z
      .int()
      .min(0)
      .describe(
        'The number of jobs whose record still could not be stored. The service tries them again later.',
      ),
    remaining: z
      .int()
      .min(0)
      .describe(
        'The number of jobs that were not tried before this response. The service tries them in the background.',
      ),
  })
  .meta({
    id: 'ReplaySummary',
    description:
      'The result for translated jobs that are not published yet, because their record could not be stored.',
  });

export type ReplaySummary = z.infer<typeof replaySummary>;

export const storageBinding = z
  .object({
    provider: z
      .enum(['platform', 'datalake'])
      .describe(
        'Where records and files are stored: `platform` for platform storage, `datalake` for a storage account of the workspace.',
      ),
    account_url: z
      .string()
      .nullable()
      .describe('The URL of the storage account: `https://<account>.dfs.core.windows.net`.'),
    filesystem: z.string().nullable().describe('The name of the container in the storage account.'),
    auth_mode: authMode
      .nullable()
      .describe('How the service signs in to the storage account; null for platform storage.'),
    has_secret: z.boolean().describe('Whether a secret is stored. The secret itself is never returned.'),
    prefixes: prefixes.describe('The directories in the container.'),
    status: z
      .enum(['unverified', 'verified', 'error'])
      .describe(
        'Only while this is `verified`, new jobs are accepted, and records and files are written to the storage account.',
      ),
    last_error: z
      .string()
      .nullable()
      .describe('The message of the storage provider, if the last verification failed; otherwise null.'),
    principal_client_id: z
      .string()
      .nullable()
      .describe(
        'The application ID to which you grant access to the container for `managed_identity`; null if the deployment has no managed identity.',
      ),
    created_at: z
      .string()
      .nullable()
      .describe('The time at which a storage account was first connected, ISO 8601 in UTC.'),
    updated_at: z
      .string()
      .nullable()
      .describe('The time of the last change of the binding, ISO 8601 in UTC.'),
    updated_by: z
      .string()
      .nullable()
      .describe('The email address of the member who last changed the binding; null if an API key was used.'),
    last_verified_at: z
      .string()
      .nullable()
      .describe('The time of the last successful verification, ISO 8601 in UTC.'),
    replay: replaySummary
      .optional()
      .describe('Set if this request published jobs whose records could not be stored before.'),
  })
  .meta({ id: 'StorageBinding', description: 'Where the records and files of a workspace are stored.' });

export type StorageBinding = z.infer<typeof storageBinding>;

/** The details of a rejection are a string, so each message names its field. */
export const storageBindingRequest = z
  .object({
    provider: z
      .enum(['platform', 'datalake'], 'provider must be platform or datalake')
      .default('datalake')
      .describe('`datalake` connects a storage account; `platform` returns to platform storage.'),
    account_url: z
      .string('account_url must be a string')
      .nullish()
      .describe(
        'The URL of the storage account: `https://<account>.dfs.core.windows.net`, or the same with `blob`, which is stored as `dfs`.',
      ),
    filesystem: z
      .string('filesystem must be a string')
      .nullish()
      .describe('The name of the container in the storage account.'),
    auth_mode: authMode.nullish().describe('How the service signs in to the storage account.'),
    secret: z
      .string('secret must be a string')
      .nullish()
      .describe(
        'A SAS token or a connection string. If `auth_mode` and `account_url` do not change, omit it to keep the stored secret.',
      ),
    prefixes: prefixes
      .partial()
      .nullish()
      .describe('The directories in the container. Those that are omitted get their defaults.'),
  })
  .meta({
    id: 'StorageBindingRequest',
    description: 'The complete storage binding. Fields that are omitted get their defaults.',
  });

export type StorageBindingRequest = z.infer<typeof storageBindingRequest>;

export const storageUsage = z
  .object({
    provider: z.enum(['platform', 'datalake']).describe('Where new files are stored.'),
    bytes_used: z
      .int()
      .min(0)
      .describe('The size of the document files of the workspace in platform storage, in bytes.'),
    bytes_allowed: z.int().min(0).nullable().describe('The maximum of `bytes_used`; null without a limit.'),
    objects: z.int().min(0).describe('The number of document files of the workspace in platform storage.'),
  })
  .meta({ id: 'StorageUsage', description: 'How much platform storage the documents of a workspace use.' });

export type StorageUsage = z.infer<typeof storageUsage>;
