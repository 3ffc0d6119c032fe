import { describe, expect, test } from 'vitest';
import { describeEnrollment } from '#server/identity/auth/mfa/enrollment.ts';
import { readRecoveryCode } from '#server/identity/auth/mfa/recovery-codes.ts';
import { matchStep, newTotpSecret, otpauthUri } from '#server/identity/auth/mfa/totp.ts';
import { totpCode } from '#test/setup/totp.ts';

/** RFC 6238, appendix B, SHA-1: the last six of its eight digits. */
const secret = Buffer.from('12345678901234567890');
const base32 = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const vectors: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
];
const now = 1_234_567_890;
const step = Math.floor(now / 30);
/** The code `later` steps after the current one. */
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

  test('C 2: none up to the last one used', () => {
    const matches = (lastStep: number) =>
      [-1, 0, 1].map((later) => matchStep(secret, codeOf(later), now, lastStep));
    expect(matches(step - 2)).toEqual([step - 1, step, step + 1]);
    expect(matches(step - 1)).toEqual([undefined, step, step + 1]);
    expect(matches(step)).toEqual([undefined, undefined, step + 1]);
    expect(matches(step + 1)).toEqual([undefined, undefined, undefined]);
  });

  test('a code is accepted from half a minute before its step until half a minute after it', () => {
    const code = totpCode(base32, 0, 30_000 * 1000);
    expect(matchStep(secret, code, 29_969.999, null)).toBe(undefined);
    expect(matchStep(secret, code, 29_970, null)).toBe(1000);
    expect(matchStep(secret, code, 30_059.999, null)).toBe(1000);
    expect(matchStep(secret, code, 30_060, null)).toBe(undefined);
  });
});

describe('parsing of a typed code', () => {
  test.each([
    ['as shown', '005924', true],
    ['in two groups', ' 005 924\n', true],
    ['without its zeros', '5924', false],
    ['with a digit more', '0059240', false],
    ['with a sign', '+05924', false],
    ['in other digits', '００５９２４', false],
    ['with a dash', '005-924', false],
    ['nothing', '', false],
  ])('%s: %j', (_, code, counts) => {
    expect(matchStep(secret, code, now, null)).toBe(counts ? step : undefined);
  });

  test.each([
    ['ab2de-fgh34', 'ab2de-fgh34'],
    [' AB2DE-FGH34 ', 'ab2de-fgh34'],
    ['ab2defgh34', 'ab2de-fgh34'],
    ['ab2de--fgh34', undefined],
    ['ab2d-efgh34', undefined],
    ['ab2de fgh34', undefined],
    ['ab1de-fgh34', undefined],
    ['ab2de-fgh345', undefined],
    ['005924', undefined],
  ])('a recovery code: %j is %j', (typed, code) => {
    expect(readRecoveryCode(typed)).toBe(code);
  });
});

test('a secret is 20 random bytes', () => {
  const secrets = Array.from({ length: 20 }, newTotpSecret);
  expect(new Set(secrets.map((made) => Buffer.from(made).toString('hex'))).size).toBe(20);
  expect(secrets.every((made) => made.length === 20)).toBe(true);
});

test('the key URI names issuer, account, secret and the three parameters', () => {
  const uri = new URL(otpauthUri(secret, 'ana+tag@example.org'));
  expect(uri.protocol).toBe('otpauth:');
  expect(uri.host).toBe('totp');
  expect(decodeURIComponent(uri.pathname)).toBe('/LinguaLoop:ana+tag@example.org');
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'LinguaLoop',
    secret: base32,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
});

test('however long an address is, its QR code can be drawn', () => {
  for (const account of ['+', 'é', '漢', '\u{1f600}'].map((char) => char.repeat(1000))) {
    const { uri, qrCode } = describeEnrollment({ secret, email: account });
    expect(uri).toContain(`secret=${base32}`);
    expect(qrCode.length).toBeGreaterThan(1000);
  }
});
