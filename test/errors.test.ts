import superjson from 'superjson';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  AppError,
  describeForLog,
  type ErrorName,
  errorBody,
  errorTable,
  toAppError,
} from '#server/errors.ts';
import { stubEngine } from '#server/platform/engines/stub.ts';
import { useTestApp } from '#test/setup/app.ts';

/** The errors of A 7.3, in the order of the specification. */
const pipelineErrors: [ErrorName, number][] = [
  ['validation_error', 400],
  ['not_found', 404],
  ['conflict', 409],
  ['storage_binding_not_verified', 409],
  ['content_filtered', 422],
  ['rate_limit', 429],
  ['quota_exceeded', 429],
  ['internal_error', 500],
  ['persistence_failed', 502],
  ['transient_error', 503],
  ['service_unavailable', 503],
  ['stage_timeout', 504],
];

/** The errors of A 7.4, of HTTP itself, and of calls over /trpc. A 7.3 does not name them (C 8). */
const otherErrors: [ErrorName, number][] = [
  ['malformed_request', 400],
  ['unauthenticated', 401],
  ['payment_required', 402],
  ['forbidden', 403],
  ['proof_required', 403],
  ['route_not_found', 404],
  ['method_not_allowed', 405],
  ['request_timeout', 408],
  ['capability_not_enabled', 409],
  ['critical_findings', 409],
  ['state_conflict', 409],
  ['payload_too_large', 413],
  ['unsupported_media_type', 415],
  ['invalid_fields', 422],
  ['unprocessable', 422],
  ['too_many_requests', 429],
  ['headers_too_large', 431],
  ['import_backend_unavailable', 502],
  ['platform_storage_unavailable', 502],
  ['capability_off', 503],
  ['storage_cap_reached', 507],
  ['disk_full', 507],
];

describe('A 7.1, A 7.3 and C 8: the error table', () => {
  test.each([...pipelineErrors, ...otherErrors])(
    '%s is %d, with its code and the request id',
    (code, status) => {
      const error = new AppError(code, 'what happened');
      expect(error.status).toBe(status);
      expect(errorBody(error, 'request-1')).toStrictEqual({
        detail: 'what happened',
        error_code: code,
        request_id: 'request-1',
      });
    },
  );

  test('invalid fields are an array of entries', () => {
    const problems = [{ loc: ['body', 'items', 0], msg: 'too long', type: 'too_big' }];
    const error = new AppError('invalid_fields', problems);
    expect(errorBody(error, 'request-1')).toMatchObject({ detail: problems, error_code: 'invalid_fields' });
    expect(error.message).toBe('body.items.0: too long');
  });

  test('every error is in one of these tables', () => {
    expect([...pipelineErrors, ...otherErrors].map(([code]) => code).sort()).toEqual(
      Object.keys(errorTable).sort(),
    );
  });
});

/** An error in the form in which the database driver throws it. */
function driverError(code: string, name = 'PostgresError'): Error {
  return Object.assign(new Error('select secret from users'), { name, code });
}

/** An error in the form in which Drizzle wraps it. */
function wrapped(cause: Error): Error {
  return new Error('Failed query: select $1\nparams: secret', { cause });
}

