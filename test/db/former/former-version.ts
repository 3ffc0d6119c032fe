/** What `record.ts` recorded of a version. */
export interface FormerVersion {
  email: string;
  password: string;
  /** Of the founder's authenticator, in base 32. */
  totpSecret: string;
  /** Of the workspace. */
  apiKey: string;
  secretsKey: string;
  /** The names of its schema's migrations, in their order. */
  migrations: string[];
  /** By table; rows in COPY's text format. */
  tables: Record<string, { columns: string[]; rows: string }>;
  /** The last value of each sequence. */
  sequences: Record<string, string>;
  /** The files of the platform's storage by their path in it, in base 64. */
  store: Record<string, string>;
  /** The bodies of GET requests by path; text that is not JSON as it came. */
  answers: Record<string, unknown>;
  /** The built SDK, one module. */
  sdk: string;
}
