/*
 * The page's first script, and a small one: it removes secrets from the URL before anything else runs, and renews the
 * session while the application is downloaded and compiled.
 */
import './arrival.ts';
import { asked, start } from './keeper.ts';

void start();
// The application keeps the processor busy when it starts, so it waits until the request is sent.
await asked;
