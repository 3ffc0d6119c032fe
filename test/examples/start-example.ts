import { type Ended, type Launched, launch } from '#test/setup/launch.ts';

/** The service and the API key with which an example runs. */
export interface Caller {
  address: string;
  apiKey: string;
}

/** Starts a script in `examples/`. */
export const startExample = (name: string, { address, apiKey }: Caller, ...parameters: string[]): Launched =>
  launch([`examples/${name}`, ...parameters], { LINGUALOOP_URL: address, LINGUALOOP_API_KEY: apiKey });

/** Runs a script in `examples/` until it ends. */
export const runExample = (name: string, caller: Caller, ...parameters: string[]): Promise<Ended> =>
  startExample(name, caller, ...parameters).ended;
