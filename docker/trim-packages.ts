import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/*
 * Deletes files of installed packages that no process loads, about a third of the disk space. `npm ci` runs it through the script `prepare`.
 */

const packages = join(import.meta.dirname, '../node_modules');

/** Paths within `node_modules`, and why no process loads them. */
export const unused: RegExp[] = [
  // C headers, for building native addons. The ones that are used come built.
  /^node-[^/]+\/include$/,
  // For drawing pages: pdf.js reads their text here, in a process that may load no native addon.
  /^@napi-rs\/canvas-[^/]+$/,
  // For browsers and React Native.
  /^@azure\/([^/]+\/dist\/(browser|react-native)|msal-browser)$/,
  // For debuggers: the TypeScript of a package.
  /^(openai|@anthropic-ai\/sdk|zod)\/src$/,
  // For `require`, and for pages without a bundler. The service imports the modules.
  /^docx\/dist\/.+\.(cjs|d\.cts|iife\.js)$/,
  /^stripe\/cjs$/,
  // For bundlers and for TypeScript 3: Node.js loads `dist-cjs`.
  /^@(aws-sdk|smithy)\/.+\/(dist-es|dist-types\/ts3\.4)$/,
  // Weights of fonts that set no text (server/formats/typesetting/fonts.ts).
  /^@expo-google-fonts\/[^/]+\/[1289]00/,
  /^@expo-google-fonts\/(gelasio|noto-emoji|noto-naskh-arabic|noto-sans-.+)\/[356]00/,
  /^@expo-google-fonts\/noto-(emoji|sans-symbols)\/700/,
  // Languages whose words are not divided (server/formats/typesetting/hyphenation.ts); their licenses differ.
  /^hyphen\/patterns\/(?!(da|de-1996|en-us|es|fr|it|nb|nl|pl|pt|uk)\.js$)/,
  // For debuggers that step into packages.
  /\.(c|m)?(js|ts|css)\.map$/,
  // For readers and for other type checkers. Licenses stay.
  /\/(README|CHANGELOG|HISTORY)[^/]*\.(md|markdown)$/i,
  /\.js\.flow$/,
];

async function trim(folder: string): Promise<void> {
  const entries = await readdir(join(packages, folder), { withFileTypes: true });
  for (const entry of entries) {
    const path = folder ? `${folder}/${entry.name}` : entry.name;
    if (unused.some((pattern) => pattern.test(path))) {
      await rm(join(packages, path), { recursive: true, force: true });
    } else if (entry.isDirectory()) await trim(path);
  }
}

if (import.meta.main) await trim('');
