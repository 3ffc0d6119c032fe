import { afterAll, beforeAll } from 'vitest';
import { type FakeOidcProvider, type OidcAccount, startOidcProvider } from '#test/fakes/oidc-provider.ts';
import { type TestApp, useTestApp } from '#test/setup/app.ts';
import type { Headers } from './call.ts';
import { found, join, type Person, submit } from './people.ts';

const operatorKey = 'an-operator-key-of-the-contract-0123456789';
export const redirectUri = 'http://127.0.0.1:9/callback';

/** What the cases are about, made once for a test file. What a case changes it makes for itself. */
export interface Scene {
  app: TestApp;
  /** An administrator, its workspace's key, and a member of that workspace. */
  founder: Person;
  member: Person;
  /** An administrator of another workspace. */
  neighbour: Person;
  /** Headers of the operator key. */
  operator: { key: Headers; bearer: Headers };
  /** A published job of the founder's workspace, submitted with the key `replayed`. */
  jobId: string;
  /** A real identity provider, and who can sign in there. */
  provider: FakeOidcProvider;
  accounts: OidcAccount[];
}

/** Starts the application and an identity provider of a test file. @param more environment variables */
export function useScene(more: Record<string, string> = {}): Scene {
  const accounts: OidcAccount[] = [];
  const env: Record<string, string> = {
    AUTH_RATE_LIMIT_ENABLED: 'false',
    OPERATOR_API_KEY: operatorKey,
    OIDC_ENABLED: 'true',
    OIDC_CLIENT_ID: 'lingualoop',
    OIDC_REDIRECT_URIS: redirectUri,
    ...more,
  };
  const operator = {
    key: { 'x-api-key': operatorKey },
    bearer: { authorization: `Bearer ${operatorKey}` },
  };
  const scene = { accounts, operator } as unknown as Scene;

  // Before the application reads its environment.
  beforeAll(async () => {
    scene.provider = await startOidcProvider({
      clientId: 'lingualoop',
      redirectUris: [redirectUri],
      accounts,
    });
    env['OIDC_ISSUER'] = scene.provider.issuer;
  });
  afterAll(() => scene.provider?.stop());

  const app = useTestApp({ env });
  scene.app = app;
  beforeAll(async () => {
    scene.founder = await found(app);
    scene.member = await join(app, scene.founder);
    scene.neighbour = await found(app);
    scene.jobId = await submit(app, scene.founder, { idempotency_key: 'replayed' });
  });
  return scene;
}
