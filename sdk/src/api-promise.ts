/** The HTTP response of a call, without the result in its body. */
export interface ResponseInfo {
  /** The HTTP status, 200 to 299. */
  status: number;
  /** All headers of the response. */
  headers: Pick<Headers, 'get'>;
  /** X-Request-ID of the response: include it when you contact support. */
  requestId: string | null;
  /**
   * Whether an earlier call with the same idempotency key had already done the work. The service then did not repeat
   * it.
   */
  replayed: boolean;
  /** Whether any job in the result was created by a different request with the same idempotency key. */
  requestDiffers: boolean;
}

/** The result of a call, together with its HTTP response. */
export interface Answered<T> {
  /** The result. */
  data: T;
  /** The HTTP response; the last one if the call sent several requests. */
  response: ResponseInfo;
}

/** The future result of a call. The request is sent immediately, even if nothing awaits the promise. */
export interface ApiPromise<T> extends Promise<T> {
  /**
   * Returns the result together with its HTTP response: `const { data, response } = await
   * client.translations.get(id).withResponse()`.
   */
  withResponse(): Promise<Answered<T>>;
}

/** Creates the promise that a call returns. */
export function apiPromise<T>(answered: Promise<Answered<T>>): ApiPromise<T> {
  const data = answered.then((outcome) => outcome.data);
  return Object.assign(data, {
    withResponse() {
      // A caller of `withResponse` awaits only one of the two promises. A failure must not become an unhandled
      // rejection of the other one.
      data.catch(() => {});
      return answered;
    },
  });
}

/** Returns a promise for the same call with another result, made from the first one. The response stays the same. */
export function mapResult<T, U>(
  call: ApiPromise<T>,
  convert: (data: T, response: ResponseInfo) => U | Promise<U>,
): ApiPromise<U> {
  return apiPromise(
    call
      .withResponse()
      .then(async ({ data, response }) => ({ data: await convert(data, response), response })),
  );
}

/**
 * Returns the promise of a call that can start only after `first`, for example after the bytes of a file have been
 * read.
 */
export function afterwards<T, U>(first: Promise<T>, call: (value: T) => ApiPromise<U>): ApiPromise<U> {
  return apiPromise(first.then((value) => call(value).withResponse()));
}

export function infoOf({ status, headers }: { status: number; headers: Pick<Headers, 'get'> }): ResponseInfo {
  return {
    status,
    headers,
    requestId: headers.get('x-request-id'),
    replayed: headers.get('idempotency-replayed') === 'true',
    requestDiffers: headers.get('idempotency-request-differs') === 'true',
  };
}
