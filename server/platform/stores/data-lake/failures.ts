import { StoreError } from '../blob-store.ts';

/** Maximum characters of the service's message. */
const maxMessageLength = 1000;

/** Patterns of signatures, keys and tokens, in case the service repeats them in its message. */
const secrets = [
  /(sig=)[^&\s"'<]+/gi,
  /(SharedKey |Bearer )[^\s"'<]+/gi,
  /(AccountKey=)[^;\s"'<]+/gi,
  // Account keys: 64 bytes in Base64.
  /()[A-Za-z0-9+/]{86}==/g,
];

/** Removes possible secrets and the secrets in `known` from a message, and limits its length. */
function harmless(message: string, known: readonly string[] = []): string {
  const unknown = known.reduce((text, secret) => text.replaceAll(secret, '(hidden)'), message.trim());
  const bare = secrets.reduce((text, secret) => text.replace(secret, '$1(hidden)'), unknown);
  return bare.length > maxMessageLength ? `${bare.slice(0, maxMessageLength)}…` : bare;
}

/**
 * Returns the error for an unsuccessful response. The response may describe the error in JSON (dfs endpoint), in XML
 * (blob endpoint), or only in a header.
 * @param known secrets of the request, in case the service repeats them
 */
export function refusedResponse(
  status: number,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
  known: readonly string[] = [],
): StoreError {
  if (status < 400)
    return new StoreError(`status ${status}; redirects are not followed`, 'redirect_refused', status);
  const text = body.toString('utf8');
  const said = text.trimStart().startsWith('{') ? fromJson(text) : fromXml(text);
  const code = headers['x-ms-error-code'] ?? said.code ?? `status_${status}`;
  const message = harmless(said.message || `status ${status}`, known);
  return new StoreError(message, harmless(String(code), known), status);
}

interface Said {
  code?: string | undefined;
  message?: string | undefined;
}

function fromJson(text: string): Said {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: unknown; message?: unknown } };
    return {
      code: typeof error?.code === 'string' ? error.code : undefined,
      message: typeof error?.message === 'string' ? error.message : undefined,
    };
  } catch {
    return {};
  }
}

function fromXml(text: string): Said {
  const element = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  return { code: element('Code'), message: element('Message') };
}

/** Codes of undici for timeouts. */
const timeouts = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * Converts any error of a connection, the package or an identity library to a `StoreError` with the same code and a
 * message without secrets.
 */
export function toStoreError(thrown: unknown): StoreError {
  for (let error = thrown; error instanceof Error; error = error.cause)
    if (error instanceof StoreError) return error;
  if (!(thrown instanceof Error)) return new StoreError('unknown error of the storage account', 'unknown');
  const { code } = thrown as { code?: unknown };
  if (typeof code !== 'string') return new StoreError(harmless(thrown.message), thrown.name);
  return new StoreError(harmless(thrown.message || code), timeouts.has(code) ? 'timeout' : code);
}

/** Whether the service has reported that the object does not exist. A missing filesystem is a different error. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof StoreError && error.status === 404 && !/^(Filesystem|Container|Account)/.test(error.code)
  );
}

/** Whether the service has reported that the object is not the requested version. */
export function isOtherVersion(error: unknown): boolean {
  return error instanceof StoreError && error.status === 412 && error.code === 'ConditionNotMet';
}

/** Whether another writer holds the object, or has written to it in the meantime. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return error.status === 412 || /^(Lease|InvalidFlushPosition$)/.test(error.code);
}

/** Whether the service does not support leases. Some emulators do not. */
export function hasNoLeases(error: unknown): boolean {
  return error instanceof StoreError && [400, 405, 501].includes(error.status ?? 0);
}
