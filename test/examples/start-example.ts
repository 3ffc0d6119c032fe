import { type Ended, type Launched, launch } from '#test/setup/launch.ts';

/** Where an example runs, and as whom. */
export interface Caller {
  address: string;
  apiKey: string;
}

/** Starts a script of `examples/`. */
export const startExample = (name: string, { address, apiKey }: Caller, ...parameters: string[]): Launched =>
  launch([`examples/${name}`, ...parameters], { LINGUALOOP_URL: address, LINGUALOOP_API_KEY: apiKey });

/** Runs it to its end. */
export const runExample = (name: string, caller: Caller, ...parameters: string[]): Promise<Ended> =>
  startExample(name, caller, ...parameters).ended;
