import type { Catalog } from '#web/server/build.ts';
import type { Locale } from '#web/server/locale.ts';
import type { Deployment } from '#web/server/shell.ts';

/** Properties of the deployment, as embedded in the page. */
export const deployment = readDeployment();

function readDeployment(): Deployment & { catalogs: Record<Locale, Catalog>; signedOut: boolean } {
  const content = document.querySelector<HTMLMetaElement>('meta[name="lingualoop"]')?.content;
  if (!content) throw new Error('the page does not describe the deployment');
  return JSON.parse(content);
}
