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

/**
 * Returns functions around the requests of a provider's package.
 * @param convert converts any error of the package
 * @param isAbsent whether an error means that the object, or the requested version, does not exist
 */
export function requestsOf(
  convert: (thrown: unknown) => StoreError,
  isAbsent: (error: StoreError) => boolean,
) {
  const asStoreError = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw convert(error);
    }
  };
  /** Returns the result of `work`; null if the object does not exist. */
  const ifThere = async <T>(work: () => Promise<T>): Promise<T | null> => {
    try {
      return await asStoreError(work);
    } catch (error) {
      if (isAbsent(error as StoreError)) return null;
      throw error;
    }
  };
  return { asStoreError, ifThere };
}
