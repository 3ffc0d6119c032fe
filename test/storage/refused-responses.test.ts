import { expect, it } from 'vitest';
import { refusedResponse } from '#server/platform/stores/data-lake/failures.ts';

it('the message of a refused request has no account key, even if the request had another secret', () => {
  const key = Buffer.alloc(64, 'secret').toString('base64');
  const body = Buffer.from(`<Error><Code>AuthFailed</Code><Message>refused ${key}, retry</Message></Error>`);
  expect(refusedResponse(403, {}, body).message).toBe('refused (hidden), retry');
});
