import { found } from '#test/factories.ts';
import type { TestApp } from '#test/setup/app.ts';
import type { Person, PersonOptions, useBrowser } from './browser.ts';

/** The creator of a new workspace, with its API key. */
export interface Founder extends Person {
  email: string;
  tenantId: string;
  apiKey: string;
}

/**
 * Creates a workspace, and opens a URL of the application in a separate browser in which its creator is signed in.
 * @param path the URL, or a function that fills the workspace first and returns the URL
 */
export async function signedIn(
  app: TestApp,
  browser: ReturnType<typeof useBrowser>,
  path: string | ((founder: { apiKey: string }) => Promise<string>),
  options?: PersonOptions,
): Promise<Founder> {
  const { email, tenantId, apiKey, refreshToken } = await found(app, { tenant_name: 'Workspace' });
  const address = typeof path === 'string' ? path : await path({ apiKey });
  const person = await browser.person(address, { ...options, refreshToken });
  await person.page.locator('#main h1').waitFor();
  return { ...person, email, tenantId, apiKey };
}
