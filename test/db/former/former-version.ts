/** The recording of a version, made with `record.ts`. */
export interface FormerVersion {
  email: string;
  password: string;
  /** The secret of the founder's authenticator, in base32. */
  totpSecret: string;
  /** The API key of the workspace. */
  apiKey: string;
  secretsKey: string;
  /** The list of applied migrations. */
  migrations: { hash: string; created_at: string }[];
  /** The schema (`describeSchema`). */
  schema: string[];
  /** The rows of each table, in the text format of COPY. */
  tables: Record<string, { columns: string[]; rows: string }>;
  /** The last value of each sequence. */
  sequences: Record<string, string>;
  /** The files in platform storage by path, in base64. */
  store: Record<string, string>;
  /** The bodies of responses to GET requests, by path. Bodies that are not JSON are unchanged text. */
  answers: Record<string, unknown>;
  /** The built SDK as a single module. */
  sdk: string;
}
