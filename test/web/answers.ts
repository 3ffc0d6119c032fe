import type { BrowserContext } from 'playwright-core';
import { AppError, type AppErrorOptions, type ErrorName, errorBody, errorTable } from '#server/errors.ts';

/** An error in the format of the service. */
export interface Refusal extends AppErrorOptions {
  code: ErrorName;
  detail: ConstructorParameters<typeof AppError>[1];
}

/** The request ID in all rejected requests. */
export const refusedRequest = 'request-4711';

/** Controls the responses of the service's API to a browser. */
export interface Answers {
  /** From now on, all requests are rejected, except requests for these paths. */
  refuse(refusal: Refusal, except?: readonly string[]): void;
  /** From now on, requests receive no response, except requests for these paths. */
  hold(except?: readonly string[]): void;
  /** From now on, the service responds, also to requests that were held. */
  pass(): void;
}

/** Creates the control of the API's responses to a browser. At first, the service responds to all requests. */
export async function standBetween(context: BrowserContext): Promise<Answers> {
  let refusal: Refusal | undefined;
  let held: PromiseWithResolvers<void> | undefined;
  let spared: readonly string[] = [];
  await context.route(/\/(api|trpc)\//, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (spared.includes(pathname)) return route.continue();
    await held?.promise;
    if (refusal) return route.fulfill(responseOf(refusal, pathname));
    // The page may already be closed.
    return route.continue().catch(() => {});
  });
  const become = (next: { refusal?: Refusal; held?: typeof held }, except: readonly string[] = []) => {
    const before = held;
    ({ refusal, held } = next);
    spared = except;
    before?.resolve();
  };
  return {
    refuse: (next, except) => become({ refusal: next }, except),
    hold: (except) => become({ held: Promise.withResolvers() }, except),
    pass: () => become({}),
  };
}

/** The response to a rejected request for a path. `states.nightly.test.ts` compares it with a response of the service. */
export function responseOf({ code, detail, ...options }: Refusal, path: string) {
  const error = new AppError(code, detail, options);
  const body = errorBody(error, refusedRequest);
  const data = {
    code: errorTable[code].trpc,
    httpStatus: error.status,
    detail: body.detail,
    error_code: body.error_code,
    request_id: refusedRequest,
    retry_after: error.retryAfter ?? null,
  };
  return {
    status: error.status,
    contentType: 'application/json',
    headers: {
      'x-request-id': refusedRequest,
      ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
    },
    body: JSON.stringify(
      path.startsWith('/trpc/') ? { error: { json: { message: error.message, data } } } : body,
    ),
  };
}
