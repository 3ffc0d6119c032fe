import type { BrowserContext } from 'playwright-core';
import { AppError, type AppErrorOptions, type ErrorName, errorBody, errorTable } from '#server/errors.ts';

/** An error in the service's form. */
export interface Refusal extends AppErrorOptions {
  code: ErrorName;
  detail: ConstructorParameters<typeof AppError>[1];
}

/** The ID of every rejected request. */
export const refusedRequest = 'request-4711';

/** Controls the requests between a browser and the service's API. */
export interface Answers {
  /** From now on every request is rejected, except those of the named paths. */
  refuse(refusal: Refusal, except?: readonly string[]): void;
  /** From now on requests are held, except those of the named paths. */
  hold(except?: readonly string[]): void;
  /** From now on the service responds, also to held requests. */
  pass(): void;
}

/** Controls the requests between a browser and the service's API, which responds until told otherwise. */
export async function standBetween(context: BrowserContext): Promise<Answers> {
  let refusal: Refusal | undefined;
  let held: PromiseWithResolvers<void> | undefined;
  let spared: readonly string[] = [];
  await context.route(/\/(api|trpc)\//, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (spared.includes(pathname)) return route.continue();
    await held?.promise;
    if (refusal) return route.fulfill(responseOf(refusal, pathname));
    // The page may be closed by now.
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

/** The response to a rejected request for a path. `states.test.ts` compares it with one of the service. */
export function responseOf({ code, detail, ...options }: Refusal, path: string) {
  const error = new AppError(code, detail, options);
  const body = errorBody(error, refusedRequest);
  const data = {
    code: errorTable[code].trpc,
    httpStatus: error.status,
    detail: body.detail,
    error_code: body.error_code ?? null,
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
