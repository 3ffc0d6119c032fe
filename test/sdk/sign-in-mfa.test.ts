import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { AuthenticationError, type MfaPrompt, MfaRequiredError } from '#sdk/index.ts';
import { useTestApp } from '#test/setup/app.ts';
import { totpCode, wrongTotpCode } from '#test/setup/totp.ts';
import { clientOf, errorOf, password, recorder, sharedStore } from './sign-in-recorder.ts';

const app = useTestApp({ env: { AUTH_RATE_LIMIT_ENABLED: 'false', MFA_REQUIRED: 'true' } });

let members = 0;

/** Creates a workspace. Its creator has no authenticator. */
async function founded() {
  const email = `factor${++members}@example.org`;
  const signup = await clientOf(app.address).auth.signUp({ tenant_name: 'Factors', email, password });
  return { email, signup };
}

/** Creates a workspace whose creator has set up an authenticator, with the code of the current time step. */
async function enrolled() {
  const { email } = await founded();
  let secret = '';
  let recoveryCodes: string[] = [];
  const client = clientOf(app.address);
  await client.auth.signIn(
    { email, password },
    {
      onMfa(prompt) {
        secret = prompt.method === 'totp_enroll' ? prompt.enroll.secret : '';
        return firstCode(prompt);
      },
      onRecoveryCodes(codes) {
        recoveryCodes = codes;
      },
    },
  );
  return { email, secret, recoveryCodes };
}

const never = () => {
  throw new Error('nobody should be asked');
};

/** The first code of the authenticator that the prompt asks to set up. */
function firstCode(prompt: MfaPrompt): string {
  if (prompt.method !== 'totp_enroll') throw new Error('enrolled already');
  return totpCode(prompt.enroll.secret);
}

describe('a member without an authenticator', () => {
  test('enrolls on the way: it gets secret, URI and picture, then recovery codes, then is signed in', async () => {
    const { email } = await founded();
    const order: string[] = [];
    const store = sharedStore();
    const tokens = { ...store, save: async () => void order.push('saved') };
    const client = clientOf(app.address, { tokens });
    const prompts: MfaPrompt[] = [];
    const codes: string[][] = [];
    const signedIn = await client.auth.signIn(
      { email, password },
      {
        async onMfa(prompt) {
          prompts.push(prompt);
          return firstCode(prompt);
        },
        async onRecoveryCodes(told) {
          order.push('told');
          codes.push(told);
        },
      },
    );
    expect(prompts).toEqual([
      {
        method: 'totp_enroll',
        challengeId: expect.any(String),
        attempt: 1,
        enroll: {
          secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
          otpauth_uri: expect.stringMatching(/^otpauth:\/\/totp\//),
          qr_code: expect.stringMatching(/^data:image\/svg\+xml/),
        },
      },
    ]);
    expect(codes).toEqual([Array.from({ length: 10 }, () => expect.stringMatching(/^\w{5}-\w{5}$/))]);
    expect(order).toEqual(['told', 'saved']);
    expect(signedIn.user.email).toBe(email);
    const me = await clientOf(app.address, { accessToken: signedIn.access_token }).auth.me();
    expect(me.user.totp_enrolled).toBe(true);
  });

  test('without onRecoveryCodes nothing is enrolled, because the codes are shown only once', async () => {
    const { email } = await founded();
    const { fetch, calls } = recorder();
    const error = await errorOf(
      clientOf(app.address, { fetch }).auth.signIn({ email, password }, { onMfa: never }),
    );
    expect(error).toBeInstanceOf(MfaRequiredError);
    expect(error).toMatchObject({ callback: 'onRecoveryCodes', challenge: { method: 'totp_enroll' } });
    expect(calls()).toEqual(['/api/oauth2/token']);
  });
});

describe('a member with an authenticator', () => {
  test('can give a recovery code, which works once', async () => {
    const { email, recoveryCodes } = await enrolled();
    const used = recoveryCodes[0] ?? '';
    const client = clientOf(app.address);
    await client.auth.signIn({ email, password }, { onMfa: async () => used });
    expect((await client.auth.me()).user.email).toBe(email);
    const attempts: number[] = [];
    const stopped = new Error('no more');
    const again = client.auth.signIn(
      { email, password },
      {
        onMfa({ attempt }) {
          attempts.push(attempt);
          if (attempt === 2) throw stopped;
          return used;
        },
      },
    );
    expect(await errorOf(again)).toBe(stopped);
    expect(attempts).toEqual([1, 2]);
  });

  test('A 3.4: a wrong code is asked for again, until the challenge is burnt', async () => {
    const { email, secret } = await enrolled();
    const { fetch, calls } = recorder();
    const attempts: number[] = [];
    const challenges = new Set<string>();
    const signIn = clientOf(app.address, { fetch }).auth.signIn(
      { email, password },
      {
        onMfa({ attempt, challengeId }) {
          attempts.push(attempt);
          challenges.add(challengeId);
          return wrongTotpCode(secret);
        },
      },
    );
    const error = await errorOf(signIn);
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error['detail']).toBe('invalid or expired MFA challenge');
    expect(attempts).toEqual([1, 2, 3, 4, 5, 6]);
    expect(challenges.size).toBe(1);
    expect(calls()).toEqual([
      '/api/oauth2/token',
      ...Array.from({ length: 6 }, () => '/api/auth/mfa/verify'),
    ]);
  });

  test('without onMfa, an error explains that and carries the challenge', async () => {
    const { email } = await enrolled();
    const tokens = sharedStore();
    const error = await errorOf(clientOf(app.address, { tokens }).auth.signIn({ email, password }));
    expect(error).toBeInstanceOf(MfaRequiredError);
    expect(error).toMatchObject({
      name: 'MfaRequiredError',
      callback: 'onMfa',
      status: null,
      challenge: { challenge_id: expect.any(String), method: 'totp', expires_in: 600 },
    });
    expect(error.message).toContain('onMfa');
    expect(tokens.saves).toEqual([]);
  });

  test('no request timeout runs while a person is asked', async () => {
    const { email, secret } = await enrolled();
    const started = vi.spyOn(globalThis, 'setTimeout');
    const cleared = vi.spyOn(globalThis, 'clearTimeout');
    onTestFinished(() => void vi.restoreAllMocks());
    // An unusual timeout identifies the timers of the client.
    const timeoutMs = 12_345;
    const running = () => {
      const stopped = new Set(cleared.mock.calls.map(([timer]) => timer));
      const ours = started.mock.results.filter((_, n) => started.mock.calls[n]?.[1] === timeoutMs);
      return { ours: ours.length, left: ours.filter(({ value }) => !stopped.has(value)).length };
    };
    let seen = {};
    await clientOf(app.address).auth.signIn(
      { email, password },
      {
        timeout: timeoutMs,
        onMfa() {
          seen = running();
          return totpCode(secret, 1);
        },
      },
    );
    expect(seen).toEqual({ ours: 1, left: 0 });
    expect(running()).toEqual({ ours: 2, left: 0 });
  });
});
