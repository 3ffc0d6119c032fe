/*
 * The first script of the page. It is small: it removes secrets from the URL before other code runs, and renews the
 * session while the browser downloads and compiles the application.
 */
import './arrival.ts';
import { asked, start } from './keeper.ts';

void start();
// The start of the application keeps the processor busy, so the application is loaded only after this request was sent.
await asked;
