/**
 * The service of a store rejected a request, or did not respond. The error has the service's own message, but nothing
 * else of the request or response: no URL, header or cause, because these could contain a secret.
 */
export class StoreError extends Error {
  override name = 'StoreError';
  /**
   * The service's code, such as `AuthorizationFailure`, or a code for the failure of the connection, such as
   * `timeout`.
   */
  readonly code: string;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;

  constructor(message: string, code: string, status: number | null = null) {
    super(message);
    this.code = code;
    this.status = status;
  }
}
