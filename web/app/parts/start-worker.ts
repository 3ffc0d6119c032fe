import { deployment } from '../deployment.ts';

/** The Trusted Types API, which TypeScript does not declare. A browser without it accepts any URL of a script. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
}

// The policy can be created only once.
const scripts = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('lingualoop', {
  createScriptURL(address) {
    const ours = new URL(`${deployment.basePath}/static/`, location.origin).href;
    if (!new URL(address, location.href).href.startsWith(ours))
      throw new TypeError('not the URL of a worker of this application');
    return address;
  },
});

/** Starts a worker from a script of the build. */
export const startWorker = (address: string): Worker =>
  new Worker(scripts?.createScriptURL(address) ?? address, { type: 'module' });