describe('what a caller may see of any thrown value', () => {
  test.each([
    '55P03',
    '57014',
    '40001',
    '40P01',
    '25006',
    '25P03',
    '57P01',
    '57P02',
    '57P03',
    '53300',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'CONNECT_TIMEOUT',
    'CONNECTION_CLOSED',
    'CONNECTION_ENDED',
    'CONNECTION_DESTROYED',
  ])('%s passes: transient_error, bare or wrapped', (code) => {
    for (const thrown of [driverError(code), wrapped(driverError(code)), driverError(code, 'Error')]) {
      const known = toAppError(thrown);
      expect(known).toMatchObject({ code: 'transient_error', status: 503 });
      expect(known.cause).toBe(thrown);
      expect(known.message).not.toMatch(/secret|select/);
    }
  });

  test.each(['DatabaseBusyError', 'ConnectionLostError'])('%s is known by its name', (name) => {
    const thrown = Object.assign(new Error('x'), { name });
    expect(toAppError(thrown).code).toBe('transient_error');
    expect(toAppError(wrapped(thrown)).code).toBe('transient_error');
  });

  test.each<[string, unknown]>([
    ['a plain Error', new Error('secret')],
    ['a TypeError', new TypeError('secret')],
    ['a violated constraint', wrapped(driverError('23505'))],
    ['a syntax error', wrapped(driverError('42601'))],
    ['a code that is no outage', driverError('ENOENT', 'Error')],
    ['a string', 'secret'],
    ['an object with an outage’s code', { code: '40001' }],
    ['nothing', undefined],
    ['null', null],
  ])('%s is an internal error, and reveals nothing', (_, thrown) => {
    const known = toAppError(thrown);
    expect(known.status).toBe(500);
    expect(known.cause).toBe(thrown);
    expect(errorBody(known, 'request-1')).toStrictEqual({
      detail: 'internal error',
      error_code: 'internal_error',
      request_id: 'request-1',
    });
  });

  test('an AppError keeps its type, even inside another error', () => {
    const error = new AppError('conflict', 'taken', { retryAfter: 3 });
    expect(toAppError(error)).toBe(error);
    expect(toAppError(new Error('around it', { cause: error }))).toBe(error);
  });

  test('the log has the code of a database error, and neither SQL nor parameters', () => {
    for (const thrown of [
      wrapped(driverError('23505')),
      driverError('23505'),
      wrapped(new Error('Failed query: secret')),
    ]) {
      const told = describeForLog(thrown);
      expect(JSON.stringify(told)).not.toMatch(/secret|select/);
    }
    expect(describeForLog(wrapped(driverError('23505')))).toMatchObject({
      name: 'PostgresError',
      code: '23505',
    });
    expect(describeForLog(new TypeError('x is not a function'))).toMatchObject({
      name: 'TypeError',
      message: 'x is not a function',
    });
    expect(describeForLog('secret')).toEqual({ name: 'not an Error' });
  });
});

describe('over REST and /trpc', () => {
  let thrown: Error;
  const app = useTestApp({
    engine: {
      ...stubEngine,
      translate: async () => {
        throw thrown;
      },
    },
    env: { AUTH_RATE_LIMIT_ENABLED: 'false' },
  });
  let headers: Record<string, string>;
  beforeEach(async () => {
    ({ headers } = await app.signUp());
  });

  const text = { source_text: 'Hello', target_lang: 'fr' };
  const rest = () => app.json('POST', '/api/translations', { headers, body: text });
  const rpc = () =>
    app.json('POST', '/trpc/translations.create', { headers, body: superjson.serialize(text) });
  const rpcData = (body: { error: unknown }) =>
    superjson.deserialize<{ message: string; data: Record<string, unknown> }>(body.error as never);

  test.each([
    [7, '7'],
    [0.2, '1'],
    [6.01, '7'],
    [undefined, null],
  ])('an error with a wait of %s s has the header Retry-After: %s', async (retryAfter, header) => {
    thrown = new AppError('rate_limit', 'saturated', retryAfter === undefined ? {} : { retryAfter });
    const answer = await rest();
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe(header);
    expect(answer.body).toStrictEqual({
      detail: 'saturated',
      error_code: 'rate_limit',
      request_id: answer.headers.get('x-request-id'),
    });

    const typed = await rpc();
    expect(typed.status).toBe(429);
    expect(typed.headers.get('retry-after')).toBe(header);
    expect(rpcData(typed.body)).toMatchObject({
      message: 'saturated',
      data: {
        code: 'TOO_MANY_REQUESTS',
        httpStatus: 429,
        detail: 'saturated',
        error_code: 'rate_limit',
        request_id: typed.headers.get('x-request-id'),
        retry_after: retryAfter ?? null,
      },
    });
  });

  test.each(pipelineErrors)('%s of an engine is %d', async (code, status) => {
    thrown = new AppError(code, 'what happened');
    const answer = await rest();
    expect(answer.status).toBe(status);
    expect(answer.body).toMatchObject({ detail: 'what happened', error_code: code });
    const typed = await rpc();
    expect(typed.status).toBe(status);
    expect(rpcData(typed.body).data).toMatchObject({ httpStatus: status, error_code: code });
  });

  test('an unexpected failure reveals its cause neither to a caller nor in the job', async () => {
    thrown = new Error('secret');
    for (const answer of [await rest(), await rpc()]) {
      expect(answer.status).toBe(500);
      expect(answer.headers.get('retry-after')).toBeNull();
      expect(JSON.stringify(answer.body)).not.toContain('secret');
      expect(JSON.stringify(answer.body)).toContain('internal error');
    }
    const { body } = await app.json('GET', '/api/translations', { headers });
    expect(body).toHaveLength(2);
    for (const job of body)
      expect(job).toMatchObject({ status: 'failed', agent_run: { error: 'internal error' } });
    expect(JSON.stringify(body)).not.toContain('secret');
  });
});
