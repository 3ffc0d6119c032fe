/** The service's response, apart from its result. */
export interface ResponseInfo {
  /** The HTTP status, 200 to 299. */
  status: number;
  /** All headers of the response. */
  headers: Pick<Headers, 'get'>;
  /** X-Request-ID of the response: include it when you contact support. */
  requestId: string | null;
  /** Whether an earlier call with the same idempotency key had done the work, which was not repeated. */
  replayed: boolean;
  /** Whether a job in the result was created by an earlier, different request with the same idempotency key. */
  requestDiffers: boolean;
}

/** A result with its response. */
export interface Answered<T> {
  /** The result. */
  data: T;
  /** Of the last request, if the call took several. */
  response: ResponseInfo;
}

/** The result of a call. The request is sent immediately, whether or not anything awaits it. */
export interface ApiPromise<T> extends Promise<T> {
  /** The result with its response: `const { data, response } = await client.translations.get(id).withResponse()`. */
  withResponse(): Promise<Answered<T>>;
}

/** Makes a call's promise from its outcome. */
export function apiPromise<T>(answered: Promise<Answered<T>>): ApiPromise<T> {
  const data = answered.then((outcome) => outcome.data);
  return Object.assign(data, {
    withResponse() {
      // A caller that uses both awaits only one of the two promises; a failure of the other must not be an unhandled
      // rejection.
      data.catch(() => {});
      return answered;
    },
  });
}

/** The same call with a result that is made from the first one. */
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

/** A call that needs something first, for example the bytes of a file. */
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
