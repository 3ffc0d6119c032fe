import type { Settings } from '#server/settings.ts';
import type { Build } from './build.ts';
import { escapeHtml } from './html.ts';
import { directionOf, type Locale } from './locale.ts';

/**
 * Facts about the deployment that the application needs before its first request. Public: they are in the page's
 * source.
 */
export interface Deployment {
  /** The path of the service's public URL, which a proxy in front removes; empty if it has none. */
  basePath: string;
  passwordSignIn: boolean;
  emailSignUp: boolean;
  /** The path segment of the identity provider; null if single sign-on is off. */
  ssoProvider: string | null;
  billing: boolean;
  storage: boolean;
  /** Whether a model is connected; without one, the stub engine runs. */
  liveEngine: boolean;
  maxSourceChars: number;
  /** Translations of one batch, and pages of one text file. */
  maxBatchItems: number;
  maxUploadBytes: number;
  /** The weight of a character if one of the languages has a dense script. */
  denseScriptWeight: number;
}

/** @param parts whether billing and a model are configured, and the provider's name */
export function deploymentOf(
  settings: Settings,
  parts: Pick<Deployment, 'basePath' | 'billing' | 'liveEngine' | 'ssoProvider'>,
): Deployment {
  return {
    passwordSignIn: settings.PASSWORD_SIGNIN_ENABLED,
    emailSignUp: settings.EMAIL_SIGNUP_ENABLED,
    storage: settings.STORAGE_BINDING_ENABLED,
    maxSourceChars: settings.MAX_SOURCE_CHARS,
    maxBatchItems: settings.MAX_BATCH_ITEMS,
    maxUploadBytes: settings.MAX_UPLOAD_BYTES,
    denseScriptWeight: settings.DENSE_SCRIPT_WEIGHT,
    ...parts,
  };
}

/**
 * The screen at a path of the application, by the name of its file. The router in the browser decides; this selects
 * the files that the browser will need, before any script runs.
 */
function screenAt(path: string): string {
  const [area = '', name, part] = path.split('/').slice(1);
  if (area !== 'app') return { signin: 'sign-in', jobs: 'job' }[area] ?? area;
  if (!name) return 'home';
  if (!part) return name;
  return part === 'concordance' ? part : (itemScreens[name] ?? name);
}

/** The screens of one item of a list. */
const itemScreens: Record<string, string> = {
  documents: 'document',
  glossaries: 'glossary',
  memories: 'memory',
};

/**
 * The page of the application: the URLs of its files, and the deployment in a meta element, so that nothing is
 * inline.
 * @param path of the request, below the deployment's own
 * @param signedOut whether the browser certainly has no session, so that it need not try to renew one
 */
export function shellPage(
  build: Build,
  deployment: Deployment,
  { path, locale, signedOut }: { path: string; locale: Locale; signedOut: boolean },
): string {
  const { basePath } = deployment;
  const at = (path: string) => escapeHtml(basePath + path);
  const { signIn, workspace } = build.catalogs[locale];
  const screen = build.screens[screenAt(path)] ?? { scripts: [], styles: [] };
  const styles = [...build.first.styles, ...screen.styles]
    .map((file) => `<link rel="stylesheet" href="${at(file)}">`)
    .join('\n');
  const preloads = [...build.first.scripts, ...screen.scripts, signIn, ...(signedOut ? [] : [workspace])]
    .map((file) => `<link rel="modulepreload" href="${at(file)}">`)
    .join('\n');
  const scripts = build.scripts.map((file) => `<script type="module" src="${at(file)}"></script>`).join('\n');
  const catalogs = Object.fromEntries(
    Object.entries(build.catalogs).map(([name, { signIn, workspace }]) => [
      name,
      { signIn: basePath + signIn, workspace: basePath + workspace },
    ]),
  );
  return `<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="lingualoop" content="${escapeHtml(JSON.stringify({ ...deployment, catalogs, signedOut }))}">
<title>LinguaLoop</title>
<link rel="icon" href="${at('/static/icon.svg')}" type="image/svg+xml">
${styles}
${preloads}
${scripts}
</head>
<body>
<div id="app"></div>
<noscript>LinguaLoop needs JavaScript here. The API does not: see <a href="${at('/docs')}">/docs</a>.</noscript>
</body>
</html>
`;
}

/** The page in the frame that shows Word files. @param script its URL */
export function previewPage(script: string): string {
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light">
<title>LinguaLoop</title>
<script type="module" crossorigin src="${escapeHtml(script)}"></script>
</head>
<body></body>
</html>
`;
}
