import { describe, expect, test } from 'vitest';
import { describeEnrollment } from '#server/identity/auth/mfa/enrollment.ts';
import { readRecoveryCode } from '#server/identity/auth/mfa/recovery-codes.ts';
import { matchStep, otpauthUri } from '#server/identity/auth/mfa/totp.ts';
import { totpCode } from '#test/setup/totp.ts';

/** The test vectors of RFC 6238, appendix B, for SHA-1: the last six of the eight digits. */
const secret = Buffer.from('12345678901234567890');
const base32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [20_000_000_000, '353130'],
];
const now = 1_234_567_890;
const step = Math.floor(now / 30);
/** The code of the time step that is `later` steps after the current one. */
const codeOf = (later: number) => totpCode(base32, later, now * 1000);

test.each(vectors)('RFC 6238: at %i s the code is %s', (seconds, code) => {
  expect(matchStep(secret, code, seconds, null)).toBe(Math.floor(seconds / 30));
  expect(totpCode(base32, 0, seconds * 1000)).toBe(code);
});

describe('which time steps are accepted', () => {
  test('the present one and its neighbours', () => {
    expect([-2, -1, 0, 1, 2].map((later) => matchStep(secret, codeOf(later), now, null))).toEqual([
      undefined,
      step - 1,
      step,
      step + 1,
      undefined,
    ]);
  });

  test('none up to the last one used', () => {
    const matches = (lastStep: number) =>
      [-1, 0, 1].map((later) => matchStep(secret, codeOf(later), now, lastStep));
    expect(matches(step - 2)).toEqual([step - 1, step, step + 1]);
    expect(matches(step - 1)).toEqual([undefined, step, step + 1]);
    expect(matches(step)).toEqual([undefined, undefined, step + 1]);
    expect(matches(step + 1)).toEqual([undefined, undefined, undefined]);
  });
});

describe('parsing of a typed code', () => {
  test.each([
    ['as shown', '005924', true],
    ['in two groups', ' 005 924\n', true],
    ['without its zeros', '5924', false],
    ['with a digit more', '0059240', false],
  ])('%s: %j', (_, code, counts) => {
    expect(matchStep(secret, code, now, null)).toBe(counts ? step : undefined);
  });

  test.each([
    ['ab2de-fgh34', 'ab2de-fgh34'],
    [' AB2DE-FGH34 ', 'ab2de-fgh34'],
    ['ab2defgh34', 'ab2de-fgh34'],
    ['ab1de-fgh34', undefined],
    ['ab2de-fgh345', undefined],
    ['005924', undefined],
  ])('a recovery code: %j is %j', (typed, code) => {
    expect(readRecoveryCode(typed)).toBe(code);
  });
});

test('the key URI names issuer, account, secret and the three parameters; every address fits its QR code', () => {
  const uri = new URL(otpauthUri(secret, 'ana+tag@example.org'));
  expect(decodeURIComponent(uri.pathname)).toBe('/LinguaLoop:ana+tag@example.org');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'LinguaLoop',
    secret: base32,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  for (const email of ['+', '\u{1f600}'].map((char) => char.repeat(1000))) {
    const described = describeEnrollment({ secret, email });
    expect(described.uri).toContain(`secret=${base32}`);
    expect(described.qrCode.length).toBeGreaterThan(1000);
  }
});
