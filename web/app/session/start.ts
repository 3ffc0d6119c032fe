/*
 * The page's first script, and a small one: secrets leave the address before anything else runs, and the session is renewed
 * while the application itself is fetched and compiled.
 */
import './arrival.ts';
import { asked, start } from './keeper.ts';

void start();
// The application keeps the processor busy as soon as it runs, so it waits until the request is on its way.
await asked;
