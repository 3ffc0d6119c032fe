import { afterAll, beforeAll } from 'vitest';
import type { Headers } from '#test/factories.ts';
import { type FakeOidcProvider, type OidcAccount, startOidcProvider } from '#test/fakes/oidc-provider.ts';
import { type FakeStripe, startFakeStripe } from '#test/fakes/stripe.ts';
import { type TestApp, useTestApp } from '#test/setup/app.ts';
import { found, join, type Person, submit } from '../factories.ts';

const operatorKey = 'an-operator-key-of-the-contract-0123456789';
export const redirectUri = 'http://127.0.0.1:9/callback';
export const webhookSecret = 'whsec_of_the_contract_0123456789';

/** A deployment with billing, in which most requests need a subscription. */
export const selling = { BILLING_ENABLED: 'true', TRUST_PROXY: '1' };

/** Resources that the cases of a test file share. A case that changes data creates its own. */
export interface ContractFixture {
  app: TestApp;
  /** The administrator of a workspace, whose API key is included, and a member of the same workspace. */
  founder: Person;
  member: Person;
  /** An administrator of another workspace. */
  neighbour: Person;
  /** Headers with the operator key, in both forms. */
  operator: { key: Headers; bearer: Headers };
  /** A published job in the founder's workspace, submitted with the idempotency key `replayed`. */
  jobId: string;
  /** A real identity provider and its accounts. */
  provider: FakeOidcProvider;
  accounts: OidcAccount[];
  /** A fake of Stripe, for the deployment with billing. */
  stripe: FakeStripe;
}

/**
 * Starts the application, an identity provider and a fake of Stripe for a test file.
 * @param more environment variables
 * @param start starts the deployment: the application in this process, or several processes
 */
export function useContractFixture(
  more: Record<string, string> = {},
  start: (options: { env: Record<string, string> }) => TestApp = useTestApp,
): ContractFixture {
  const accounts: OidcAccount[] = [];
  const env: Record<string, string> = {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    OPERATOR_API_KEY: operatorKey,
    OIDC_ENABLED: 'true',
    OIDC_CLIENT_ID: 'lingualoop',
    OIDC_REDIRECT_URIS: redirectUri,
    STORAGE_BINDING_ENABLED: 'true',
    // No server listens there. The mails stay in the outbox.
    MAIL_SERVER: '{"url":"smtp://127.0.0.1:9","from":"noreply@example.org"}',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_PRICE_PRO: 'price_pro',
    STRIPE_PRICE_TOPUP: 'price_topup',
    // A TMX file with two units is imported in the background, and a file with 101 units is too large.
    TM_ASYNC_THRESHOLD: '1',
    MAX_TM_SEGMENTS: '100',
    ...more,
  };
  const operator = {
    key: { 'x-api-key': operatorKey },
    bearer: { authorization: `Bearer ${operatorKey}` },
  };
  const fixture = { accounts, operator } as unknown as ContractFixture;

  // Runs before the application starts and reads its environment.
  beforeAll(async () => {
    fixture.provider = await startOidcProvider({
      clientId: 'lingualoop',
      redirectUris: [redirectUri],
      accounts,
    });
    env['OIDC_ISSUER'] = fixture.provider.issuer;
    fixture.stripe = await startFakeStripe();
    env['STRIPE_API_URL'] = fixture.stripe.url;
    env['STRIPE_SECRET_KEY'] = fixture.stripe.secretKey;
  });
  afterAll(() => fixture.provider?.stop());
  afterAll(() => fixture.stripe?.close());

  const app = start({ env });
  fixture.app = app;
  beforeAll(async () => {
    fixture.founder = await found(app);
    fixture.member = await join(app, fixture.founder);
    fixture.neighbour = await found(app);
    fixture.jobId = await submit(app, fixture.founder, { idempotency_key: 'replayed' });
  });
  return fixture;
}
